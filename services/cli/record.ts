/** The record of past runs, opened for looking only: no byte of the data folder changes. */
import type { LogReader } from '../../events/log-types.ts';
import { homeLayout, homePath } from '../home.ts';

/** Gives the log to `look` and closes it. @throws LogError `missing` when there was never a run */
export const withRecord = async <T>(look: (log: LogReader) => T | Promise<T>): Promise<T> => {
  const { openLog } = await import('../../events/log.ts');
  const log = openLog(homeLayout(homePath()).log, { readonly: true });
  try {
    return await look(log);
  } finally {
    log.close();
  }
};

export const isMissingLog = (error: unknown): boolean =>
  error instanceof Error && error.name === 'LogError' && (error as { code?: unknown }).code === 'missing';
