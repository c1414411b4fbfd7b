import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Body } from '../http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from '../http/content-encoding.ts';
import { invalidParameter } from '../http/problem.ts';
import {
  type IdempotentRequest,
  MAX_IDEMPOTENCY_KEY,
  type Receipt,
  type Replays,
  type StoredResponse,
} from '../ledger/replays.ts';
import type { Principal } from './principal.ts';
import type { FinishedResponse } from './response-cache.ts';

export interface StorableResponse extends FinishedResponse {
  /** Stored instead of a body that would expire, and turned into a new body by a replay. */
  readonly renewable?: object | undefined;
}

/**
 * Stores a response for replay, or the part that renews it. A response that could not be stored is
 * recomputed when it is requested again.
 */
export async function storeForReplay(
  ledger: Replays,
  receipt: Receipt,
  { body, contentType, metadata, renewable }: StorableResponse,
  principal: Principal,
): Promise<void> {
  const headers = { 'content-type': contentType!, ...metadata };
  const kept = renewable ? Body.of(Buffer.from(JSON.stringify(renewable))) : body;
  try {
    await ledger.storeResponse(receipt, { headers, gzip: (await gzipBody(kept)).whole() });
  } catch (error) {
    principal.report('response not stored for replay', error);
  }
}

/** Returns a stored response as it was first computed, or renewed. */
export async function restored(
  { headers, gzip: stored }: StoredResponse,
  tokens: number,
  renew?: (kept: unknown) => Promise<object>,
): Promise<FinishedResponse> {
  const gzip = Body.of(stored);
  const { 'content-type': contentType, ...metadata } = headers;
  const head = { contentType, metadata, tokens };
  if (renew) {
    const kept = (await gunzipBody(gzip)).whole().toString();
    const renewed = JSON.stringify(await renew(JSON.parse(kept)));
    return { ...head, body: Body.of(Buffer.from(renewed)), contentEncoding: null };
  }
  // It is decompressed for clients that accept no compression. Short bodies are returned
  // uncompressed, since it is unknown how they were first sent.
  return gzip.length < MIN_COMPRESSED_BYTES
    ? { ...head, body: await gunzipBody(gzip), contentEncoding: null }
    : { ...head, body: gzip, contentEncoding: 'gzip' };
}

const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_IDEMPOTENCY_KEY}}$`);

/** The `Idempotency-Key` of a request, with a fingerprint of its body; null if it has none. */
export function idempotentRequest(
  path: string,
  { 'idempotency-key': key }: IncomingHttpHeaders,
  json: unknown,
): IdempotentRequest | null {
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidParameter(
      ['header', 'idempotency-key'],
      `must be 1 to ${MAX_IDEMPOTENCY_KEY} printable characters`,
      'invalid_format',
    );
  }
  // The form of this text must not change: fingerprints are stored for a day, and keys used before
  // an upgrade would conflict.
  const text = `${path}\n${JSON.stringify({ value: json, isWhole: true })}`;
  return { key, fingerprint: hash('sha256', text, 'base64url') };
}
