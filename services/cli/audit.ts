/** `atesor audit RUN`: is the record what was written? */
import { homeLayout, homePath } from '../home.ts';
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { count, palette } from './format.ts';
import { withRecord } from './record.ts';
import type { Terminal } from './terminal.ts';

export const auditCommand = (line: CommandLine, terminal: Terminal): Promise<number> =>
  withRecord(async (log) => {
    const { openBlobReader } = await import('../../events/blobs.ts');
    const { runId } = log.findRun(line.operand);
    const report = await log.audit(runId, openBlobReader(homeLayout(homePath()).blobs));
    const sound = report.firstBad === null;
    if (line.json) terminal.out(`${JSON.stringify(report)}\n`);
    else {
      const colours = palette(terminal.colourOut);
      const what = `${count(report.events, 'event')} and ${count(report.blobs, 'stored output')}`;
      terminal.out(
        report.firstBad === null
          ? `${colours.good('whole and unchanged')}: ${what} of run ${runId}\nhead hash ${report.headHash}\n`
          : `${colours.bad('not as it was written')}: event ${report.firstBad.seq} of run ${runId}: ${report.firstBad.problem}\n`,
      );
    }
    return sound ? exitCodes.ok : exitCodes.failed;
  });
