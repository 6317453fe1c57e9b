/** Standard output and error of this process, safe against readers that go away. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Standard error is a terminal that can be redrawn. */
  readonly live: boolean;
  /** Columns of that terminal. */
  columns(): number;
  /** Whether standard output, or error, may be coloured. */
  readonly colourOut: boolean;
  readonly colourErr: boolean;
  /** The reader of standard output has gone: what is left to write goes nowhere. */
  readonly outClosed: boolean;
}

/** Columns where a terminal does not tell; the width of the oldest ones. */
const columnsDefault = 80;

/**
 * NO_COLOR (any non-empty value) and TERM=dumb switch colours and redrawing off.
 * A closed pipe (`atesor events last | head`) is no error; a full disk behind standard output is.
 */
export const openTerminal = (
  env: NodeJS.ProcessEnv,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Terminal => {
  let outClosed = false;
  let errClosed = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    outClosed = true;
    if (error.code === 'EPIPE' || errClosed) return;
    process.exitCode = 1;
    stderr.write(`atesor: cannot write to standard output (${error.code ?? error.message})\n`);
  });
  stderr.on('error', () => {
    errClosed = true;
  });
  const dumb = env.TERM === 'dumb';
  const colours = !env.NO_COLOR && !dumb;
  return {
    out: (text) => {
      if (!outClosed) stdout.write(text);
    },
    err: (text) => {
      if (!errClosed) stderr.write(text);
    },
    live: stderr.isTTY === true && !dumb && !env.CI,
    columns: () => stderr.columns || columnsDefault,
    colourOut: colours && stdout.isTTY === true,
    colourErr: colours && stderr.isTTY === true,
    get outClosed() {
      return outClosed;
    },
  };
};

/** Resolves when all that was written has left the process, or its reader has gone. */
export const drained = async (...streams: NodeJS.WriteStream[]): Promise<void> => {
  await Promise.all(
    streams.map(
      (stream) =>
        new Promise<void>((resolve) => {
          if (stream.destroyed || stream.writableLength === 0) resolve();
          else {
            stream.once('error', () => resolve());
            stream.write('', () => resolve());
          }
        }),
    ),
  );
};
