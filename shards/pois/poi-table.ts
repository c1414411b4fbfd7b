import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { runToCompletion } from '../concurrency/run-to-completion.ts';
import type { Turns } from '../concurrency/turns.ts';
import { decodingError, ShardError } from '../errors.ts';
import { Matrix } from '../matrix/matrix.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import {
  type Bytes,
  type CountyPoi,
  type Degrees,
  type DestTypeId,
  MICRO,
  toMicro,
} from '../units.ts';

/** Attributes of a POI, apart from its id and travel time. */
export interface PoiFacts {
  readonly name: string;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
  readonly brand: string | null;
  /** Leaf types, ascending. */
  readonly types: readonly DestTypeId[];
}

const STRING_COLUMNS = ['name', 'street', 'city', 'state', 'zip', 'brand'] as const;

/**
 * The `ATTR` section of a POI matrix: one record per target, in target order.
 *
 *     pool     varint count, then per string: varint bytes, UTF-8 (each distinct string once)
 *     records  varint count, then per record: lon, lat (zigzag, delta in micro-degrees),
 *              six string numbers (0: null, else 1 + position in the pool), types (count, deltas)
 */
export function encodePoiTable(pois: readonly PoiFacts[]): Uint8Array {
  const pool = new Map<string, number>();
  const records = new VarintWriter(pois.length * 24);
  records.uint(pois.length);
  let lon = 0;
  let lat = 0;
  for (const poi of pois) {
    const [nextLon, nextLat] = [toMicro(poi.lon), toMicro(poi.lat)];
    records.int(nextLon - lon);
    records.int(nextLat - lat);
    [lon, lat] = [nextLon, nextLat];
    for (const column of STRING_COLUMNS) {
      const text = poi[column];
      if (text !== null && !pool.has(text)) pool.set(text, pool.size + 1);
      records.uint(text === null ? 0 : pool.get(text)!);
    }
    records.uint(poi.types.length);
    let type = 0;
    for (const next of poi.types) {
      records.uint(next - type);
      type = next;
    }
  }
  const out = new VarintWriter(1 << 16);
  out.texts([...pool.keys()]);
  out.bytes(records.view());
  return out.view();
}

interface Columns {
  readonly count: number;
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly stringStarts: Uint32Array;
  readonly stringEnds: Uint32Array;
  readonly strings: Uint32Array;
  readonly typeStarts: Uint32Array;
  readonly types: Uint16Array;
  readonly byType: ReadonlyMap<DestTypeId, PoiSet>;
  readonly textBytes: Bytes;
}

/** Strings or records per step of reading a table. */
const ENTRIES_PER_STEP = 1 << 12;

/** A decoded POI table. Strings stay UTF-8 until needed: a page needs few of many thousands. */
export class PoiTable {
  readonly count: number;
  /** Micro-degrees. */
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly #bytes: Buffer;
  readonly #stringStarts: Uint32Array;
  readonly #stringEnds: Uint32Array;
  readonly #strings: Uint32Array;
  readonly #typeStarts: Uint32Array;
  readonly #types: Uint16Array;
  readonly #byType: ReadonlyMap<DestTypeId, PoiSet>;
  /** UTF-8 bytes of the strings of all records; a shared string counts once per record. */
  readonly textBytes: Bytes;

  private constructor(bytes: Uint8Array, columns: Columns) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = columns.count;
    this.lon = columns.lon;
    this.lat = columns.lat;
    this.textBytes = columns.textBytes;
    this.#stringStarts = columns.stringStarts;
    this.#stringEnds = columns.stringEnds;
    this.#strings = columns.strings;
    this.#typeStarts = columns.typeStarts;
    this.#types = columns.types;
    this.#byType = columns.byType;
  }

  /** Reads a table. Throws a `ShardError` for anything that `encodePoiTable` did not write. */
  static fromBytes(object: string, bytes: Uint8Array): PoiTable {
    return runToCompletion(PoiTable.steps(object, bytes));
  }

  /** `fromBytes` in steps of a few milliseconds, for callers with other work to do. */
  static *steps(object: string, bytes: Uint8Array): Generator<undefined, PoiTable, undefined> {
    try {
      return new PoiTable(bytes, yield* columnSteps(bytes));
    } catch (error) {
      throw decodingError(object, 'ATTR', error);
    }
  }

  /** Memory in addition to the section's own bytes. */
  get byteLength(): number {
    const columns = this.count * 40 + this.#stringStarts.length * 8 + this.#types.length * 2;
    return columns + this.#byType.size * Math.ceil(this.count / 8);
  }

  name(ordinal: CountyPoi): string {
    return this.#string(ordinal, 'name') ?? '';
  }

  facts(ordinal: CountyPoi): PoiFacts {
    return {
      name: this.name(ordinal),
      lon: this.lon[ordinal] / MICRO,
      lat: this.lat[ordinal] / MICRO,
      street: this.#string(ordinal, 'street'),
      city: this.#string(ordinal, 'city'),
      state: this.#string(ordinal, 'state'),
      zip: this.#string(ordinal, 'zip'),
      brand: this.#string(ordinal, 'brand'),
      types: Array.from(this.types(ordinal)),
    };
  }

  /** The leaf types of a record, ascending. A view: do not keep it longer than the table. */
  types(ordinal: CountyPoi): Uint16Array {
    return this.#types.subarray(this.#typeStarts[ordinal], this.#typeStarts[ordinal + 1]);
  }

  ofTypes(types: Iterable<DestTypeId>): PoiSet {
    const any = new PoiSet(this.count);
    for (const type of types) any.addAll(this.#byType.get(type));
    return any;
  }

  #string(ordinal: CountyPoi, column: (typeof STRING_COLUMNS)[number]): string | null {
    const string = this.#strings[ordinal * STRING_COLUMNS.length + STRING_COLUMNS.indexOf(column)];
    if (string === 0) return null;
    return this.#bytes.toString(
      'utf8',
      this.#stringStarts[string - 1],
      this.#stringEnds[string - 1],
    );
  }
}

