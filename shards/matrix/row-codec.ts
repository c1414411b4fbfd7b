import { crc32c } from '../crc32c.ts';
import { ShardError } from '../errors.ts';
import { VarintReader, type VarintWriter } from '../varint.ts';

/**
 * One row of a sparse travel-time matrix: for each mode, the targets within reach and their times.
 *
 *     per mode   varint  how many targets
 *     per mode   varints target ordinals, ascending, each as its distance past the one before
 *                bits    times less the unit's least, `bits` wide, little-endian, padded to a byte
 *     4 bytes    CRC-32C of the above, seeded with the row's ordinal
 *
 * A row without targets has no bytes at all.
 */
export interface ModeRow {
  /** Ordinals in the target dictionary, strictly ascending. */
  readonly targets: Uint32Array;
  /** In the matrix's unit, beside `targets`. */
  readonly times: Uint16Array;
}

/** How times are kept: `least` is the smallest value, `bits` hold `most - least`. */
export interface TimeUnit {
  readonly name: 'tenths' | 'minutes';
  readonly least: number;
  readonly most: number;
  readonly bits: number;
}

/** Tenths of a minute, 1.0 to 30.0: what POI rows and catchments have. */
export const TENTHS: TimeUnit = { name: 'tenths', least: 10, most: 300, bits: 9 };
/** Whole minutes, 1 to 60: what reach between blocks has. */
export const MINUTES: TimeUnit = { name: 'minutes', least: 1, most: 60, bits: 6 };

const CRC_BYTES = 4;
const NO_ROW: ModeRow = { targets: new Uint32Array(0), times: new Uint16Array(0) };

/** Appends a row to `out`; returns how many bytes it took. Times out of range are a `RangeError`. */
export function encodeRow(
  out: VarintWriter,
  ordinal: number,
  modes: readonly ModeRow[],
  unit: TimeUnit,
): number {
  if (modes.every((mode) => mode.targets.length === 0)) return 0;
  const start = out.length;
  for (const { targets } of modes) out.uint(targets.length);
  for (const { targets, times } of modes) {
    let next = 0;
    for (const target of targets) {
      if (target < next) throw new RangeError(`row ${ordinal}: target ${target} is out of order`);
      out.uint(target - next);
      next = target + 1;
    }
    let pending = 0;
    let pendingBits = 0;
    for (const time of times) {
      if (time < unit.least || time > unit.most) {
        throw new RangeError(
          `row ${ordinal}: time ${time} is not within ${unit.least} to ${unit.most}`,
        );
      }
      pending |= (time - unit.least) << pendingBits;
      pendingBits += unit.bits;
      while (pendingBits >= 8) {
        out.byte(pending & 255);
        pending >>>= 8;
        pendingBits -= 8;
      }
    }
    if (pendingBits > 0) out.byte(pending);
  }
  const crc = crc32c(out.view(), ordinal, start);
  for (let shift = 0; shift < 32; shift += 8) out.byte((crc >>> shift) & 255);
  return out.length - start;
}

/** Decodes what `encodeRow` wrote. Anything else is a `ShardError` that names the row. */
export function decodeRow(
  object: string,
  ordinal: number,
  bytes: Uint8Array,
  modes: number,
  targets: number,
  unit: TimeUnit,
): ModeRow[] {
  if (bytes.length === 0) return Array.from({ length: modes }, () => NO_ROW);
  const fail = (problem: string) => new ShardError(object, `row ${ordinal}`, problem);
  const end = bytes.length - CRC_BYTES;
  if (end < modes) throw fail(`truncated: ${bytes.length} bytes`);
  const crc =
    (bytes[end] | (bytes[end + 1] << 8) | (bytes[end + 2] << 16) | (bytes[end + 3] << 24)) >>> 0;
  if (crc !== crc32c(bytes, ordinal, 0, end)) throw fail('corrupted: checksum does not match');
  const reader = new VarintReader(bytes, 0, end);
  try {
    const counts = Array.from({ length: modes }, () => reader.uint());
    const rows = counts.map((count) => {
      if (count > targets) throw new RangeError(`has ${count} of ${targets} targets`);
      return decodeMode(reader, count, targets, unit);
    });
    if (!reader.done) throw new RangeError('has bytes left over');
    return rows;
  } catch (error) {
    if (error instanceof RangeError) throw fail(error.message);
    throw error;
  }
}

function decodeMode(reader: VarintReader, count: number, all: number, unit: TimeUnit): ModeRow {
  const targets = new Uint32Array(count);
  const times = new Uint16Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    const target = next + reader.uint();
    if (target >= all) throw new RangeError(`has target ${target} of ${all}`);
    targets[i] = target;
    next = target + 1;
  }
  const packed = reader.bytes(Math.ceil((count * unit.bits) / 8));
  const mask = (1 << unit.bits) - 1;
  let pending = 0;
  let pendingBits = 0;
  let at = 0;
  for (let i = 0; i < count; i++) {
    while (pendingBits < unit.bits) {
      pending |= packed[at++] << pendingBits;
      pendingBits += 8;
    }
    const time = (pending & mask) + unit.least;
    if (time > unit.most) throw new RangeError(`has time ${time}`);
    times[i] = time;
    pending >>>= unit.bits;
    pendingBits -= unit.bits;
  }
  return { targets, times };
}
