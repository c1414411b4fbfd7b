interface CircuitBreakerOptions {
  /** This many failures without a success in between open the breaker. */
  readonly consecutiveFailures: number;
  /**
   * How long all calls are refused once the breaker is open. After that, a single call probes the
   * backend; if it fails, calls are refused for as long again.
   */
  readonly restMs: number;
  /**
   * Whether an error means that the backend is in trouble, as opposed to a problem with one
   * request.
   */
  readonly isFailure: (error: unknown) => boolean;
  readonly refusal: () => Error;
  readonly onChange?: (isOpen: boolean) => void;
}

/**
 * A circuit breaker: while a backend is in trouble, calls fail at once instead of each waiting for
 * its timeout, and single probe calls detect its recovery (Nygard, Release It!, 2018). Uses the
 * monotonic clock, so adjusting the system clock does not lock a backend out.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** When the next probe is allowed, by the monotonic clock; null while closed. */
  #restUntilMs: number | null = null;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#restUntilMs !== null;
  }

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

  /**
   * Ignores failures of calls that started before the circuit opened: they carry no new
   * information.
   */
  #failed(isProbe: boolean): void {
    const { consecutiveFailures, restMs, onChange } = this.#options;
    if (this.#restUntilMs !== null && !isProbe) return;
    if (this.#restUntilMs === null && ++this.#failures < consecutiveFailures) return;
    const wasClosed = this.#restUntilMs === null;
    this.#restUntilMs = performance.now() + restMs;
    if (wasClosed) onChange?.(true);
  }
}