function* columnSteps(bytes: Uint8Array): Generator<undefined, Columns, undefined> {
  const reader = new VarintReader(bytes);
  const pool = reader.count('strings');
  const stringStarts = new Uint32Array(pool);
  const stringEnds = new Uint32Array(pool);
  for (let i = 0; i < pool; i++) {
    const length = reader.uint();
    stringStarts[i] = reader.position;
    reader.bytes(length);
    stringEnds[i] = reader.position;
    if (i % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield;
  }
  const count = reader.count('records');
  const [lon, lat] = [new Int32Array(count), new Int32Array(count)];
  const strings = new Uint32Array(count * STRING_COLUMNS.length);
  const typeStarts = new Uint32Array(count + 1);
  const types: number[] = [];
  const byType = new Map<DestTypeId, PoiSet>();
  let textBytes = 0;
  let [x, y] = [0, 0];
  for (let i = 0; i < count; i++) {
    lon[i] = x += reader.int();
    lat[i] = y += reader.int();
    for (let c = 0; c < STRING_COLUMNS.length; c++) {
      const string = reader.uint();
      if (string > pool) throw new RangeError(`record ${i} names string ${string} of ${pool}`);
      strings[i * STRING_COLUMNS.length + c] = string;
      if (string > 0) textBytes += stringEnds[string - 1] - stringStarts[string - 1];
    }
    const typeCount = reader.uint();
    let type = 0;
    for (let t = 0; t < typeCount; t++) {
      type += reader.uint();
      types.push(type);
      if (!byType.has(type)) byType.set(type, new PoiSet(count));
      byType.get(type)!.add(i);
    }
    typeStarts[i + 1] = types.length;
    if (i % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield;
  }
  return {
    count,
    lon,
    lat,
    stringStarts,
    stringEnds,
    strings,
    typeStarts,
    byType,
    textBytes,
    types: Uint16Array.from(types),
  };
}

/** A subset of a county's POIs, one bit each. */
class PoiSet {
  readonly #bits: Uint32Array;

  constructor(count: number) {
    this.#bits = new Uint32Array(Math.ceil(count / 32));
  }

  has(poi: CountyPoi): boolean {
    return ((this.#bits[poi >>> 5] >>> (poi & 31)) & 1) === 1;
  }

  add(poi: CountyPoi): void {
    this.#bits[poi >>> 5] |= 1 << (poi & 31);
  }

  addAll(other: PoiSet | undefined): void {
    if (!other) return;
    for (let i = 0; i < this.#bits.length; i++) this.#bits[i] |= other.#bits[i];
  }
}

/** Head of a matrix from or to POIs: the reachable POIs and their attributes. */
export interface PoiMatrix {
  readonly matrix: Matrix;
  readonly table: PoiTable;
}

/** Reads the head of a matrix whose given `side` is POIs. Two reads. */
export async function openPoiMatrix(
  store: Store,
  ref: ObjectRef,
  side: 'origins' | 'targets',
  turns: Turns,
): Promise<PoiMatrix> {
  const matrix = await Matrix.open(store, ref);
  const table = await turns.run(PoiTable.steps(ref.name, matrix.attributes));
  if (table.count !== matrix[side].length) {
    throw new ShardError(ref.name, 'ATTR', `does not match the dictionary of ${side}`);
  }
  return { matrix, table };
}
