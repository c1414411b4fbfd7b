import { FairQueue, type Waiters } from './fair-queue.ts';

/** How long work may go on in one turn of the event loop before others are let in. */
const SLICE_MS = 4;

/** When the slice of this turn is used up; 0 while no work has begun in it. */
let sliceEndsMs = 0;
/** Works that have used up a slice. */
const waiting = new FairQueue<() => void>();

/**
 * Long work calls this between steps that are short against a slice, and awaits what it gives:
 *
 *     const pause = breathe(askers);
 *     if (pause) await pause;
 *
 * All works share one slice a turn, and those that wait go on one a turn, so that what many
 * requests do at the same time holds the event loop no longer than what one does. Whose turn it is
 * goes by who asks: however many works somebody has, others go on in between.
 */
export function yieldIfOverdue(waiters: Waiters): Promise<void> | undefined {
  if (sliceEndsMs === 0) {
    beginSlice();
  } else if (performance.now() >= sliceEndsMs) {
    return new Promise((resolve) => waiting.push(waiters, resolve));
  }
  return undefined;
}

/** Runs work that comes in steps, with others let in between them. */
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

/** The result of work that comes in steps, all at once: for a program that does nothing else. */
export function runToCompletion<T>(steps: Generator<undefined, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
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
