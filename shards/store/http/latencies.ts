const KEPT = 256;
/** Fewer say nothing of the slowest twentieth. */
const ENOUGH = 64;
const RECOUNT_EVERY = 32;
const QUANTILE = 0.95;

/** How long the last reads took, to know when one is late. */
export class Latencies {
  readonly #lastMs = new Float64Array(KEPT);
  #seen = 0;
  #lateMs: number | null = null;

  add(ms: number): void {
    this.#lastMs[this.#seen++ % KEPT] = ms;
    if (this.#seen < ENOUGH || this.#seen % RECOUNT_EVERY !== 0) return;
    const sorted = this.#lastMs.slice(0, Math.min(this.#seen, KEPT)).sort();
    this.#lateMs = sorted[Math.floor(sorted.length * QUANTILE)];
  }

  /** The 95th percentile; null until enough is known. */
  get lateMs(): number | null {
    return this.#lateMs;
  }
}
