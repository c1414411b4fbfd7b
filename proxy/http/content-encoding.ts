import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createGunzip,
  createGzip,
  type Gunzip,
  type Gzip,
  gunzip,
  gzip,
} from 'node:zlib';
import { Body } from './body.ts';

const GZIP = /(?:^|,)\s*(gzip|x-gzip|\*)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?=,|$)/gi;
const BROTLI = /(?:^|,)\s*(br|\*)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?=,|$)/gi;

/**
 * Whether `Accept-Encoding` allows gzip: RFC 9110 section 12.5.3. A coding listed by name takes
 * precedence over `*`.
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return weightIn(acceptEncoding, GZIP) > 0;
}

/**
 * The coding for a body that is compressed once and sent often: Brotli, unless gzip is preferred;
 * `null` for none.
 */
export function preferredEncoding(acceptEncoding: string | undefined): 'br' | 'gzip' | null {
  const [brotli, gzipped] = [weightIn(acceptEncoding, BROTLI), weightIn(acceptEncoding, GZIP)];
  if (brotli > 0 && brotli >= gzipped) return 'br';
  return gzipped > 0 ? 'gzip' : null;
}

function weightIn(acceptEncoding: string | undefined, listed: RegExp): number {
  if (acceptEncoding === undefined) return 0;
  let any = 0;
  for (const [, coding, weight = '1'] of acceptEncoding.matchAll(listed)) {
    if (coding !== '*') return Number(weight);
    any = Number(weight);
  }
  return any;
}

const compress = promisify(gzip);
const inflate = promisify(gunzip);

/** Minimum size of a body to compress; a smaller one fits in one packet anyway. */
export const MIN_COMPRESSED_BYTES = 1_400;

/**
 * Compression level. Responses are compressed once and sent often, but a client waits for the
 * first.
 */
const LEVEL = 5;

/**
 * Chunk size of compression: it shares its few threads with file reads, so a small read waits for
 * at most one chunk of each large response.
 */
const PIECE_BYTES = 2 ** 16;
/** Compressed size up to which a body is inflated in one piece; rows compress to about a tenth. */
const SMALL_ZIPPED_BYTES = PIECE_BYTES / 8;

export async function gzipBody(body: Body): Promise<Body> {
  if (body.length <= PIECE_BYTES) return Body.of(await compress(body.whole(), { level: LEVEL }));
  return inPieces(body, createGzip({ level: LEVEL, chunkSize: PIECE_BYTES }));
}

const compressByBrotli = promisify(brotliCompress);

/** Compresses in one piece, for catalogue texts, which are compressed once and sent often. */
export async function compressWith(coding: 'br' | 'gzip', bytes: Uint8Array): Promise<Buffer> {
  if (coding === 'gzip') return (await gzipBody(Body.of(bytes))).whole();
  // At this level, Brotli is smaller than gzip in the same time; its maximum level would take fifty
  // times as long.
  return compressByBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
}

export async function gunzipBody(body: Body): Promise<Body> {
  if (body.length <= SMALL_ZIPPED_BYTES) return Body.of(await inflate(body.whole()));
  return inPieces(body, createGunzip({ chunkSize: PIECE_BYTES }));
}

async function inPieces(body: Body, coder: Gzip | Gunzip): Promise<Body> {
  return new Body(await Readable.from(body.cut(PIECE_BYTES)).pipe(coder).toArray());
}
