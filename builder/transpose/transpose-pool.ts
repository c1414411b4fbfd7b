import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { type TransposeRequest, type TransposeResult, Transposer } from './transposer.ts';

/** A pool that sorts slices and merges bands. */
export type TransposePool = Pool<TransposeRequest, TransposeResult>;

/**
 * Opens a pool of threads that transpose matrices. With one thread, the calling thread does the
 * work. Otherwise, threads run compiled code, so request only one when running from source.
 */
export function openTransposePool(threads: number): TransposePool {
  if (threads > 1) return openThreads(new URL('./transpose-thread.js', import.meta.url), threads);
  const transposer = new Transposer();
  return thisThread((request) => transposer.run(request));
}
