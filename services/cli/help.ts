/** What `--help` says. Each line at most 100 characters. */
import type { CommandName } from './command-line.ts';

const general = `atesor ports Linux packages to riscv64 and proves it.

Usage: atesor COMMAND [flags]

  port SOURCE      build SOURCE for riscv64; SOURCE is one of
                     https://host/path.git   a git repository
                     deb:NAME[=VERSION]      a Debian source package, with Debian's patches
                     orig:NAME[=VERSION]     its upstream source alone
                     ./folder                a folder on this machine
  resume RUN       go on with a run that was stopped or killed
  runs             list all runs
  show RUN         how a run went: its path, decisions, errors and outputs
  events RUN       what was recorded, event by event
  state RUN        the agent state, now or after event N (--at N)
  replay RUN       decide everything again from the record, with no network, server or sandbox
  audit RUN        check that the record is whole and unchanged
  doctor           what this machine has and lacks

RUN is a run's id, the beginning of one, 'last', or a package name (its last run).
Flags of every command: -v/--verbose, -h/--help, --version. 'atesor COMMAND --help' says more.

Exit codes: 0 done and proven, 1 failed, 2 the command line makes no sense, 3 built but not proven,
            4 a replay diverged, 130 stopped by Ctrl-C.
Data:       $ATESOR_HOME, else /var/lib/atesor for root, else ~/.local/share/atesor.
`;

const json = '  --json                 machine-readable output (schemas: docs/schemas)\n';

const topics: Record<CommandName, string> = {
  port: `Usage: atesor port SOURCE [flags]        (old form: atesor --repo URL [flags])

Fetches SOURCE, builds it in a riscv64 sandbox, repairs what can be repaired, and proves the outputs.

  -m, --max-attempts N   errors that may be recorded before the run gives up (5)
  --platform NAME        auto or debian (auto)
  --strict               emulate everything: no natively running compiler programs
  --force                do not use the recipe cache
  --optimize             performance mode after the port
  --emulate-cpu MODEL    CPU model of performance mode
${json}                         one event a line, then one line with the result
  -q, --quiet            only the result
  -v, --verbose          the output of every command too

Ctrl-C once stops the run, which can be resumed; twice ends it at once.

  atesor port deb:zlib
  atesor port https://github.com/owner/project.git --max-attempts 3
  atesor port ./my-project --strict
`,
  resume: `Usage: atesor resume RUN [--json] [--quiet] [--verbose]

Goes on with a run from its last recorded event. Finished commands are not run again; the one that was
interrupted starts from the state of the files before it.

  atesor resume last
`,
  runs: `Usage: atesor runs [--json]

Lists all runs, the newest last.

${json}`,
  show: `Usage: atesor show RUN [--json]

The path through the nodes, the decisions, the errors, what was repaired, and the outputs of a run.

${json}
  atesor show last
  atesor show zlib
`,
  events: `Usage: atesor events RUN [--type TYPE] [--node NODE] [--json]

  --type TYPE            only this event type, or all that begin so: build, build.commandFinished
  --node NODE            only events of this node: build_node
${json}                         one envelope a line

  atesor events last --type error
`,
  state: `Usage: atesor state RUN [--at N] [--json]

The agent state: a fold over the run's events.

  --at N                 the state after event N
${json}
  atesor state last --at 10 --json
`,
  replay: `Usage: atesor replay RUN [--json]

Decides everything again from the recorded inputs and compares it with the record, event by event.
Reads only: no network, no server, no sandbox. Exit code 0 when nothing differs, 4 at the first difference.

${json}
  atesor replay zlib
`,
  audit: `Usage: atesor audit RUN [--json]

Checks order, hashes, schemas and stored outputs of a run. Names the first event that is not as it was written.

${json}`,
  doctor: `Usage: atesor doctor [--json]

Says for each thing a port needs: there or not, its version, and how to get it. Exit code 1 when something is missing.

${json}`,
};

export const helpText = (about: CommandName | null): string => (about === null ? general : topics[about]);
