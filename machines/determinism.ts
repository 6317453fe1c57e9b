/**
 * While a fold runs, the clock, dice, timers, environment and network are traps. A machine that reaches for one
 * would give another history at the next fold, so it is a fault that is named at once.
 */

export class DeterminismViolation extends Error {
  readonly code = 'determinismViolation';
  constructor(what: string) {
    super(`A fold reached for ${what}; ask for an effect or take it from the event.`);
    this.name = 'DeterminismViolation';
  }
}

type Owner = Record<string, unknown>;

/** Not an arrow function: `new Date()` must trap as well. */
const trapped = (what: string) =>
  function trap(): never {
    throw new DeterminismViolation(what);
  };

const trappedEnvironment = new Proxy(
  {},
  { get: trapped('the environment'), has: trapped('the environment') },
);

/** What is replaced: a member of an object on `globalThis` ('' for `globalThis` itself), and by what. */
const traps: ReadonlyArray<[owner: string, member: string, trap: unknown]> = [
  ...['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map(
    (name): [string, string, unknown] => ['', name, trapped(name)],
  ),
  ['', 'Date', Object.assign(trapped('Date'), { now: trapped('Date.now') })],
  ['Math', 'random', trapped('Math.random')],
  ['performance', 'now', trapped('performance.now')],
  ['crypto', 'randomUUID', trapped('crypto.randomUUID')],
  ['crypto', 'getRandomValues', trapped('crypto.getRandomValues')],
  ['process', 'env', trappedEnvironment],
];

/** Runs a synchronous fold with the traps set, and takes them away whatever happens. */
export function withoutTheWorld<R>(fold: () => R): R {
  const world = globalThis as unknown as Owner;
  const undo: Array<() => void> = [];
  const owned = traps.map(
    ([owner, member, trap]) => [(owner ? world[owner] : world) as Owner, member, trap] as const,
  );
  try {
    for (const [owner, member, value] of owned) {
      const before = Object.getOwnPropertyDescriptor(owner, member);
      Object.defineProperty(owner, member, { value, configurable: true, writable: true });
      undo.push(() => {
        if (before) Object.defineProperty(owner, member, before);
        else delete owner[member];
      });
    }
    return fold();
  } finally {
    for (const step of undo.reverse()) step();
  }
}
