import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CheckedObject, CheckedPages } from '../../shards/pmtiles/checked-pages.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { knownRepresentation, requirePreconditions } from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import { overRate } from '../http/rate-limiting.ts';
import { isTooSlow } from '../http/response-writer.ts';
import type { RateWindow } from '../ledger/rate-window.ts';
import type { ProxyServices } from '../services.ts';

/** Bytes read, checked and handed to the socket in one step of well under a millisecond. */
const PIECE_BYTES: Bytes = 2 ** 15;
/**
 * A response counts as one request per this many bytes, the amount that maps read at a time, but as
 * at most `MAX_REQUESTS`, since checking every byte takes time.
 */
const BYTES_PER_REQUEST: Bytes = 2 ** 16;
const MAX_REQUESTS = 256;

export interface SendOptions {
  readonly cacheControl: string;
  /** Whether the bytes sent count as requests of the client's address. */
  readonly isCounted: boolean;
}

/** Sends an object of a store, or the requested range of it, after checking every byte. */
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
  requirePreconditions(headers, { etag, modified: null });
  if (knownRepresentation(headers['if-none-match'], etag) !== undefined) {
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
  if (isCounted) countBytes(addressRates, request, reply, length);
  const pages = await release.pagesOf(checked);
  // Read before the head is set, so that a store that cannot be read gives a problem document
  // without any of that head.
  const first = await pages.readRange(object, start, Math.min(PIECE_BYTES, length));
  putHead();
  if (first.length === length)
    return reply.send(Buffer.from(first.buffer, first.byteOffset, length));
  const rest = { start: start + first.length, end: start + length };
  return reply.send(Readable.from(pieces(reply, pages, object, first, rest)));
}

/** Returns the number of requests that a response of `length` bytes counts as. */
export function requestsFor(length: Bytes): number {
  return Math.min(MAX_REQUESTS, Math.ceil(length / BYTES_PER_REQUEST));
}

/**
 * Counts a large response as further requests of the client's address, beyond the request itself,
 * which is already counted.
 */
function countBytes(
  rates: RateWindow,
  request: FastifyRequest,
  reply: FastifyReply,
  length: Bytes,
): void {
  for (let counted = 1; counted < requestsFor(length); counted++) {
    const excess = overRate(rates, request, reply);
    if (excess) throw excess;
  }
}

/**
 * Returns the range to send; null for the whole object, as when the range is conditional on other
 * content.
 */
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
    if (isTooSlow(performance.now() - begunMs, first.length + at - start)) {
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

interface ByteRange {
  readonly start: Bytes;
  readonly length: Bytes;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * Returns the range of `size` bytes that a `Range` header requests (RFC 9110 section 14). `whole`
 * if the header is to be ignored: if it is absent, malformed, in another unit, or has several
 * ranges.
 */
export function requestedRange(
  header: string | undefined,
  size: Bytes,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = ONE_RANGE.exec(header?.replaceAll(/[ \t]/g, '') ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, length: end + 1 - start };
}
