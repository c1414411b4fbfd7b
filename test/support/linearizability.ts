/** Something that was asked of an object while others asked too. Times are of one clock. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly calledAt: number;
  /** `Infinity` of what was not answered: it may have been done at any time since, or never. */
  readonly returnedAt: number;
  readonly output: Output | undefined;
}

/** An object as it behaves when one thing is done after another. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /** The state after, or `undefined` if this cannot be answered so; nobody saw an undefined output. */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
  /** The same for equal states, and for no others. */
  key(state: State): string;
}

/**
 * Whether everything that was answered can have been done at one moment each, between being asked
 * and being answered. The search of Wing and Gong: try as the next whatever was asked before the
 * first of the rest was answered; with Lowe's memory of what was done to reach which state.
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

/** Writes down what is asked, in the order in which it is asked and answered. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  #now = 0;

  /** Asks, and notes the answer. An error is thrown on, with nothing noted. */
  async note<T extends Output>(input: Input, ask: () => Promise<T>): Promise<T> {
    const calledAt = this.#now++;
    const output = await ask();
    this.operations.push({ input, calledAt, returnedAt: this.#now++, output });
    return output;
  }

  /** Notes what may be done from a time on, by default now, or never. */
  noteOpen(input: Input, calledAt = this.#now++): void {
    const returnedAt = Number.POSITIVE_INFINITY;
    this.operations.push({ input, calledAt, returnedAt, output: undefined });
  }

  now(): number {
    return this.#now++;
  }
}
