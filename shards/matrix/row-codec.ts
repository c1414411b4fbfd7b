import { BitReader, BitWriter } from '../codec/bits.ts';
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
 * A mode may have a base, a mode before it whose row differs little. Then its targets that the base
 * has come first: as runs of one difference of the times, bit by bit in Elias' gamma code, the
 * length of each run and its `Difference`, padded to a byte. The number and the form in its varint
 * are those of its other targets, which follow as in any mode.
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

/** The position of the base of each mode, or -1; empty if no mode has one. */
export type ModeBases = readonly number[];
export const NO_BASES: ModeBases = [];

/**
 * The difference of a time from that of the base: none, or the target is not reached. Any other is
 * its zigzag number, from 1, plus `GONE`.
 */
const SAME = 1;
const GONE = 2;

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
  bases = NO_BASES,
): number {
  if (modes.every((mode) => mode.targets.length === 0)) return 0;
  const start = out.length;
  const baseOf = (m: number): ModeRow | undefined => modes[bases[m]];
  const apart = modes.map((mode, m) => {
    const base = baseOf(m);
    return base ? withoutTargets(mode, base) : mode;
  });
  const asRuns = apart.map(({ targets }) => countRuns(targets) * 2 < targets.length);
  apart.forEach(({ targets }, m) => {
    out.uint(targets.length * 2 + (asRuns[m] ? 1 : 0));
  });
  apart.forEach(({ targets, times }, m) => {
    for (let i = 1; i < modes[m].targets.length; i++) {
      if (modes[m].targets[i] > modes[m].targets[i - 1]) continue;
      throw new RangeError(`row ${ordinal}: target ${modes[m].targets[i]} is out of order`);
    }
    const base = baseOf(m);
    if (base) encodeDifferences(out, ordinal, modes[m], base, unit);
    if (asRuns[m]) encodeRuns(out, targets);
    else encodeDistances(out, targets);
    encodeTimes(out, ordinal, times, unit);
  });
  out.take(ROW_CRC_BYTES);
  sealRow(sum, ordinal, out.view(), start);
  return out.length - start;
}

/** The targets of a row that another lacks; both ascend. */
function withoutTargets({ targets, times }: ModeRow, other: ModeRow): ModeRow {
  const kept: number[] = [];
  for (let i = 0, at = 0; i < targets.length; i++) {
    while (at < other.targets.length && other.targets[at] < targets[i]) at++;
    if (other.targets[at] !== targets[i]) kept.push(i);
  }
  return {
    targets: Uint32Array.from(kept, (i) => targets[i]),
    times: Uint16Array.from(kept, (i) => times[i]),
  };
}

/** Writes how the times of a row differ from those of its base, at the targets of the base. */
function encodeDifferences(
  out: VarintWriter,
  ordinal: number,
  { targets, times }: ModeRow,
  base: ModeRow,
  { least, most }: TimeUnit,
): void {
  const bits = new BitWriter(out);
  let difference = 0;
  let run = 0;
  const endRun = () => {
    if (run === 0) return;
    bits.gamma(run);
    bits.gamma(difference);
  };
  for (let i = 0, at = 0; i < base.targets.length; i++) {
    while (at < targets.length && targets[at] < base.targets[i]) at++;
    let next = GONE;
    if (at < targets.length && targets[at] === base.targets[i]) {
      const time = times[at];
      if (time < least || time > most) {
        throw new RangeError(`row ${ordinal}: time ${time} is not within ${least} to ${most}`);
      }
      const later = time - base.times[i];
      next = later === 0 ? SAME : GONE + (later > 0 ? 2 * later - 1 : -2 * later);
    }
    if (next !== difference) {
      endRun();
      difference = next;
      run = 0;
    }
    run++;
  }
  endRun();
  bits.finish();
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
  readonly #bases: ModeBases;
  readonly #decoded: ModeRow[] = [];

  constructor(
    object: string,
    ordinal: number,
    bytes: Uint8Array,
    modes: number,
    targets: number,
    unit: TimeUnit,
    bases = NO_BASES,
  ) {
    this.#bases = bases;
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

  mode(position: number): ModeRow {
    const decoded = this.#decoded;
    while (decoded.length <= position) {
      const next = decoded.length;
      const base: ModeRow | undefined = decoded[this.#bases[next]];
      decoded.push(
        this.#read(() => {
          if (!base) return this.#next(this.#heads[next]);
          const shared = decodeDifferences(this.#reader, base, this.#unit);
          return merged(shared, this.#next(this.#heads[next]));
        }),
      );
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

/** Reads the targets that a row shares with its base. */
function decodeDifferences(reader: VarintReader, base: ModeRow, unit: TimeUnit): ModeRow {
  const { length } = base.targets;
  const targets = new Uint32Array(length);
  const times = new Uint16Array(length);
  const bits = new BitReader(reader);
  let count = 0;
  for (let i = 0; i < length; ) {
    const end = i + bits.gamma();
    if (end > length) throw new RangeError(`has differences of more than ${length} times`);
    const difference = bits.gamma();
    if (difference === GONE) {
      i = end;
      continue;
    }
    const zigzag = difference === SAME ? 0 : difference - GONE;
    const later = zigzag % 2 === 1 ? (zigzag + 1) / 2 : -zigzag / 2;
    for (; i < end; i++) {
      const time = base.times[i] + later;
      if (time < unit.least || time > unit.most) throw new RangeError(`has time ${time}`);
      targets[count] = base.targets[i];
      times[count++] = time;
    }
  }
  return { targets: targets.subarray(0, count), times: times.subarray(0, count) };
}

/** Merges two rows without a target in common. */
function merged(a: ModeRow, b: ModeRow): ModeRow {
  if (b.targets.length === 0) return a;
  const count = a.targets.length + b.targets.length;
  const targets = new Uint32Array(count);
  const times = new Uint16Array(count);
  for (let to = 0, i = 0, j = 0; to < count; to++) {
    const isOfA = j === b.targets.length || (i < a.targets.length && a.targets[i] < b.targets[j]);
    const [row, at] = isOfA ? [a, i++] : [b, j++];
    targets[to] = row.targets[at];
    times[to] = row.times[at];
    if (to > 0 && targets[to] <= targets[to - 1]) throw new RangeError('has a target twice');
  }
  return { targets, times };
}
