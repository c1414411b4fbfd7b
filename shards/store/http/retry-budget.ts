/**
 * A retry budget: retries are a fixed share of first attempts, so that a server in trouble is not
 * buried under retries.
 */
export class RetryBudget {
  readonly #share: number;
  readonly #most: number;
  #left: number;
  /** How many have been made. */
  spent = 0;

  /**
   * `share`: extras an ordinary read earns; `most`: how many can be saved up; `left`: to begin
   * with.
   */
  constructor(share: number, most: number, left: number) {
    this.#share = share;
    this.#most = most;
    this.#left = left;
  }

  /** An ordinary read is made. */
  earn(): void {
    this.#left = Math.min(this.#most, this.#left + this.#share);
  }

  /** Whether one more may be made; if so, it counts as made. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.spent++;
    return true;
  }
}
