/** How a backend is left alone once it fails. */
export interface CircuitBreakerOptions {
  /** So many failures, with no success between them, open the breaker. */
  readonly failuresInARow: number;
  /** How long nothing is asked then; after it one call finds out, and so on. */
  readonly restMs: number;
  /** Whether an error says that the backend is in trouble, rather than that one thing is wrong. */
  readonly isFailure: (error: unknown) => boolean;
  /** The error of a call that is not made. */
  readonly refusal: () => Error;
  /** Told when it opens and when it closes. */
  readonly onChange?: (isOpen: boolean) => void;
}

/**
 * A circuit breaker: while a backend is in trouble, calls of it fail at once instead of each waiting
 * for its time-out, and the backend gets one call at a time to show that it is well again.
 * (Nygard, Release It!, 2018.) Time is the monotonic clock's: a machine whose clock is set does not
 * shut a backend out.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** When the next call may find out, by the monotonic clock; null while closed. */
  #restUntilMs: number | null = null;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#restUntilMs !== null;
  }

  /** Makes a call, or rejects with the refusal. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const isProbe = this.#restUntilMs !== null;
    if (isProbe) {
      if (this.#isProbing || performance.now() < this.#restUntilMs!) throw this.#options.refusal();
      this.#isProbing = true;
    }
    try {
      const value = await call();
      this.#succeeded();
      return value;
    } catch (error) {
      if (this.#options.isFailure(error)) this.#failed(isProbe);
      else this.#succeeded();
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#restUntilMs === null) return;
    this.#restUntilMs = null;
    this.#options.onChange?.(false);
  }

  /** Ignores failures of calls that began before the circuit opened: they carry no news. */
  #failed(isProbe: boolean): void {
    const { failuresInARow, restMs, onChange } = this.#options;
    if (this.#restUntilMs !== null && !isProbe) return;
    if (this.#restUntilMs === null && ++this.#failures < failuresInARow) return;
    const wasClosed = this.#restUntilMs === null;
    this.#restUntilMs = performance.now() + restMs;
    if (wasClosed) onChange?.(true);
  }
}
