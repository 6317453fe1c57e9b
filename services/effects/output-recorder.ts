/**
 * What becomes of a command's output: secrets out, live to people watching, whole into the blob store, the lines
 * worth deciding on into the answer. Bounded memory, whatever a command prints.
 */
import { StringDecoder } from 'node:string_decoder';
import type { OutputLine, TextRef } from '../../events/records.ts';
import { textRefWriter } from '../../events/text-ref.ts';
import { makeRedactor } from '../redact.ts';
import type { EffectContext } from './handler.ts';
import { makeLineExtractor } from './line-extractor.ts';

/** A line longer than this is taken in pieces; a secret is shorter. */
const lineBytesMax = 64 * 1024;

type Stream = 'stdout' | 'stderr';

export interface OutputRecorder {
  /** For `ExecSpec.onOutput`. */
  onOutput: (stream: Stream, chunk: Uint8Array) => void;
  /** Everything is durable when it settles. @throws LogError `diskFull` */
  end(): Promise<{ stdout: TextRef; stderr: TextRef; lines: OutputLine[] }>;
  /** Gives up and leaves nothing behind. */
  abort(): Promise<void>;
}

export function recordOutput({ blobs, emit }: Pick<EffectContext, 'blobs' | 'emit'>): OutputRecorder {
  const extractor = makeLineExtractor();
  const redactor = makeRedactor(process.env);
  const open = (stream: Stream) => {
    const writer = textRefWriter(blobs);
    const clean = redactor.lines();
    const decoder = new StringDecoder('utf8');
    let rest = '';
    let written: Promise<unknown> = Promise.resolve();
    /** Whole lines, one or many. */
    const take = (lines: string): void => {
      const bytes = Buffer.from(clean(lines), 'latin1');
      written = written.then(() => writer.write(bytes));
      // Told by `end`; a failed write must not be an unhandled rejection meanwhile.
      written.catch(() => {});
      const readable = decoder.write(bytes);
      for (const line of readable.split(/(?<=\n)/)) extractor.push(stream, line);
      emit({ stream, text: readable.replace(/\n$/, '') });
    };
    return {
      push(chunk: Uint8Array): void {
        rest += Buffer.from(chunk).toString('latin1');
        const end = rest.lastIndexOf('\n') + 1;
        if (end > 0) take(rest.slice(0, end));
        rest = rest.slice(end);
        for (; rest.length > lineBytesMax; rest = rest.slice(lineBytesMax)) take(rest.slice(0, lineBytesMax));
      },
      async end(): Promise<TextRef> {
        if (rest !== '') take(rest);
        rest = '';
        await written;
        return writer.end();
      },
      abort: () => writer.abort(),
    };
  };
  const streams = { stdout: open('stdout'), stderr: open('stderr') };
  return {
    onOutput: (stream, chunk) => streams[stream].push(chunk),
    async end() {
      const [stdout, stderr] = await Promise.all([streams.stdout.end(), streams.stderr.end()]);
      return { stdout, stderr, lines: extractor.lines() };
    },
    async abort() {
      await Promise.all([streams.stdout.abort(), streams.stderr.abort()]);
    },
  };
}
