import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { TransferListItem } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Bytes, Millis } from '../../shards/units.ts';
import { receivedError } from './sent-errors.ts';

/** Runs pieces of work, several at a time. */
export interface Pool<Request, Result> {
  readonly width: number;
  run(request: Request): Promise<Result>;
  close(): Promise<void>;
}

interface ThreadPool<Request, Result> extends Pool<Request, Result> {
  /** `transferred`: parts of the request that move to the thread, such as ports. */
  run(request: Request, transferred?: readonly TransferListItem[]): Promise<Result>;
}

/**
 * Returns a pool that runs pieces one after another in the current thread. It yields to the event
 * loop after each piece, so that timers run, such as the one that renews a lock.
 */
export function thisThread<Request, Result>(
  perform: (request: Request) => Result | Promise<Result>,
): Pool<Request, Result> {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    width: 1,
    run(request) {
      const result = turn.then(async () => {
        const made = await perform(request);
        await turnOfLoop();
        return made;
      });
      turn = result.catch(() => {});
      return result;
    },
    close: async () => {},
  };
}

export interface ThreadWork {
  readonly module: string;
  readonly data: unknown;
}

export interface ThreadLimits {
  /** The limit of each thread's own objects; by default that of this thread. */
  readonly heap?: Bytes;
  /** Time without work after which threads end, until there is work again; by default they stay. */
  readonly idleMs?: Millis;
}

/**
 * Opens a pool of threads that do the work of a module; see `ThreadWork`. If a thread dies, the
 * piece it was running fails.
 */
export function openThreads<Request, Result>(
  module: URL,
  threads: number,
  data?: unknown,
  { heap, idleMs }: ThreadLimits = {},
): ThreadPool<Request, Result> {
  const pool = new Piscina<Request, Result>({
    filename: new URL('./thread.js', import.meta.url).href,
    workerData: { module: module.href, data } satisfies ThreadWork,
    ...(heap !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heap / 2 ** 20 } }),
    minThreads: idleMs === undefined ? threads : 0,
    maxThreads: threads,
    ...(idleMs !== undefined && { idleTimeout: idleMs }),
  });
  let failure: unknown;
  pool.on('error', (error) => {
    // A thread without work has died, or could not begin, so none may take what waits.
    failure = error;
    void pool.destroy();
  });
  return {
    width: threads,
    async run(request, transferred = []) {
      try {
        return await pool.run(request, { transferList: [...transferred] });
      } catch (error) {
        throw receivedError(failure ?? error);
      }
    },
    close: () => pool.destroy(),
  };
}

/**
 * Runs requests on a pool and delivers results in the order of the requests, never holding more
 * than a few results that wait for their turn.
 */
export async function inOrder<Request, Result>(
  pool: Pool<Request, Result>,
  requests: Iterable<Request> | AsyncIterable<Request>,
  onResult: (result: Result, request: Request) => void | Promise<void>,
): Promise<void> {
  const underWay: { request: Request; result: Promise<Result> }[] = [];
  const take = async () => {
    const { request, result } = underWay.shift()!;
    await onResult(await result, request);
  };
  try {
    for await (const request of requests) {
      const result = pool.run(request);
      // The result is awaited in turn; until then a failure must not count as unhandled.
      result.catch(() => {});
      underWay.push({ request, result });
      if (underWay.length > pool.width * 2) await take();
    }
    while (underWay.length > 0) await take();
  } finally {
    await Promise.allSettled(underWay.map(({ result }) => result));
  }
}
