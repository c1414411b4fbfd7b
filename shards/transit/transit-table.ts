import { checkedRowLength, ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { ShardError } from '../errors.ts';
import {
  checkedSection,
  envelopeContent,
  readEnvelope,
  readHead,
  sectionOf,
} from '../store/envelope.ts';
import type { PutBody } from '../store/put-body.ts';
import { RowDirectory } from '../store/row-directory.ts';
import type { Spool } from '../store/spool.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import type { Bytes, CountyBlock, Millis } from '../units.ts';
import type { Footpaths } from './footpaths.ts';
import type { Timetable } from './timetable.ts';
import { readTimetable, writeTimetable } from './timetable-codec.ts';

export const TRANSIT_KIND = 'TRAN';

/** Public transport around a county: every trip that a journey from its blocks may use. */
export interface CountyTransit {
  /** Trips begin `step` apart, `departures` of them, the first when the window opens. */
  readonly windowStart: Millis;
  readonly departures: number;
  readonly step: Millis;
  /** Time from reaching the first stop on foot to the first departure that can be caught there. */
  readonly boardSlack: Millis;
  /** Names of stops and of routes, by their ordinals in the timetable. */
  readonly stops: readonly string[];
  readonly routes: readonly string[];
  readonly timetable: Timetable;
  readonly footpaths: Footpaths;
}

/** Walks between one place and some stops, which ascend. */
export interface StopWalks {
  readonly stops: ArrayLike<number>;
  readonly times: ArrayLike<Millis>;
}

/** Numbers of rows by kind, in the order in which they are stored. */
export interface TransitRowCounts {
  /** Walks from each block of the county to stops. */
  readonly origins: number;
  /** Walks from stops to each target block of the county's `reach-from`. */
  readonly blocks: number;
  /** Walks from stops to each target of the county's `pois`. */
  readonly pois: number;
}

/**
 * Writes the transit of a county, from which the legs of a journey are found.
 *
 * Sections: `META` the window and the numbers of rows; `NAME` stops and routes; `TRIP` the
 * timetable; `FOOT` the footpaths; `RDIR` the byte length of each row; `ROWS`, last, so that
 * everything before it, the head that readers cache, is one range. A row:
 *
 *     varint   number of walks
 *     varints  for each, the number of stops skipped since the previous one, and milliseconds
 *     4 bytes  CRC-32C of the above, seeded with the row's ordinal
 *
 * A row without walks is empty.
 */
export class TransitWriter {
  readonly #transit: CountyTransit;
  readonly #counts: TransitRowCounts;
  readonly #rows: Spool;
  readonly #lengths = new VarintWriter(1 << 12);
  readonly #row = new VarintWriter(1 << 12);
  #written = 0;

  /** Rows go to `rows`, which the caller closes once the content has been stored. */
  constructor(transit: CountyTransit, counts: TransitRowCounts, rows: Spool) {
    this.#transit = transit;
    this.#counts = counts;
    this.#rows = rows;
  }

  /** Adds the next row: those of origins, then of blocks, then of POIs. */
  row({ stops, times }: StopWalks): void {
    const row = this.#row;
    row.reset();
    if (stops.length > 0) {
      row.uint(stops.length);
      let next = 0;
      for (let i = 0; i < stops.length; i++) {
        if (stops[i] < next) throw new RangeError(`row ${this.#written}: stops do not ascend`);
        row.uint(stops[i] - next);
        row.uint(times[i]);
        next = stops[i] + 1;
      }
      row.take(ROW_CRC_BYTES);
      sealRow(row.view(), this.#written);
      this.#rows.append(row.view().slice());
    }
    this.#lengths.uint(row.length);
    this.#written++;
  }

  finish(): PutBody {
    const { origins, blocks, pois } = this.#counts;
    if (this.#written !== origins + blocks + pois) {
      throw new RangeError(`${this.#written} rows of ${origins + blocks + pois}`);
    }
    const { windowStart, departures, step, boardSlack, stops, routes, timetable, footpaths } =
      this.#transit;
    const meta = new VarintWriter();
    meta.int(windowStart);
    for (const number of [departures, step, boardSlack, origins, blocks, pois]) meta.uint(number);
    return envelopeContent(
      TRANSIT_KIND,
      [
        { tag: 'META', bytes: meta.view() },
        { tag: 'NAME', bytes: encodeNames([stops, routes]) },
        { tag: 'TRIP', bytes: writeTimetable(timetable) },
        { tag: 'FOOT', bytes: encodeFootpaths(footpaths) },
        { tag: 'RDIR', bytes: this.#lengths.view() },
      ],
      { tag: 'ROWS', rows: this.#rows },
    );
  }
}

function encodeNames(lists: readonly (readonly string[])[]): Uint8Array {
  const writer = new VarintWriter(1 << 12);
  const encoder = new TextEncoder();
  for (const list of lists) {
    writer.uint(list.length);
    for (const name of list) {
      const bytes = encoder.encode(name);
      writer.uint(bytes.length);
      writer.bytes(bytes);
    }
  }
  return writer.view();
}

function decodeNames(reader: VarintReader): string[] {
  const decoder = new TextDecoder();
  const count = reader.uint();
  if (count > reader.left) throw new RangeError(`counts ${count} names`);
  return Array.from({ length: count }, () => decoder.decode(reader.bytes(reader.uint())));
}

function encodeFootpaths({ first, ways }: Footpaths): Uint8Array {
  const writer = new VarintWriter(1 << 12);
  for (let stop = 0; stop + 1 < first.length; stop++) {
    writer.uint(first[stop + 1] - first[stop]);
    for (let way = first[stop]; way < first[stop + 1]; way++) {
      writer.uint(ways[2 * way]);
      writer.uint(ways[2 * way + 1]);
    }
  }
  return writer.view();
}

function decodeFootpaths(reader: VarintReader, stopCount: number): Footpaths {
  const first = new Int32Array(stopCount + 1);
  const ways: number[] = [];
  for (let stop = 0; stop < stopCount; stop++) {
    const count = reader.uint();
    if (count > reader.left) throw new RangeError(`counts ${count} footpaths`);
    for (let i = 0; i < count; i++) {
      const to = reader.uint();
      if (to >= stopCount) throw new RangeError(`has a footpath to stop ${to} of ${stopCount}`);
      ways.push(to, reader.uint());
    }
    first[stop + 1] = first[stop] + count;
  }
  return { first, ways: Int32Array.from(ways) };
}

/** The stored transit of a county: its head in memory; each row takes a range read. */
export class TransitTable {
  readonly transit: CountyTransit;
  readonly counts: TransitRowCounts;
  readonly #source: RangeSource;
  readonly #ref: ObjectRef;
  readonly #directory: RowDirectory;
  readonly #headBytes: Bytes;

  private constructor(source: RangeSource, ref: ObjectRef, head: Uint8Array) {
    this.#source = source;
    this.#ref = ref;
    this.#headBytes = head.length;
    const envelope = readEnvelope(ref.name, head, ref.bytes, TRANSIT_KIND);
    const section = (tag: string) =>
      new VarintReader(checkedSection(ref.name, envelope, tag, head));
    const rows = sectionOf(ref.name, envelope, 'ROWS');
    try {
      const meta = section('META');
      const windowStart = meta.int();
      const [departures, step, boardSlack, origins, blocks, pois] = Array.from({ length: 6 }, () =>
        meta.uint(),
      );
      this.counts = { origins, blocks, pois };
      const names = section('NAME');
      const stops = decodeNames(names);
      const routes = decodeNames(names);
      this.transit = {
        windowStart,
        departures,
        step,
        boardSlack,
        stops,
        routes,
        timetable: readTimetable(section('TRIP'), stops.length, routes.length),
        footpaths: decodeFootpaths(section('FOOT'), stops.length),
      };
      this.#directory = new RowDirectory(section('RDIR'), origins + blocks + pois, rows);
    } catch (error) {
      if (error instanceof RangeError) throw new ShardError(ref.name, 'head', error.message);
      throw error;
    }
  }

  /** Reads the head of `ref`: one small read to learn its length, and one for the rest. */
  static async open(source: RangeSource, ref: ObjectRef): Promise<TransitTable> {
    return new TransitTable(source, ref, await readHead(source, ref, TRANSIT_KIND));
  }

  /** Approximate memory use, for a byte-bounded cache. */
  get byteLength(): Bytes {
    const { timetable, footpaths, stops } = this.transit;
    const arrays = [...Object.values(timetable), ...Object.values(footpaths)];
    return arrays.reduce(
      (sum, array) => sum + (ArrayBuffer.isView(array) ? array.byteLength : 0),
      this.#headBytes + this.#directory.byteLength + stops.length * 100,
    );
  }

  /** Walks from a block of the county to stops. One range read. */
  accessOf(block: CountyBlock): Promise<StopWalks> {
    return this.#row(block);
  }

  /** Walks from stops to a target block, by its ordinal in `reach-from`. One range read. */
  egressToBlock(target: number): Promise<StopWalks> {
    return this.#row(this.counts.origins + target);
  }

  /** Walks from stops to a POI, by its ordinal in `pois`. One range read. */
  egressToPoi(target: number): Promise<StopWalks> {
    return this.#row(this.counts.origins + this.counts.blocks + target);
  }

  /** Reads all rows; throws a `ShardError` for the first that is damaged. */
  async checkRows(): Promise<void> {
    const directory = this.#directory;
    const start = directory.startOf(0);
    const bytes = directory.startOf(directory.count) - start;
    const rows = await this.#source.readRange(this.#ref, start, bytes);
    for (let row = 0; row < directory.count; row++) {
      const { offset, length } = directory.rangeOf(row);
      const at = offset - start;
      if (length > 0) this.#decoded(row, rows.subarray(at, at + length));
    }
  }

  async #row(ordinal: number): Promise<StopWalks> {
    const { offset, length } = this.#directory.rangeOf(ordinal);
    if (length === 0) return { stops: [], times: [] };
    return this.#decoded(ordinal, await this.#source.readRange(this.#ref, offset, length));
  }

  #decoded(ordinal: number, bytes: Uint8Array): StopWalks {
    const end = checkedRowLength(this.#ref.name, ordinal, bytes);
    try {
      return decodeWalks(new VarintReader(bytes, 0, end), this.transit.stops.length);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ShardError(this.#ref.name, `row ${ordinal}`, error.message);
    }
  }
}

function decodeWalks(reader: VarintReader, stopCount: number): StopWalks {
  const count = reader.uint();
  if (count > reader.left) throw new RangeError(`counts ${count} walks`);
  const stops = new Int32Array(count);
  const times = new Int32Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    const stop = next + reader.uint();
    if (stop >= stopCount) throw new RangeError(`has stop ${stop} of ${stopCount}`);
    stops[i] = stop;
    times[i] = reader.uint();
    next = stop + 1;
  }
  if (!reader.done) throw new RangeError('has bytes left over');
  return { stops, times };
}
