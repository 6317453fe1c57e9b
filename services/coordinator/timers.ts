/** Rings for the earliest of the things that are due. Due times are absolute: what was due while nobody ran rings at once. */

/** Longest delay that a timer of Node keeps right. */
const longestDelayMs = 2_147_483_647;

export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings once at the earliest of `dues` (epoch ms); forgets what was set before. */
  set(dues: Iterable<number>): void {
    this.clear();
    let earliest = Number.POSITIVE_INFINITY;
    for (const due of dues) earliest = Math.min(earliest, due);
    if (earliest === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(earliest - Date.now(), 0), longestDelayMs);
    this.#timer = setTimeout(this.#ring, delay);
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
