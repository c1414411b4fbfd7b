/**
 * A retry budget: retries are a fixed share of first attempts, so that a server in trouble is not
 * buried under retries.
 */
export class RetryBudget {
  readonly #share: number;
  readonly #most: number;
  #left: number;
  /** Number of retries made. */
  spent = 0;

  /**
   * `share`: retries earned per ordinary read; `most`: limit on saved retries; `left`: the initial
   * number.
   */
  constructor(share: number, most: number, left: number) {
    this.#share = share;
    this.#most = most;
    this.#left = left;
  }

  /** Records an ordinary read. */
  earn(): void {
    this.#left = Math.min(this.#most, this.#left + this.#share);
  }

  /** Whether another retry is allowed; if so, it is counted. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.spent++;
    return true;
  }
}
