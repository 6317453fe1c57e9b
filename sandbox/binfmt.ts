/** The kernel's table of foreign executables: riscv64 must be in it, with the interpreter opened early. */
import { access, readFile, writeFile } from 'node:fs/promises';
import { SandboxError } from './driver.ts';
import { hostCommand } from './host-command.ts';
import { isRoot } from './host-user.ts';

const folder = '/proc/sys/fs/binfmt_misc';
/** Where Debian and Ubuntu packages put the line that systemd-binfmt would register. */
const registrations = ['/usr/lib/binfmt.d/qemu-riscv64.conf', '/usr/share/qemu/binfmt.d/qemu-riscv64.conf'];

/**
 * Makes sure that riscv64 programs can be started, also inside a root that has no emulator (flag F).
 * Containers and machines without systemd have neither the mount nor the entry: as root both are made, and
 * left in place, since the table is the machine's and others may use it.
 * @throws SandboxError `sandboxUnavailable` that says what is missing and how to get it
 */
export async function ensureBinfmt(): Promise<void> {
  if (process.arch === 'riscv64') return;
  const entry = await currentEntry();
  if (entry !== null) return checkEntry(entry);
  const line = await registration();
  if (!isRoot())
    throw new SandboxError(
      'sandboxUnavailable',
      'riscv64 programs cannot be started: binfmt_misc has no entry for them. Run once as root: ' +
        `mount -t binfmt_misc binfmt_misc ${folder}; cat ${line.path} > ${folder}/register`,
    );
  if (!(await exists(`${folder}/register`)))
    await hostCommand(['mount', '-t', 'binfmt_misc', 'binfmt_misc', folder], { timeoutMs: 10_000 });
  const other = await currentEntry(); // it may have been registered under a mount that was hidden
  if (other !== null) return checkEntry(other);
  try {
    await writeFile(`${folder}/register`, line.text);
  } catch (cause) {
    throw new SandboxError(
      'sandboxUnavailable',
      `riscv64 could not be registered in ${folder}: ${(cause as Error).message}. In a container, start it with ` +
        'the right to mount binfmt_misc, or register qemu-user on the host.',
      { cause },
    );
  }
  checkEntry((await currentEntry()) ?? '');
}

/** Text of the entry, null when there is none. */
const currentEntry = () => readFile(`${folder}/qemu-riscv64`, 'utf8').catch(() => null);

function checkEntry(entry: string): void {
  if (/^enabled/.test(entry) && /^flags:.*F/m.test(entry)) return;
  throw new SandboxError(
    'sandboxUnavailable',
    `the binfmt_misc entry qemu-riscv64 is ${/^enabled/.test(entry) ? 'without flag F' : 'disabled'}; ` +
      `remove it (echo -1 > ${folder}/qemu-riscv64) and install the package qemu-user-static`,
  );
}

async function registration(): Promise<{ path: string; text: string }> {
  for (const path of registrations) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) return { path, text: text.trim() };
  }
  throw new SandboxError(
    'sandboxUnavailable',
    'the emulator for riscv64 programs is missing; get it with: apt-get install qemu-user-static',
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Version of the registered emulator, e.g. `7.2.18`; '' when it does not say. */
export async function emulatorVersion(): Promise<string> {
  const interpreter = /^interpreter (\S+)/m.exec((await currentEntry()) ?? '')?.[1];
  const program = interpreter?.includes('binfmt-P') ? 'qemu-riscv64-static' : interpreter;
  if (!program) return '';
  const { stdout } = await hostCommand([program, '--version'], { timeoutMs: 10_000 }).catch(() => ({
    stdout: '',
  }));
  return /version (\S+)/.exec(stdout)?.[1] ?? '';
}
