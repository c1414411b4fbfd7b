import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { type TransposeRequest, type TransposeResult, Transposer } from './transposer.ts';

/** Sorts slices and merges bands. */
export type TransposePool = Pool<TransposeRequest, TransposeResult>;

/**
 * Opens a pool of threads that transpose matrices; a single thread is this one. The threads run
 * compiled code: when running from source, request one.
 */
export function openTransposePool(threads: number): TransposePool {
  if (threads > 1) return openThreads(new URL('./transpose-thread.js', import.meta.url), threads);
  const transposer = new Transposer();
  return thisThread((request) => transposer.run(request));
}
