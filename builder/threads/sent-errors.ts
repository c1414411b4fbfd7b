import { ShardError, StoreError } from '../../shards/errors.ts';
import { BuildError } from '../errors.ts';

/*
 * On its way between threads an error loses its class, and all that it has beside its words: whether
 * it is the input's or the store's, and with that whether to try again may help. So it goes as a plain
 * object.
 */

const CLASSES = [BuildError, ShardError, StoreError];

/** What a thread's module exports: errors leave it such as `receivedError` takes them. */
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
  // Of what libraries hang on their errors not all can be sent.
  const facts = Object.entries(error).filter(([, fact]) => Object(fact) !== fact);
  return { ...Object.fromEntries(facts), name, message, stack };
}

/** The error that was sent. What the thread itself died of comes as it is. */
export function receivedError(sent: unknown): unknown {
  if (sent instanceof Error || typeof sent !== 'object' || sent === null) return sent;
  const error = Object.assign(new Error(), sent);
  const kind = CLASSES.find((one) => one.name === error.name);
  return kind ? Object.setPrototypeOf(error, kind.prototype) : error;
}
