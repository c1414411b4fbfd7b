import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateCounter } from '../../portal/accounts/rate-window.ts';
import { matchesAny, matchesEtag } from '../../portal/http/caching.ts';
import { Problem } from '../../portal/http/problem.ts';
import { rateLimited, rateSubject } from '../../portal/http/rate-limiting.ts';
import type { CheckedObject, CheckedPages } from '../../shards/pmtiles/checked-pages.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { type ByteRange, requestedRange } from '../http/byte-range.ts';
import type { ProxyServices } from '../services.ts';

/** Read, checked and handed to the socket at a time: well under a millisecond of work. */
const PIECE_BYTES: Bytes = 2 ** 15;
/**
 * A response counts as one request for each of these, which maps read at a time, up to the most:
 * checking every byte costs time.
 */
const BYTES_PER_REQUEST: Bytes = 2 ** 16;
const MAX_REQUESTS = 256;
/** Readers below this rate after the grace period are cut off. */
const MIN_BYTES_PER_SECOND = 16_384;
const GRACE_MS: Millis = 20_000;

/** How an object is sent. */
export interface SendOptions {
  readonly cacheControl: string;
  /** Whether its bytes count as requests of the client's address. */
  readonly isCounted: boolean;
}

/** Sends an object of a store, or the range that is requested of it, with every byte checked. */
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  { addressRates }: ProxyServices,
  release: Release,
  checked: CheckedObject,
  { cacheControl, isCounted }: SendOptions,
): Promise<FastifyReply> {
  const { method, headers } = request;
  const { object } = checked;
  const etag = `"${object.sha256}"`;
  const caching = { etag, 'cache-control': cacheControl, 'accept-ranges': 'bytes' };
  const known = headers['if-none-match'];
  if (known && (matchesAny(known) || matchesEtag(known, etag))) {
    return reply.headers(caching).code(304).send();
  }
  const range = rangeOf(headers, object, etag);
  const { start, length } = range ?? { start: 0, length: object.bytes };
  const putHead = () => {
    reply.headers(caching).header('content-type', mediaTypeOf(object.name));
    reply.header('content-length', length);
    if (range === null) return reply;
    const last = start + length - 1;
    return reply.code(206).header('content-range', `bytes ${start}-${last}/${object.bytes}`);
  };
  if (method === 'HEAD') return putHead().send();
  if (isCounted) await countBytes(addressRates, request, reply, length);
  const pages = await release.pagesOf(checked);
  // Before the head: a store that cannot be read is a problem document, without any of it.
  const first = await pages.readRange(object, start, Math.min(PIECE_BYTES, length));
  putHead();
  if (first.length === length)
    return reply.send(Buffer.from(first.buffer, first.byteOffset, length));
  const rest = { start: start + first.length, end: start + length };
  return reply.send(Readable.from(pieces(reply, pages, object, first, rest)));
}

/** The number of requests that a response of some length counts as. */
export function requestsFor(length: Bytes): number {
  return Math.min(MAX_REQUESTS, Math.ceil(length / BYTES_PER_REQUEST));
}

/** Counts the rest of a large response by its client's address; the request itself is counted. */
async function countBytes(
  rates: RateCounter,
  request: FastifyRequest,
  reply: FastifyReply,
  length: Bytes,
): Promise<void> {
  for (let counted = 1; counted < requestsFor(length); counted++) {
    const { allowed, rate } = await rates.take(rateSubject(request.ip), Date.now());
    if (!allowed) throw rateLimited(reply, rate);
    reply.rate = rate;
  }
}

/** The range to send; `null` for all of it, as when the range is conditional on other content. */
function rangeOf(
  headers: FastifyRequest['headers'],
  object: ObjectRef,
  etag: string,
): ByteRange | null {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  const range = requestedRange(headers.range, object.bytes);
  if (range === 'whole') return null;
  if (range !== 'unsatisfiable') return range;
  const detail = `the file has ${object.bytes} bytes`;
  const there = { 'content-range': `bytes */${object.bytes}` };
  throw new Problem('range-not-satisfiable', detail, {}, there);
}

async function* pieces(
  reply: FastifyReply,
  pages: CheckedPages,
  object: ObjectRef,
  first: Uint8Array,
  { start, end }: { readonly start: Bytes; readonly end: Bytes },
): AsyncGenerator<Uint8Array> {
  const begunMs = performance.now();
  yield first;
  for (let at = start; at < end; at += PIECE_BYTES) {
    const elapsed = performance.now() - begunMs;
    const sent = first.length + at - start;
    if (elapsed > GRACE_MS && sent < (elapsed / 1_000) * MIN_BYTES_PER_SECOND) {
      throw new Error('the client reads too slowly');
    }
    yield await pages.readRange(object, at, Math.min(PIECE_BYTES, end - at)).catch((error) => {
      reply.reportFault(error);
      throw error;
    });
  }
}

function mediaTypeOf(name: string): string {
  if (name.endsWith('.pmtiles')) return 'application/vnd.pmtiles';
  if (name.endsWith('.parquet')) return 'application/vnd.apache.parquet';
  if (name.endsWith('.csv')) return 'text/csv; charset=utf-8; header=present';
  if (name.endsWith('.geojson')) return 'application/geo+json';
  if (name.endsWith('.fgb')) return 'application/vnd.flatgeobuf';
  return 'application/octet-stream';
}
