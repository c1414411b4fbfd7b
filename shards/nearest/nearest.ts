import { checkedRowLength, ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { stemSum } from '../codec/object-name.ts';
import { ShardError } from '../errors.ts';
import { readEnvelope, writeEnvelope } from '../store/envelope.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import type { Bytes, CountyBlock, Tenths } from '../units.ts';

/**
 * Minutes from each block to the nearest POI of each leaf type, by each service: rows of a fixed
 * stride in block index order, so that a response takes one range read at a computed offset. Column
 * = service position × leaves + leaf position, both in manifest order; a cell is 16 bits of tenths
 * of a minute, 0 for "not within 30 minutes"; a row ends with its checksum (`checked-row.ts`).
 */
export const NEAREST_KIND = 'NEAR';

/** Offset of the rows: after a header of two sections (24 + 2 × 32 + 4 bytes), aligned to 8. */
const ROWS_OFFSET = 96;
const META_BYTES = 8;

function nearestStride(columns: number): number {
  return columns * 2 + ROW_CRC_BYTES;
}

/**
 * Size in bytes of an object with this many rows: compared with the manifest, it checks the length
 * without a read.
 */
export function nearestBytes(rows: number, columns: number): number {
  const end = ROWS_OFFSET + rows * nearestStride(columns);
  const meta = Math.ceil(end / 8) * 8;
  return meta + META_BYTES;
}

export function nearestRange(
  ordinal: CountyBlock,
  columns: number,
): { offset: number; length: number } {
  const length = nearestStride(columns);
  return { offset: ROWS_OFFSET + ordinal * length, length };
}

/** Encodes `times`, row-major, `columns` per row; 0 for unreached. `stem`: of the object's name. */
export function encodeNearest(stem: string, times: Uint16Array, columns: number): Uint8Array {
  const sum = stemSum(stem);
  const rows = columns === 0 ? 0 : times.length / columns;
  const stride = nearestStride(columns);
  const body = new Uint8Array(rows * stride);
  const view = new DataView(body.buffer);
  for (let row = 0; row < rows; row++) {
    const at = row * stride;
    for (let c = 0; c < columns; c++) {
      view.setUint16(at + c * 2, times[row * columns + c], true);
    }
    sealRow(sum, row, body, at, at + stride);
  }
  const meta = new Uint8Array(META_BYTES);
  new DataView(meta.buffer).setUint32(0, rows, true);
  new DataView(meta.buffer).setUint32(4, columns, true);
  // Rows come first: their offset does not depend on anything a reader would have to fetch.
  const bytes = writeEnvelope(NEAREST_KIND, [
    { tag: 'ROWS', bytes: body },
    { tag: 'META', bytes: meta },
  ]);
  if (bytes.length !== nearestBytes(rows, columns)) throw new Error('nearest layout is off');
  return bytes;
}

/** Whether cells have the same byte order in memory as in a row. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * The cells of one row as fetched by `nearestRange`: a view of its bytes where alignment allows.
 * Throws a `ShardError` for a damaged row.
 */
export function decodeNearestRow(
  object: string,
  ordinal: CountyBlock,
  bytes: Uint8Array,
  columns: number,
): Uint16Array {
  if (bytes.length !== nearestStride(columns)) {
    throw new ShardError(object, `row ${ordinal}`, `truncated: ${bytes.length} bytes`);
  }
  checkedRowLength(object, ordinal, bytes);
  const { buffer, byteOffset, byteLength } = bytes;
  if (IS_LITTLE_ENDIAN && byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, columns);
  const view = new DataView(buffer, byteOffset, byteLength);
  const times: Uint16Array = new Uint16Array(columns);
  for (let c = 0; c < columns; c++) times[c] = view.getUint16(c * 2, true) satisfies Tenths;
  return times;
}

export function decodeNearestShape(meta: Uint8Array): { rows: number; columns: number } {
  const view = new DataView(meta.buffer, meta.byteOffset, meta.byteLength);
  return { rows: view.getUint32(0, true), columns: view.getUint32(4, true) };
}

export function readNearestShape(object: string, bytes: Uint8Array) {
  const envelope = readEnvelope(object, bytes, bytes.length, NEAREST_KIND);
  const meta = envelope.sections.find((s) => s.tag === 'META');
  if (meta?.bytes !== 8) throw new ShardError(object, 'META', 'section is missing');
  const shape = decodeNearestShape(bytes.subarray(meta.offset, meta.offset + meta.bytes));
  if (bytes.length !== nearestBytes(shape.rows, shape.columns)) {
    throw new ShardError(object, 'META', 'does not match the length of the object');
  }
  return shape;
}

/** Rows whose ordinals are at most this far apart share a read, which includes the rows between. */
const GAP_ROWS = 8;

/** Groups ascending ordinals into runs that are fetched by one read each. */
export function runsOfRows(ordinals: Uint32Array): Uint32Array[] {
  const runs: Uint32Array[] = [];
  for (let first = 0; first < ordinals.length; ) {
    let end = first + 1;
    while (end < ordinals.length && ordinals[end] - ordinals[end - 1] <= GAP_ROWS) end++;
    runs.push(ordinals.subarray(first, end));
    first = end;
  }
  return runs;
}

/**
 * Reads the rows of a run with one range read; also returns the number of bytes that are read only
 * because they lie between rows.
 */
export function readNearestRun(
  store: Store,
  ref: ObjectRef,
  run: Uint32Array,
  columns: number,
): { rows: Promise<Uint16Array[]>; alongBytes: Bytes } {
  const { offset, length } = nearestRange(run[0], columns);
  const bytes = (run[run.length - 1] - run[0] + 1) * length;
  const rows = store.readRange(ref, offset, bytes).then((read) =>
    Array.from(run, (ordinal) => {
      const at = (ordinal - run[0]) * length;
      return decodeNearestRow(ref.name, ordinal, read.subarray(at, at + length), columns);
    }),
  );
  return { rows, alongBytes: bytes - run.length * length };
}
