import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { type TransposeRequest, type TransposeResult, Transposer } from './transposer.ts';

/** Sorts slices and merges bands. */
export type TransposePool = Pool<TransposeRequest, TransposeResult>;

/**
 * Opens a pool of so many threads that turn matrices around; one thread is this one. The threads
 * run compiled code: from source, ask for one.
 */
export function openTransposePool(threads: number): TransposePool {
  if (threads > 1) return openThreads(new URL('./transpose-thread.js', import.meta.url), threads);
  const transposer = new Transposer();
  return thisThread((request) => transposer.run(request));
}
