import { damaged, decodingError, ShardError } from '../errors.ts';
import type { Bytes } from '../units.ts';
import { crc32c } from './crc32c.ts';
import { nameSum } from './object-name.ts';
import { VarintReader } from './varint.ts';

/**
 * A row ends with its CRC-32C, little-endian, seeded with the `stemSum` of its object and the row
 * number, so that a valid row in the wrong place, or of another county or kind, is detected too.
 */
export const ROW_CRC_BYTES: Bytes = 4;

/** Writes the checksum into the last bytes of the row from `start` up to `end`. */
export function sealRow(
  sum: number,
  row: number,
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
): void {
  const at = end - ROW_CRC_BYTES;
  const crc = crc32c(bytes, sum ^ row, start, at - start);
  for (let i = 0; i < ROW_CRC_BYTES; i++) bytes[at + i] = crc >>> (8 * i);
}

/**
 * Number of bytes before a row's checksum. Throws a `ShardError` if the checksum does not match.
 */
export function checkedRowLength(object: string, row: number, bytes: Uint8Array): Bytes {
  const end = bytes.length - ROW_CRC_BYTES;
  if (end < 0) throw new ShardError(object, `row ${row}`, `truncated: ${bytes.length} bytes`);
  const crc =
    (bytes[end] | (bytes[end + 1] << 8) | (bytes[end + 2] << 16) | (bytes[end + 3] << 24)) >>> 0;
  if (crc !== crc32c(bytes, nameSum(object) ^ row, 0, end)) throw damaged(object, `row ${row}`);
  return end;
}

/** Decodes a row after a look at its checksum. `decode` throws a `RangeError` for what is wrong. */
export function decodeCheckedRow<T>(
  object: string,
  row: number,
  bytes: Uint8Array,
  decode: (reader: VarintReader) => T,
): T {
  const end = checkedRowLength(object, row, bytes);
  try {
    return decode(new VarintReader(bytes, 0, end));
  } catch (error) {
    throw decodingError(object, `row ${row}`, error);
  }
}
