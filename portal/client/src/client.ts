import { OPERATIONS, type Operations } from './api-types.ts';
import {
  type CallOptions,
  type ClientOptions,
  createSender,
  type Params,
  type Reply,
  type Send,
} from './sender.ts';

type Name = keyof Operations;
export type ParamsOf<O extends Name> = Operations[O]['params'];
export type MediaTypeOf<O extends Name> = keyof Operations[O]['responses'];
type DefaultOf<O extends Name> =
  'application/json' extends MediaTypeOf<O>
    ? Extract<MediaTypeOf<O>, 'application/json'>
    : MediaTypeOf<O>;

/** `data` of an operation's responses: of JSON, unless another media type is named. */
export type DataOf<
  O extends Name,
  M extends MediaTypeOf<O> = DefaultOf<O>,
> = Operations[O]['responses'][M];

/** A row of an operation's responses; for the list of exports, one exported table. */
export type RowOf<O extends Name> =
  DataOf<O> extends { results: ReadonlyArray<infer Row> } | { exports: ReadonlyArray<infer Row> }
    ? Row
    : never;

/**
 * A call that may need several requests. It is sent once it is awaited or iterated: `await` sends
 * one request; `for await` continues to the end, over the pages of a list, or over a batch of any
 * length in chunks of the size that the service accepts, resending truncated origins.
 */
export interface Call<T, Row> extends Promise<Reply<T>>, AsyncIterable<Reply<T>> {
  /** Rows of all pages or chunks; JSON only. */
  rows(): AsyncIterable<Row>;
}

/** A method for each operation of the API, named by its `operationId`. */
export type Client = {
  readonly [O in Name]: <M extends MediaTypeOf<O> = DefaultOf<O>>(
    ...args: Record<string, never> extends ParamsOf<O>
      ? [params?: ParamsOf<O>, options?: CallOptions<M>]
      : [params: ParamsOf<O>, options?: CallOptions<M>]
  ) => DataOf<O> extends { results: unknown } | { exports: unknown }
    ? Call<DataOf<O, M>, M extends 'application/json' ? RowOf<O> : never>
    : Promise<Reply<DataOf<O, M>>>;
};

/** Creates a client of the API. When the service limits the rate, all calls of the client wait. */
export function createClient(options: ClientOptions): Client {
  return clientOver(createSender(options));
}

/** Returns a client whose requests are sent by `send`. */
export function clientOver(send: Send): Client {
  const methods = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    (params: Params = {}, callOptions: CallOptions = {}) =>
      callOf(operation, params, callOptions, send),
  ]);
  return Object.fromEntries(methods);
}

function callOf(
  [access, path, list, size]: (typeof OPERATIONS)[Name],
  params: Params,
  options: CallOptions,
  send: Send,
): Call<unknown, unknown> {
  const method = access === 'posted' ? 'POST' : 'GET';
  const route = { isFree: access === 'free', method, path };
  let sent: Promise<Reply<unknown>> | undefined;
  /** Sends the call's first request, once, whether the call is awaited, iterated or both. */
  const itself = () => {
    sent ??= send(route, params, options);
    return sent;
  };
  /** Sends a further request, with an idempotency key of its own. */
  const further = (changed: Params, n: number) => {
    const { idempotencyKey } = options;
    const own = idempotencyKey && { idempotencyKey: `${idempotencyKey}-${n}` };
    return send(route, { ...params, ...changed }, { ...options, ...own });
  };

  async function* pages() {
    let page = await itself();
    for (let n = 2; ; n++) {
      yield page;
      const cursor = page.headers.get('x-next-cursor');
      if (cursor === null) return;
      page = await further({ cursor }, n);
    }
  }

  async function* chunks(name: string) {
    const all = params[name] as readonly unknown[];
    let left = all;
    for (let n = 1; left.length > 0; n++) {
      const part = left.slice(0, size);
      const isAll = part.length === all.length;
      const chunk = await (isAll ? itself() : further({ [name]: part }, n));
      // The origins that are left out are the last of the request; formats of text only count them.
      const { truncated } = chunk.data as { readonly truncated?: readonly unknown[] };
      const counted = part.length - Number(chunk.headers.get('x-batch-truncated'));
      const again = truncated?.map(asOrigin) ?? part.slice(counted);
      if (again.length === part.length) throw new Error('no origin delivered');
      yield chunk;
      left = [...again, ...left.slice(part.length)];
    }
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: a call is a promise that begins when it is used.
    then: (onReply, onError) => itself().then(onReply, onError),
    catch: (onError) => itself().catch(onError),
    finally: (onEnd) => itself().finally(onEnd),
    [Symbol.toStringTag]: 'Call',
    [Symbol.asyncIterator]: () => (list && params[list] ? chunks(list) : pages()),
    async *rows() {
      for await (const { data } of this) {
        const { results, exports = [] } = data as Partial<Record<'results' | 'exports', unknown[]>>;
        yield* results ?? exports;
      }
    },
  };
}

/** Returns an item of `truncated` as an origin: a point has other names there. */
function asOrigin(item: unknown): unknown {
  const { origin_lat: lat, origin_lon: lon } = Object(item) as Record<string, unknown>;
  return lat === undefined ? item : { lat, lon };
}
