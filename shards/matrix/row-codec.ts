import { checkedRowLength, ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { VarintReader, type VarintWriter } from '../codec/varint.ts';
import { ShardError } from '../errors.ts';
import type { Minutes } from '../units.ts';

/**
 * One row of a sparse travel-time matrix: for each mode, the targets within reach and their times.
 *
 *     per mode   varint  2 × number of targets, + 1 if they are written as runs
 *     per mode   varints target ordinals, ascending: each as the number of ordinals skipped since
 *                        the previous one; or, where neighbours are mostly reached together, as
 *                        runs: the number skipped since the previous run, and how many follow its
 *                        first
 *                bits    times minus the unit's least, `bits` wide, little-endian, padded to a byte
 *     4 bytes    checksum, see `checked-row.ts`
 *
 * A row without targets is empty.
 */
export interface ModeRow {
  /** Ordinals in the target dictionary, strictly ascending. */
  readonly targets: Uint32Array;
  /** Time in the matrix's unit, parallel to `targets`. */
  readonly times: Uint16Array;
}

/** How times are stored: `least` is the smallest value; `bits` is the width of `most - least`. */
export interface TimeUnit {
  readonly name: 'tenths' | 'minutes';
  readonly least: number;
  readonly most: number;
  readonly bits: number;
}

/** Tenths of a minute, 1.0 to 30.0: used by POI rows and catchments. */
export const TENTHS: TimeUnit = { name: 'tenths', least: 10, most: 300, bits: 9 };
/** Longest time stored to a POI. */
export const MAX_POI_MINUTES: Minutes = TENTHS.most / 10;
/** Whole minutes, 1 to 60: used by reach between blocks. */
export const MINUTES: TimeUnit = { name: 'minutes', least: 1, most: 60, bits: 6 };

const NO_ROW: ModeRow = { targets: new Uint32Array(0), times: new Uint16Array(0) };

/**
 * Appends a row to `out`; returns its length in bytes. `sum`: the `stemSum` of its object. Throws a
 * `RangeError` for times out of range.
 */
export function encodeRow(
  out: VarintWriter,
  sum: number,
  ordinal: number,
  modes: readonly ModeRow[],
  unit: TimeUnit,
): number {
  if (modes.every((mode) => mode.targets.length === 0)) return 0;
  const start = out.length;
  const asRuns = modes.map(({ targets }) => countRuns(targets) * 2 < targets.length);
  modes.forEach(({ targets }, m) => {
    out.uint(targets.length * 2 + (asRuns[m] ? 1 : 0));
  });
  modes.forEach(({ targets, times }, m) => {
    for (let i = 1; i < targets.length; i++) {
      if (targets[i] > targets[i - 1]) continue;
      throw new RangeError(`row ${ordinal}: target ${targets[i]} is out of order`);
    }
    if (asRuns[m]) encodeRuns(out, targets);
    else encodeDistances(out, targets);
    encodeTimes(out, ordinal, times, unit);
  });
  out.take(ROW_CRC_BYTES);
  sealRow(sum, ordinal, out.view(), start);
  return out.length - start;
}

function countRuns(targets: Uint32Array): number {
  let runs = 0;
  for (let i = 0; i < targets.length; i++) {
    if (i === 0 || targets[i] !== targets[i - 1] + 1) runs++;
  }
  return runs;
}

function encodeDistances(out: VarintWriter, targets: Uint32Array): void {
  let next = 0;
  for (let i = 0; i < targets.length; i++) {
    out.uint(targets[i] - next);
    next = targets[i] + 1;
  }
}

function encodeRuns(out: VarintWriter, targets: Uint32Array): void {
  let next = 0;
  for (let i = 0; i < targets.length; ) {
    const start = i;
    while (i + 1 < targets.length && targets[i + 1] === targets[i] + 1) i++;
    out.uint(targets[start] - next);
    out.uint(i - start);
    next = targets[i] + 1;
    i++;
  }
}

function encodeTimes(out: VarintWriter, ordinal: number, times: Uint16Array, unit: TimeUnit): void {
  const { least, most, bits } = unit;
  const packed = out.take(Math.ceil((times.length * bits) / 8));
  let at = 0;
  let pending = 0;
  let pendingBits = 0;
  for (let i = 0; i < times.length; i++) {
    const time = times[i];
    if (time < least || time > most) {
      throw new RangeError(`row ${ordinal}: time ${time} is not within ${least} to ${most}`);
    }
    pending |= (time - least) << pendingBits;
    pendingBits += bits;
    while (pendingBits >= 8) {
      packed[at++] = pending & 255;
      pending >>>= 8;
      pendingBits -= 8;
    }
  }
  if (pendingBits > 0) packed[at] = pending;
}

/**
 * A row written by `encodeRow`, decoded lazily, mode by mode. Throws a `ShardError` naming the row
 * for anything else.
 */
export class EncodedRow {
  readonly #object: string;
  readonly #ordinal: number;
  readonly #targets: number;
  readonly #unit: TimeUnit;
  readonly #reader: VarintReader;
  readonly #heads: readonly number[];
  readonly #decoded: ModeRow[] = [];

  constructor(
    object: string,
    ordinal: number,
    bytes: Uint8Array,
    modes: number,
    targets: number,
    unit: TimeUnit,
  ) {
    this.#object = object;
    this.#ordinal = ordinal;
    this.#targets = targets;
    this.#unit = unit;
    const isEmpty = bytes.length === 0;
    const length = isEmpty ? 0 : checkedRowLength(object, ordinal, bytes);
    this.#reader = new VarintReader(bytes, 0, length);
    this.#heads = this.#read(() =>
      Array.from({ length: modes }, () => (isEmpty ? 0 : this.#reader.uint())),
    );
  }

  /** The row of a mode, by its position in the matrix. */
  mode(position: number): ModeRow {
    const decoded = this.#decoded;
    while (decoded.length <= position) {
      decoded.push(this.#read(() => this.#next(this.#heads[decoded.length])));
    }
    return decoded[position];
  }

  /** Decodes the rows of all modes; throws if bytes remain. */
  all(): ModeRow[] {
    const rows = this.#heads.map((_, position) => this.mode(position));
    if (!this.#reader.done) throw this.#fault('has bytes left over');
    return rows;
  }

  #next(head: number): ModeRow {
    const count = Math.floor(head / 2);
    if (head === 0) return NO_ROW;
    if (count > this.#targets) throw new RangeError(`has ${count} of ${this.#targets} targets`);
    const ordinals = new Uint32Array(count);
    const end =
      head % 2 === 1 ? decodeRuns(this.#reader, ordinals) : decodeDistances(this.#reader, ordinals);
    if (end > this.#targets) throw new RangeError(`has target ${end - 1} of ${this.#targets}`);
    return { targets: ordinals, times: decodeTimes(this.#reader, count, this.#unit) };
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof RangeError) throw this.#fault(error.message);
      throw error;
    }
  }

  #fault(problem: string): ShardError {
    return new ShardError(this.#object, `row ${this.#ordinal}`, problem);
  }
}

export function decodeRow(...row: ConstructorParameters<typeof EncodedRow>): ModeRow[] {
  return new EncodedRow(...row).all();
}

/**
 * Fills in ordinals and returns one past the last, before truncation to 32 bits, so that an
 * out-of-range number cannot wrap around to a valid one.
 */
function decodeDistances(reader: VarintReader, targets: Uint32Array): number {
  let next = 0;
  for (let i = 0; i < targets.length; i++) {
    targets[i] = next += reader.uint();
    next++;
  }
  return next;
}

/** Does for runs what `decodeDistances` does for single ordinals. */
function decodeRuns(reader: VarintReader, targets: Uint32Array): number {
  let next = 0;
  for (let i = 0; i < targets.length; ) {
    next += reader.uint();
    const end = i + reader.uint() + 1;
    if (end > targets.length) {
      throw new RangeError(`has runs of more than ${targets.length} targets`);
    }
    while (i < end) targets[i++] = next++;
  }
  return next;
}

function decodeTimes(reader: VarintReader, count: number, unit: TimeUnit): Uint16Array {
  const { least, most, bits } = unit;
  const times = new Uint16Array(count);
  const packed = reader.bytes(Math.ceil((count * bits) / 8));
  const mask = (1 << bits) - 1;
  let pending = 0;
  let pendingBits = 0;
  let at = 0;
  for (let i = 0; i < count; i++) {
    while (pendingBits < bits) {
      pending |= packed[at++] << pendingBits;
      pendingBits += 8;
    }
    const time = (pending & mask) + least;
    if (time > most) throw new RangeError(`has time ${time}`);
    times[i] = time;
    pending >>>= bits;
    pendingBits -= bits;
  }
  return times;
}
