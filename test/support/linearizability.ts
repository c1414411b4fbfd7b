/** An operation on an object shared with concurrent callers. Times are from one clock. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly calledAt: number;
  /**
   * `Infinity` without a response: the operation may have taken effect at any time since the call,
   * or never.
   */
  readonly returnedAt: number;
  readonly output: Output | undefined;
}

/** The sequential behaviour of an object. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /**
   * Returns the state after an operation, or `undefined` if this output is impossible. An undefined
   * output was not observed.
   */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
  /** Key of a state: equal for equal states, and for no others. */
  key(state: State): string;
}

/**
 * Whether every completed operation can have taken effect at one moment between its call and its
 * response. Uses Wing and Gong's search, which tries as the next operation each that was called
 * before the first remaining response, with Lowe's memoization of the operations done and the state
 * reached.
 */
export function isLinearizable<State, Input, Output>(
  { initial, step, key }: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): boolean {
  const seen = new Set<string>();
  const leadsOn = (done: bigint, state: State): boolean => {
    const rest = history.flatMap((operation, i) => {
      return (done >> BigInt(i)) & 1n ? [] : [{ operation, bit: 1n << BigInt(i) }];
    });
    const firstReturn = Math.min(...rest.map(({ operation }) => operation.returnedAt));
    if (firstReturn === Number.POSITIVE_INFINITY) return true;
    const reached = `${done} ${key(state)}`;
    if (seen.has(reached)) return false;
    seen.add(reached);
    return rest.some(({ operation: { calledAt, input, output }, bit }) => {
      if (calledAt > firstReturn) return false;
      const next = step(state, input, output);
      return next !== undefined && leadsOn(done | bit, next);
    });
  };
  return leadsOn(0n, initial);
}

/** Records operations in the order of their calls and responses. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  #now = 0;

  /** Runs an operation and records its response. Rethrows an error without recording anything. */
  async note<T extends Output>(input: Input, ask: () => Promise<T>): Promise<T> {
    const calledAt = this.#now++;
    const output = await ask();
    this.operations.push({ input, calledAt, returnedAt: this.#now++, output });
    return output;
  }

  /** Records an operation that may take effect from a given time on, by default now, or never. */
  noteOpen(input: Input, calledAt = this.#now++): void {
    const returnedAt = Number.POSITIVE_INFINITY;
    this.operations.push({ input, calledAt, returnedAt, output: undefined });
  }

  now(): number {
    return this.#now++;
  }
}
