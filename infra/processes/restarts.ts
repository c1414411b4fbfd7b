const WINDOW_MS = 60_000;
const DEATHS_OF_EACH = 3;
const FIRST_PAUSE_MS = 100;
export const LONGEST_PAUSE_MS = 5_000;

/**
 * When a process that died is started again: the first at once, the next after pauses that double.
 * Processes that die more than three times each within a minute are not mended by that.
 */
export class Restarts {
  readonly #processes: number;
  #deathsMs: number[] = [];

  constructor(processes: number) {
    this.#processes = processes;
  }

  /** Notes a death: how long to wait before the next start, or `null` to give up. */
  died(nowMs: number): number | null {
    this.#deathsMs = this.#deathsMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    const earlier = this.#deathsMs.push(nowMs) - 1;
    if (earlier >= DEATHS_OF_EACH * this.#processes) return null;
    return earlier === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlier - 1), LONGEST_PAUSE_MS);
  }
}
