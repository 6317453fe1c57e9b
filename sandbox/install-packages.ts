/**
 * `apt-get install` for a run: real apt decides what is added to the packages that are there, the files come
 * as one more layer of the run's stack, made once and shared by all runs. No package script is run: what
 * matters of them for builds (links of alternatives, the library index) is done here.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AptPlan, aptPlan, aptUpdate, indexFetchedAt, isPackageName, mirrorOf } from './apt.ts';
import { statusFile, statusParagraphs } from './dpkg-status.ts';
import { type ExecResult, type Sandbox, SandboxError } from './driver.ts';
import { withFileLock } from './file-lock.ts';
import { resolveInside } from './inside-path.ts';
import { ensureLayer } from './package-layer.ts';
import { replaceFile } from './replace-file.ts';
import { type RootInfo, rootSuite } from './root.ts';

export interface InstallContext {
  root: RootInfo;
  layersDir: string;
  /** Whether accelerated programs may be added. */
  accelerated: boolean;
  /** The run's files on the host. */
  files: string;
  onProgress: (text: string) => void;
  /** Puts a layer of `layersDir` on the run's stack. */
  addLayer: (key: string) => Promise<void>;
  /** Runs a command as the sandbox's root. */
  run: (command: string) => Promise<ExecResult>;
}

type InstallOptions = Parameters<Sandbox['installPackages']>[1];
type InstallResult = Awaited<ReturnType<Sandbox['installPackages']>>;

/** Source: apt-get(8), "100 on error". */
const aptError = 100;
/** An older index is fetched again before a name counts as unknown, ms. */
const indexFreshMs = 24 * 3600 * 1000;
const dpkgStatus = '/var/lib/dpkg/status';

/**
 * As apt: all or nothing. A name that no index has makes exit code 100 with `missing`, and nothing is changed.
 * @throws SandboxError `cancelled`, `timedOut` at `options.timeoutMs`, `diskFull`, `sandboxUnavailable` when
 *   the mirror cannot be reached
 */
export async function installPackages(
  names: readonly string[],
  options: InstallOptions,
  context: InstallContext,
): Promise<InstallResult> {
  const wanted = [...new Set(names)];
  const malformed = wanted.filter((name) => !isPackageName(name));
  if (malformed.length > 0) return answer(options, unknownNames(malformed), aptError, { missing: malformed });
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  await mkdir(context.layersDir, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'atesor-install-'));
  try {
    const status = join(scratch, 'status');
    const installed = await readStatus(context.files);
    await writeFile(status, installed);
    const { plan, layer } = await withFileLock(
      join(context.layersDir, '.lock'),
      {
        timeoutMs: options.timeoutMs,
        signal,
        onWait: () => context.onProgress('another run installs packages; waiting for it'),
      },
      () => planAndUnpack(wanted, status, signal, context),
    );
    if (!plan.ok) return answer(options, plan.text, plan.exitCode, { missing: plan.missing });
    const alreadyThere = namesAlreadyThere(plan.text);
    if (layer === null) return answer(options, plan.text, 0, { alreadyThere });
    await context.addLayer(layer.key);
    await replaceFile(
      context.files,
      dpkgStatus,
      Buffer.from(statusFile([...statusParagraphs(installed), ...layer.paragraphs])),
      0o644,
    );
    const text = [
      plan.text,
      ...plan.packages.map((one) => `Unpacking ${one.name} (${one.version}) ...`),
    ].join('\n');
    if (!layer.hasLibraries)
      return answer(options, text, 0, { installed: plan.packages.map((one) => one.name), alreadyThere });
    const ldconfig = await context.run('ldconfig');
    return answer(options, `${text}\nProcessing triggers for libc-bin ...`, ldconfig.exitCode, {
      installed: plan.packages.map((one) => one.name),
      alreadyThere,
    });
  } catch (error) {
    if (timeout.aborted && !options.signal?.aborted)
      throw new SandboxError(
        'timedOut',
        `installing ${wanted.join(' ')} took longer than ${options.timeoutMs / 1000} s`,
      );
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function planAndUnpack(
  names: readonly string[],
  status: string,
  signal: AbortSignal,
  context: InstallContext,
) {
  const { apt } = context.root;
  const planned = () => aptPlan(apt, names, { statusFile: status, signal });
  const refreshed = async () => {
    context.onProgress('fetching the package index again');
    await aptUpdate(apt, { mirror: await mirrorOf(apt), suite: rootSuite, signal });
    return planned();
  };
  let plan: AptPlan = await planned();
  // age is looked at only when it matters: an unknown name, or a file that the mirror has dropped
  if (!plan.ok && Date.now() - (await indexFetchedAt(apt)) > indexFreshMs) plan = await refreshed();
  if (!plan.ok || plan.packages.length === 0) return { plan, layer: null };
  const unpack = (packages: typeof plan & { ok: true }) =>
    ensureLayer(packages.packages, { ...context, signal });
  try {
    return { plan, layer: await unpack(plan) };
  } catch (error) {
    const stale = error instanceof SandboxError && /\b404\b/.test(error.message);
    if (!stale) throw error;
    plan = await refreshed();
    return { plan, layer: plan.ok && plan.packages.length > 0 ? await unpack(plan) : null };
  }
}

async function readStatus(files: string): Promise<string> {
  const { host, stats } = await resolveInside(files, dpkgStatus);
  return stats?.isFile() ? readFile(host, 'utf8') : '';
}

const unknownNames = (names: readonly string[]) =>
  names.map((name) => `E: Unable to locate package ${name}`).join('\n');

const namesAlreadyThere = (text: string) =>
  [...text.matchAll(/^(\S+?)(?::\w+)? is already the newest version/gm)].map((match) => match[1] ?? '');

function answer(
  options: InstallOptions,
  output: string,
  exitCode: number,
  parts: Partial<Pick<InstallResult, 'installed' | 'alreadyThere' | 'missing'>>,
): InstallResult {
  options.onOutput?.('stdout', Buffer.from(`${output}\n`));
  return { exitCode, output, installed: [], alreadyThere: [], missing: [], ...parts };
}
