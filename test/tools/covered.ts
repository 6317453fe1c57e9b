/** What coverage is measured of, and by which tests. */
import { join } from 'node:path';

/** Where Node leaves what it counted, and c8 finds it. */
export const coverageFolder = join(import.meta.dirname, '../../coverage/tmp');

/** The parts of test paths whose files count. */
export const coveringTests = [
  'test/machines/',
  'test/events/',
  'test/histories/',
  'test/sources/source-name',
];

export const isCovered = (file: string): boolean => coveringTests.some((part) => file.includes(part));
