/** Runs stepwise work in one go, for programs that do nothing else meanwhile. */
export function runToCompletion<T>(steps: Generator<undefined, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
