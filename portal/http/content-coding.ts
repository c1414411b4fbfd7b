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

/** Whether `Accept-Encoding` takes gzip: RFC 9110 section 12.5.3. A coding by name outdoes `*`. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return weightIn(acceptEncoding, GZIP) > 0;
}

/**
 * The coding for what is compressed once and sent often: Brotli, unless gzip is liked better;
 * `null` for none.
 */
export function bestCoding(acceptEncoding: string | undefined): 'br' | 'gzip' | null {
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

/** Less fits one packet anyway. */
export const WORTH_COMPRESSING = 1_400;

/** Answers are compressed once and sent often, but somebody waits for the first. */
const LEVEL = 5;

/**
 * What is compressed, or comes out again, at a time: the few threads that do so are those that read,
 * and a small read waits for no more than a piece of each of the large answers.
 */
const PIECE_BYTES = 2 ** 16;
/** Rows shrink to a tenth or so. */
const SMALL_ZIPPED_BYTES = PIECE_BYTES / 8;

export async function zipped(body: Body): Promise<Body> {
  if (body.length <= PIECE_BYTES) return Body.of(await compress(body.whole(), { level: LEVEL }));
  return inPieces(body, createGzip({ level: LEVEL, chunkSize: PIECE_BYTES }));
}

const compressByBrotli = promisify(brotliCompress);

/** In one piece: for texts of a catalogue, which are compressed once and sent often. */
export async function compressedBy(coding: 'br' | 'gzip', bytes: Uint8Array): Promise<Buffer> {
  if (coding === 'gzip') return (await zipped(Body.of(bytes))).whole();
  // Smaller than by gzip, in the time that gzip takes; the best there is would take fifty times it.
  return compressByBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } });
}

export async function unzipped(body: Body): Promise<Body> {
  if (body.length <= SMALL_ZIPPED_BYTES) return Body.of(await inflate(body.whole()));
  return inPieces(body, createGunzip({ chunkSize: PIECE_BYTES }));
}

async function inPieces(body: Body, coder: Gzip | Gunzip): Promise<Body> {
  return new Body(await Readable.from(body.cut(PIECE_BYTES)).pipe(coder).toArray());
}
