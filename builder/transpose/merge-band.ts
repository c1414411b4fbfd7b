import { stemSum } from '../../shards/codec/object-name.ts';
import { VarintWriter } from '../../shards/codec/varint.ts';
import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import {
  encodeRow,
  type ModeBases,
  type ModeRow,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';

/** A band of targets, whose rows are distributed over pieces of many slices. */
export interface BandRequest {
  /** Stem of the name of the resulting matrix. */
  readonly stem: string;
  /** The part of the band from each slice, in the order of the slices' origins. */
  readonly pieces: readonly BandPiece[];
  /** The number of targets in the band, and the row of the first target in the resulting matrix. */
  readonly targets: number;
  readonly firstRow: number;
  /** The ordinal of each origin of all sources among the targets of the matrix, or -1. */
  readonly ordinals: Int32Array;
  readonly modes: number;
  readonly bases: ModeBases;
  readonly unit: TimeUnit;
}

interface BandPiece {
  /** The slice's first origin, counted through all sources. */
  readonly firstOrigin: number;
  readonly bytes: Uint8Array;
}

/** Merges the pieces of a band into rows of the resulting matrix. */
export function mergeBand(request: BandRequest): EncodedRows {
  const { stem, targets, firstRow, ordinals, modes, bases, unit } = request;
  const sum = stemSum(stem);
  const readers = request.pieces.map((piece) => new PieceReader(piece, ordinals, unit));
  const out = new VarintWriter(1 << 20);
  const lengths = new Uint32Array(targets);
  const rows = Array.from({ length: modes }, () => new GrowingRow(ordinals.length));
  for (let target = 0; target < targets; target++) {
    for (const row of rows) row.count = 0;
    for (const reader of readers) {
      if (reader.target !== target) continue;
      for (const row of rows) reader.readOrigins(row);
      reader.advance();
    }
    lengths[target] = encodeRow(out, sum, firstRow + target, rows.map(filled), unit, bases);
  }
  return { bytes: out.view().slice(), lengths };
}

/** A mode's row under construction, with room for every origin. */
class GrowingRow {
  count = 0;
  readonly targets: Uint32Array;
  readonly times: Uint16Array;

  constructor(origins: number) {
    this.targets = new Uint32Array(origins);
    this.times = new Uint16Array(origins);
  }
}

function filled({ targets, times, count }: GrowingRow): ModeRow {
  return { targets: targets.subarray(0, count), times: times.subarray(0, count) };
}

/** Reads a band as written by `sortSlice`, target by target. */
class PieceReader {
  /** The target whose origins come next, counted from the start of the band; -1 past the last. */
  target = -1;
  readonly #bytes: Uint8Array;
  readonly #firstOrigin: number;
  readonly #ordinals: Int32Array;
  readonly #bits: number;
  readonly #least: number;
  #at = 0;

  constructor({ bytes, firstOrigin }: BandPiece, ordinals: Int32Array, unit: TimeUnit) {
    this.#bytes = bytes;
    this.#firstOrigin = firstOrigin;
    this.#ordinals = ordinals;
    this.#bits = unit.bits;
    this.#least = unit.least;
    this.advance();
  }

  /**
   * Moves to the next target. Must be called once all modes of the current target have been read.
   */
  advance(): void {
    this.target = this.#at < this.#bytes.length ? this.target + 1 + this.#uint() : -1;
  }

  /** Appends a mode's origins of the current target. */
  readOrigins(row: GrowingRow): void {
    const count = this.#uint();
    const bits = this.#bits;
    const mask = (1 << bits) - 1;
    let next = this.#firstOrigin;
    let to = row.count;
    for (let i = 0; i < count; i++) {
      const value = this.#uint();
      next += value >>> bits;
      const ordinal = this.#ordinals[next++];
      if (ordinal < 0) throw new Error('a transposed row has an origin that is not in its sources');
      row.targets[to] = ordinal;
      row.times[to++] = (value & mask) + this.#least;
    }
    row.count = to;
  }

  #uint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = bytes[this.#at++];
      value |= (byte & 127) << shift;
    }
    return value;
  }
}
