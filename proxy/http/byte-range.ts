import type { Bytes } from '../../shards/units.ts';

/** A part of a representation. */
export interface ByteRange {
  readonly start: Bytes;
  readonly length: Bytes;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The part that a `Range` header requests of `size` bytes: RFC 9110 section 14. `whole` where it is
 * to be ignored: no header, another unit, a malformed one, or several ranges.
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
