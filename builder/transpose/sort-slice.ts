import { VarintWriter } from '../../shards/codec/varint.ts';
import { decodeRow, type ModeBases, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import type { EntryBuffer } from './entry-buffer.ts';

/** Some consecutive rows of a matrix, transposed separately. */
export interface SliceRequest {
  /** Name of the object that the rows belong to, for messages. */
  readonly object: string;
  readonly firstRow: number;
  /** The first row, counted through all sources. */
  readonly firstOrigin: number;
  /** Lengths of the rows, of which there are at most `MAX_ORIGINS`, and the bytes of all rows. */
  readonly lengths: Uint32Array;
  readonly bytes: Uint8Array;
  readonly modes: number;
  readonly bases: ModeBases;
  readonly unit: TimeUnit;
  /** The ordinal of each target of the matrix among the wanted targets, or -1. */
  readonly ordinals: Int32Array;
  /** The start of each band of wanted targets, and the end of the last; ascending. */
  readonly bands: Uint32Array;
}

/**
 * A transposed slice, encoded as varints for each target that any origin reaches, ascending. First
 * comes the number of targets skipped since the previous one in the band. Then, per mode, come the
 * number of origins, and for each origin the number of origins skipped since the previous one ×
 * 2^bits + its time minus the unit's least, mostly a single byte.
 */
export interface SortedSlice {
  readonly firstOrigin: number;
  readonly bytes: Uint8Array;
  /** The start of each band in `bytes`, and the end of the last. */
  readonly bandStarts: Uint32Array;
}

/** Transposes a slice. A truncated row throws a `ShardError`. */
export function sortSlice(request: SliceRequest, buffer: EntryBuffer): SortedSlice {
  const { object, firstRow, lengths, bytes, modes, bases, unit, ordinals, bands } = request;
  const targets = bands[bands.length - 1];
  buffer.begin(Math.ceil(bytes.length * mostEntriesPerByte(unit, bases)), targets, modes);
  let at = 0;
  for (let i = 0; i < lengths.length; i++) {
    const row = bytes.subarray(at, at + lengths[i]);
    at += lengths[i];
    const decoded = decodeRow(object, firstRow + i, row, modes, ordinals.length, unit, bases);
    for (let m = 0; m < modes; m++) {
      buffer.add(i, m, decoded[m].targets, decoded[m].times, ordinals);
    }
  }

  const { first, values } = buffer.sort();
  const out = new VarintWriter(bytes.length);
  const bandStarts = new Uint32Array(bands.length);
  for (let band = 0; band + 1 < bands.length; band++) {
    let expected = bands[band];
    for (let target = expected; target < bands[band + 1]; target++) {
      const group = target * modes;
      if (first[group] === first[group + modes]) continue;
      out.uint(target - expected);
      expected = target + 1;
      for (let m = 0; m < modes; m++) {
        writeOrigins(out, values, first[group + m], first[group + m + 1], unit);
      }
    }
    bandStarts[band + 1] = out.length;
  }
  return { firstOrigin: request.firstOrigin, bytes: out.view().slice(), bandStarts };
}

/**
 * The most entries that a byte of rows stands for. Each takes at least `unit.bits` bits, but those
 * of a mode with a base, which may be as many as the base has, take next to none.
 */
export function mostEntriesPerByte(unit: TimeUnit, bases: ModeBases): number {
  return (8 / unit.bits) * (1 + bases.filter((base) => base >= 0).length);
}

function writeOrigins(
  out: VarintWriter,
  values: Uint32Array,
  start: number,
  end: number,
  { least, bits }: TimeUnit,
): void {
  out.uint(end - start);
  let expected = 0;
  for (let i = start; i < end; i++) {
    const origin = values[i] >>> 16;
    out.uint(((origin - expected) << bits) | ((values[i] & 0xffff) - least));
    expected = origin + 1;
  }
}
