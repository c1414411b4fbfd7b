import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { PostEndpoint } from '../endpoint.ts';
import { Body } from '../http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from '../http/content-encoding.ts';
import { invalidParameters, Problem } from '../http/problem.ts';
import {
  type IdempotentRequest,
  MAX_IDEMPOTENCY_KEY,
  type Receipt,
  type Replay,
} from '../ledger/replays.ts';
import { deliverBody, tokensExhausted } from '../metering/debit.ts';
import type { HandedOver } from '../metering/open-charges.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';
import { type PostRequest, type PostResponse, send } from './post-request.ts';

/** Replays a stored response, if there is one. */
export async function replayed(post: PostRequest): Promise<HandedOver | undefined> {
  const { request, charges, ledger, admitted, idempotent } = post;
  if (!idempotent) return undefined;
  return charges.open(request, async () => {
    const replay = await ledger.replay(admitted.account, idempotent, Date.now());
    return replay && replayResponse(post, replay);
  });
}

/**
 * Replays a response that was charged before, charging again for what was refunded. `computed`: the
 * response computed for this request, if that of a concurrent request was stored first.
 */
export async function replayResponse(
  post: PostRequest,
  replay: Replay,
  computed?: FinishedResponse,
): Promise<HandedOver> {
  const { request, ledger } = post;
  if (replay.outcome === 'conflict') {
    throw new Problem(
      'idempotency-conflict',
      'this Idempotency-Key was used for another path or body within the last 24 hours; use a new one',
    );
  }
  if (replay.outcome === 'insufficient') throw tokensExhausted(replay.balance);
  const { balance, charged } = replay;
  return deliverBody(
    request,
    replay.tokens,
    (undelivered) => ledger.undeliver(replay.receipt, undelivered),
    async () => {
      const response = await earlierResponse(post, replay, computed);
      return send(post, response, charged, balance, ['idempotency-replayed', 'true']);
    },
  );
}

/**
 * Returns the stored response of a replay, or computes it again if it was not stored or is damaged.
 */
async function earlierResponse(
  post: PostRequest,
  { response: stored, tokens }: Extract<Replay, { outcome: 'replayed' }>,
  computed: FinishedResponse | undefined,
): Promise<FinishedResponse> {
  const { request } = post;
  if (stored === 'damaged') {
    request.log.error({ reqId: request.id }, 'stored response is damaged, and computed again');
  }
  if (stored === null || stored === 'damaged') {
    if (computed?.tokens === tokens) return computed;
    const resolved = await post.resolve();
    return (await resolved.locate()).compute(tokens);
  }
  const { 'content-type': contentType, ...metadata } = stored.headers;
  const head = { contentType, metadata, tokens };
  const gzip = Body.of(stored.gzip);
  if (post.renew) {
    const kept = (await gunzipBody(gzip)).whole().toString();
    const renewed = JSON.stringify(await post.renew(JSON.parse(kept)));
    return { ...head, body: Body.of(Buffer.from(renewed)), contentEncoding: null };
  }
  // `send` decompresses for clients that accept no compression. Short bodies are returned
  // uncompressed, since it is unknown how they were first sent.
  return gzip.length < MIN_COMPRESSED_BYTES
    ? { ...head, body: await gunzipBody(gzip), contentEncoding: null }
    : { ...head, body: gzip, contentEncoding: 'gzip' };
}

/**
 * Stores a response for replay, or the part that renews it. A response that could not be stored is
 * recomputed when it is requested again.
 */
export async function storeForReplay(
  { request, ledger }: PostRequest,
  receipt: Receipt,
  { body, contentType, metadata, renewable }: PostResponse,
): Promise<void> {
  const headers = { 'content-type': contentType!, ...metadata };
  const kept = renewable ? Body.of(Buffer.from(JSON.stringify(renewable))) : body;
  try {
    await ledger.storeResponse(receipt, { headers, gzip: (await gzipBody(kept)).whole() });
  } catch (error) {
    request.log.error({ err: error, reqId: request.id }, 'response not stored for replay');
  }
}

const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_IDEMPOTENCY_KEY}}$`);

/** The `Idempotency-Key` of a request, with a fingerprint of its body; null if it has none. */
export function idempotentRequest(
  { path }: PostEndpoint,
  request: FastifyRequest,
  json: unknown,
): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidParameters([
      {
        loc: ['header', 'idempotency-key'],
        msg: `must be 1 to ${MAX_IDEMPOTENCY_KEY} printable characters`,
        type: 'invalid_format',
      },
    ]);
  }
  // The form of this text must not change: fingerprints are stored for a day, and keys used before
  // an upgrade would conflict.
  const text = `${path}\n${JSON.stringify({ value: json, isWhole: true })}`;
  return { key, fingerprint: hash('sha256', text, 'base64url') };
}
