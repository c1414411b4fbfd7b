import { systemCode } from '../../shards/error-facts.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { BuildError, OutOfMemory, StoreBusy } from '../errors.ts';

/*
 * An error sent between threads loses its class and everything but its message, and thus whether
 * the input or the store caused it, and whether a retry may help. So errors are sent as plain
 * objects.
 */

const HEAP_IS_FULL =
  'out of memory; use smaller units (--unit-blocks of the build), or set NODE_OPTIONS=--max-old-space-size=MB and, of a worker, a larger --memory';

const CLASSES = [BuildError, OutOfMemory, StoreBusy, ShardError, StoreError];

/**
 * Wraps the work that a thread's module exports, so that `receivedError` can restore its errors.
 */
export function sendingErrors<Request, Result>(
  perform: (request: Request) => Result | Promise<Result>,
): (request: Request) => Promise<Result> {
  return async (request) => {
    try {
      return await perform(request);
    } catch (error) {
      throw error instanceof Error ? sentError(error) : error;
    }
  };
}

function sentError(error: Error): object {
  const { name, message, stack } = error;
  // Not everything that libraries attach to their errors can be sent.
  const facts = Object.entries(error).filter(([, fact]) => Object(fact) !== fact);
  return { ...Object.fromEntries(facts), name, message, stack };
}

/** Restores an error that was sent, or returns the one that killed the thread itself. */
export function receivedError(sent: unknown): unknown {
  if (systemCode(sent) === 'ERR_WORKER_OUT_OF_MEMORY') return new OutOfMemory(HEAP_IS_FULL);
  if (sent instanceof Error || typeof sent !== 'object' || sent === null) return sent;
  const error = Object.assign(new Error(), sent);
  const kind = CLASSES.find((one) => one.name === error.name);
  return kind ? Object.setPrototypeOf(error, kind.prototype) : error;
}
