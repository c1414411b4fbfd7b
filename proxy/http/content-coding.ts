import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const LISTED = /(?:^|,)\s*(gzip|x-gzip|\*)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?=,|$)/gi;

/** Whether `Accept-Encoding` takes gzip: RFC 9110 section 12.5.3. A coding by name outdoes `*`. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  let any = false;
  for (const [, coding, weight = '1'] of acceptEncoding.matchAll(LISTED)) {
    if (coding !== '*') return Number(weight) > 0;
    any = Number(weight) > 0;
  }
  return any;
}

const compress = promisify(gzip);

/** Less fits one packet anyway. */
export const WORTH_COMPRESSING = 1_400;

/** Answers are compressed once and sent often, but somebody waits for the first. */
const LEVEL = 5;

export function zipped(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, { level: LEVEL });
}

export const unzipped: (bytes: Uint8Array) => Promise<Buffer> = promisify(gunzip);
