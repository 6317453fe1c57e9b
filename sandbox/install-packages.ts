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
import { ensureLayer, findLayer } from './package-layer.ts';
import { planPath, recalledPlan, rememberPlan } from './plan-cache.ts';
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
  try {
    const installed = await readStatus(context.files);
    const { plan, layer } = await planAndUnpack(
      { names: wanted, installed, timeoutMs: options.timeoutMs, signal },
      context,
    );
    if (!plan.ok) return answer(options, plan.text, plan.exitCode, { missing: plan.missing });
    const alreadyThere = namesAlreadyThere(plan.text);
    if (layer === null) return answer(options, plan.text, 0, { alreadyThere });
    await context.addLayer(layer.key);
    const status = statusFile([...statusParagraphs(installed), ...layer.paragraphs]);
    await replaceFile(context.files, dpkgStatus, Buffer.from(status), 0o644);
    const lines = [plan.text, ...plan.packages.map((one) => `Unpacking ${one.name} (${one.version}) ...`)];
    if (layer.hasLibraries) lines.push('Processing triggers for libc-bin ...');
    const exitCode = layer.hasLibraries ? (await context.run('ldconfig')).exitCode : 0;
    const added = plan.packages.map((one) => one.name);
    return answer(options, lines.join('\n'), exitCode, { installed: added, alreadyThere });
  } catch (error) {
    if (timeout.aborted && !options.signal?.aborted)
      throw new SandboxError(
        'timedOut',
        `installing ${wanted.join(' ')} took longer than ${options.timeoutMs / 1000} s`,
      );
    throw error;
  }
}

interface Question {
  names: readonly string[];
  /** The dpkg status of the run. */
  installed: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A question that was answered before, whose layer is there, needs neither apt nor the lock. */
async function planAndUnpack(question: Question, context: InstallContext) {
  const path = planPath(context.layersDir, { ...question, indexAt: await indexFetchedAt(context.root.apt) });
  const known = await recalledPlan(path);
  const layer = known && (await findLayer(known.packages, context));
  if (known && (layer || known.packages.length === 0)) return { plan: known, layer };
  return withFileLock(
    join(context.layersDir, '.lock'),
    {
      timeoutMs: question.timeoutMs,
      signal: question.signal,
      onWait: () => context.onProgress('another run installs packages; waiting for it'),
    },
    () => askApt(question, context),
  );
}

async function askApt({ names, installed, signal }: Question, context: InstallContext) {
  const { apt } = context.root;
  const scratch = await mkdtemp(join(tmpdir(), 'atesor-install-'));
  const statusPath = join(scratch, 'status');
  const planned = async () => {
    const plan = await aptPlan(apt, names, { statusFile: statusPath, signal });
    const question = { names, installed, indexAt: await indexFetchedAt(apt) };
    if (plan.ok) await rememberPlan(planPath(context.layersDir, question), plan);
    return plan;
  };
  const refreshed = async () => {
    context.onProgress('fetching the package index again');
    await aptUpdate(apt, { mirror: await mirrorOf(apt), suite: rootSuite, signal });
    return planned();
  };
  const unpacked = async (plan: AptPlan) =>
    plan.ok && plan.packages.length > 0 ? ensureLayer(plan.packages, { ...context, signal }) : null;
  try {
    await writeFile(statusPath, installed);
    let plan = await planned();
    // age is looked at only when it matters: an unknown name, or a file that the mirror has dropped
    if (!plan.ok && Date.now() - (await indexFetchedAt(apt)) > indexFreshMs) plan = await refreshed();
    try {
      return { plan, layer: await unpacked(plan) };
    } catch (error) {
      const stale = error instanceof SandboxError && /\b404\b/.test(error.message);
      if (!stale) throw error;
      plan = await refreshed();
      return { plan, layer: await unpacked(plan) };
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
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
