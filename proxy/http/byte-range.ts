import type { Bytes } from '../../shards/units.ts';

/** A part of a representation. */
export interface ByteRange {
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
