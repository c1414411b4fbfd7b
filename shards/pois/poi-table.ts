import { ShardError } from '../errors.ts';
import type { Degrees, DestTypeId } from '../units.ts';
import { MICRO, toMicro } from '../units.ts';
import { VarintReader, VarintWriter } from '../varint.ts';

/** What an answer says of a point of interest beside its id and its time. */
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
 * The `ATTR` section of a POI matrix: one record a target, in the target's order.
 *
 *     pool     varint count, then per string: varint bytes, UTF-8 (each distinct string once)
 *     records  varint count, then per record: lon, lat (zigzag, micro-degrees past the one before),
 *              six string numbers (0: null, else 1 + place in the pool), types (count, distances)
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
  const encoder = new TextEncoder();
  out.uint(pool.size);
  for (const text of pool.keys()) {
    const utf8 = encoder.encode(text);
    out.uint(utf8.length);
    out.bytes(utf8);
  }
  out.bytes(records.view());
  return out.view();
}

/** Reads a POI table. Strings stay UTF-8 until asked for: a page needs few of many thousands. */
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

  constructor(object: string, bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reader = new VarintReader(bytes);
    try {
      const pool = reader.uint();
      if (pool > bytes.length) throw new RangeError(`counts ${pool} strings`);
      this.#stringStarts = new Uint32Array(pool);
      this.#stringEnds = new Uint32Array(pool);
      for (let i = 0; i < pool; i++) {
        const length = reader.uint();
        this.#stringStarts[i] = reader.position;
        reader.bytes(length);
        this.#stringEnds[i] = reader.position;
      }
      this.count = reader.uint();
      if (this.count > bytes.length) throw new RangeError(`counts ${this.count} records`);
      this.lon = new Int32Array(this.count);
      this.lat = new Int32Array(this.count);
      this.#strings = new Uint32Array(this.count * STRING_COLUMNS.length);
      this.#typeStarts = new Uint32Array(this.count + 1);
      const types: number[] = [];
      let lon = 0;
      let lat = 0;
      for (let i = 0; i < this.count; i++) {
        lon += reader.int();
        lat += reader.int();
        this.lon[i] = lon;
        this.lat[i] = lat;
        for (let c = 0; c < STRING_COLUMNS.length; c++) {
          const string = reader.uint();
          if (string > pool) throw new RangeError(`record ${i} names string ${string} of ${pool}`);
          this.#strings[i * STRING_COLUMNS.length + c] = string;
        }
        const typeCount = reader.uint();
        let type = 0;
        for (let t = 0; t < typeCount; t++) {
          type += reader.uint();
          types.push(type);
        }
        this.#typeStarts[i + 1] = types.length;
      }
      this.#types = Uint16Array.from(types);
    } catch (error) {
      if (error instanceof RangeError) throw new ShardError(object, 'ATTR', error.message);
      throw error;
    }
  }

  /** Memory held beside the section's own bytes. */
  get byteLength(): number {
    return this.count * 40 + this.#stringStarts.length * 8 + this.#types.length * 2;
  }

  name(ordinal: number): string {
    return this.#string(ordinal, 'name') ?? '';
  }

  facts(ordinal: number): PoiFacts {
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

  /** The leaf types of a record, ascending. A view: do not keep it past the table. */
  types(ordinal: number): Uint16Array {
    return this.#types.subarray(this.#typeStarts[ordinal], this.#typeStarts[ordinal + 1]);
  }

  #string(ordinal: number, column: (typeof STRING_COLUMNS)[number]): string | null {
    const string = this.#strings[ordinal * STRING_COLUMNS.length + STRING_COLUMNS.indexOf(column)];
    if (string === 0) return null;
    return this.#bytes.toString(
      'utf8',
      this.#stringStarts[string - 1],
      this.#stringEnds[string - 1],
    );
  }
}
