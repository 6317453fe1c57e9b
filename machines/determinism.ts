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

type Globals = Record<string, unknown>;

const trap = (what: string) =>
  function trapped(): never {
    throw new DeterminismViolation(what);
  };

/** Names on `globalThis`, and members of objects there, that a fold may not use. */
const trappedGlobals = ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const trappedMembers: ReadonlyArray<[object: string, member: string]> = [
  ['Math', 'random'],
  ['Date', 'now'],
  ['performance', 'now'],
  ['crypto', 'randomUUID'],
  ['crypto', 'getRandomValues'],
];

/** Runs a synchronous fold with the traps set, and takes them away whatever happens. */
export function withoutTheWorld<R>(fold: () => R): R {
  const world = globalThis as unknown as Globals;
  const undo: Array<() => void> = [];
  const set = (owner: Globals, name: string, what: string) => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value: trap(what), configurable: true, writable: true });
    undo.push(() => {
      if (before) Object.defineProperty(owner, name, before);
      else delete owner[name];
    });
  };
  try {
    for (const name of trappedGlobals) set(world, name, name);
    for (const [object, member] of trappedMembers) set(world[object] as Globals, member, `${object}.${member}`);
    return fold();
  } finally {
    for (const step of undo.reverse()) step();
  }
}
