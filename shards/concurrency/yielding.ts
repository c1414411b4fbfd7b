import { FairQueue, type Waiters } from './fair-queue.ts';

/** Longest slice of work in one turn of the event loop. */
const SLICE_MS = 4;

/** End of the current turn's slice; 0 before any work has started in it. */
let sliceEndsMs = 0;
/** Tasks that have used up their slice. */
const waiting = new FairQueue<() => void>();

/**
 * Yields to the event loop when the slice is used up. Long work calls it between short steps and
 * awaits the result:
 *
 *     const pause = yieldIfOverdue(waiters); if (pause) await pause;
 *
 * All work shares one slice per turn, and overdue work resumes one task per turn, so that many
 * concurrent requests hold the loop no longer than one. Tasks resume round-robin by client.
 */
export function yieldIfOverdue(waiters: Waiters): Promise<void> | undefined {
  if (sliceEndsMs === 0) {
    beginSlice();
  } else if (performance.now() >= sliceEndsMs) {
    return new Promise((resolve) => waiting.push(waiters, resolve));
  }
  return undefined;
}

/** Runs stepwise work, yielding to other work between steps. */
export async function runCooperatively<T>(
  waiters: Waiters,
  steps: Generator<undefined, T, undefined>,
): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = yieldIfOverdue(waiters);
    if (pause) await pause;
  }
}

function beginSlice(): void {
  sliceEndsMs = performance.now() + SLICE_MS;
  setImmediate(endSlice);
}

function endSlice(): void {
  sliceEndsMs = 0;
  const next = waiting.shift();
  if (!next) return;
  beginSlice();
  next();
}
