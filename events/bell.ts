/** Something to wait for, again and again: `next` settles at the first `ring` after it was asked for. */
export interface Bell {
  ring: () => void;
  next: () => Promise<void>;
}

export function newBell(): Bell {
  let bell = Promise.withResolvers<void>();
  return {
    next: () => bell.promise,
    ring: () => {
      const rung = bell;
      bell = Promise.withResolvers<void>();
      rung.resolve();
    },
  };
}
