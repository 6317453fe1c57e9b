/** A run by an ordinary user, told as JSON: `node as-user.ts HOME` with a root in HOME that belongs to the user. */
import { createChrootDriver } from '../../../sandbox/chroot-driver.ts';
import { shell } from '../contract.ts';

const [home = ''] = process.argv.slice(2);
const driver = createChrootDriver({ home });
const said: Record<string, unknown> = {};
try {
  const sandbox = await driver.open({ runId: 'user', platform: 'debian-riscv64', strict: false });
  said.limits = sandbox.info.limits.memory;
  said.who = (await shell(sandbox, 'id -un; uname -m')).stdout;
  await sandbox.writeFile('/workspace/a.c', Buffer.from('int main(void){return 0;}'), 0o644);
  said.built = (await shell(sandbox, 'gcc a.c && ./a.out && touch /usr/x')).stderr;
  said.marked = await sandbox.markOrRestore('m');
  said.installed = (await shell(sandbox, 'cp a.out /usr/local/bin/tool && id -un', { user: 'root' })).stdout;
  said.removed = (await shell(sandbox, 'rm a.c; mkdir -m 0 locked; ls')).stdout;
  said.restored = await sandbox.markOrRestore('m');
  said.again = (await shell(sandbox, 'ls; ls /usr/local/bin')).stdout;
  const stopped = await shell(sandbox, "trap '' TERM; (setsid sleep 100 &); sleep 100", { timeoutMs: 300 });
  said.stopped = [stopped.timedOut, stopped.oomKilled];
  await sandbox.close();
  said.left = await driver.listRuns();
} catch (error) {
  said.code = (error as { code?: string }).code;
  said.message = (error as Error).message;
}
console.log(JSON.stringify(said));
