import { decodeCheckedRow } from '../codec/checked-row.ts';
import { VarintReader } from '../codec/varint.ts';
import { Turns } from '../concurrency/turns.ts';
import { decodingError } from '../errors.ts';
import { BASE_WINDOW } from '../services.ts';
import {
  checkedSection,
  RowDirectory,
  readEnvelope,
  readHead,
  sectionOf,
} from '../store/envelope.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import type { Bytes, CountyBlock, Millis } from '../units.ts';
import type { Footpaths } from './footpaths.ts';
import type { Timetable } from './timetable.ts';
import { timetableSteps } from './timetable-codec.ts';

export const TRANSIT_KIND = 'TRAN';

/**
 * Public transport around a county in a window of departures: every trip that a journey from its
 * blocks may use. All but the window's opening, departures, routes and timetable is the same in all
 * windows.
 */
export interface CountyTransit {
  /**
   * When the window opens and the first journey begins. There are `departures` journeys, `step`
   * apart.
   */
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

/** Walks between one place and several stops; the ordinals of the stops ascend. */
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

/** The stored transit of a county: its head in memory; each row takes a range read. */
export class TransitTable {
  /** By the name of the window of departures, the base window first. */
  readonly windows: ReadonlyMap<string, CountyTransit>;
  readonly counts: TransitRowCounts;
  readonly #source: RangeSource;
  readonly #ref: ObjectRef;
  readonly #directory: RowDirectory;
  readonly #headBytes: Bytes;
  readonly #stopCount: number;

  private constructor(source: RangeSource, ref: ObjectRef, head: TransitHead) {
    this.#source = source;
    this.#ref = ref;
    this.windows = head.windows;
    this.counts = head.counts;
    this.#directory = head.directory;
    this.#headBytes = head.bytes;
    this.#stopCount = [...head.windows.values()][0].stops.length;
  }

  /** Reads the head of `ref`: one small read to learn its length, and one for the rest. */
  static async open(
    source: RangeSource,
    ref: ObjectRef,
    turns = Turns.SHARED,
  ): Promise<TransitTable> {
    const bytes = await readHead(source, ref, TRANSIT_KIND);
    return new TransitTable(source, ref, await turns.run(headSteps(ref, bytes)));
  }

  /** Approximate memory use, for a byte-bounded cache. */
  get byteLength(): Bytes {
    const windows = [...this.windows.values()];
    const arrays = [
      ...Object.values<unknown>({ ...windows[0].footpaths }),
      ...windows.flatMap(({ timetable }) => Object.values<unknown>({ ...timetable })),
    ];
    return arrays.reduce<number>(
      (sum, array) => sum + (ArrayBuffer.isView(array) ? array.byteLength : 0),
      this.#headBytes + this.#directory.byteLength + this.#stopCount * 100,
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

  /** Reads all rows; throws a `ShardError` for the first damaged row. */
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
    return decodeCheckedRow(this.#ref.name, ordinal, bytes, (row) =>
      decodeWalks(row, this.#stopCount),
    );
  }
}

/** Everything before the rows of a transit object, decoded. */
interface TransitHead {
  readonly windows: ReadonlyMap<string, CountyTransit>;
  readonly counts: TransitRowCounts;
  readonly directory: RowDirectory;
  readonly bytes: Bytes;
}

/** Decodes a head in steps, since that of a large city takes many milliseconds. */
function* headSteps(
  ref: ObjectRef,
  head: Uint8Array,
): Generator<undefined, TransitHead, undefined> {
  const envelope = readEnvelope(ref.name, head, ref.bytes, TRANSIT_KIND);
  const section = (tag: string) => new VarintReader(checkedSection(ref.name, envelope, tag, head));
  const rows = sectionOf(ref.name, envelope, 'ROWS');
  try {
    const meta = section('META');
    const windowStart = meta.int();
    const [departures, step, boardSlack, origins, blocks, pois] = Array.from({ length: 6 }, () =>
      meta.uint(),
    );
    const spans = new Map([[BASE_WINDOW.name as string, { windowStart, departures }]]);
    while (!meta.done) {
      spans.set(decodeText(meta), { windowStart: meta.int(), departures: meta.uint() });
    }
    const names = section('NAME');
    const trips = section('TRIP');
    const stops = decodeNames(names);
    const footpaths = yield* footpathSteps(section('FOOT'), stops.length);
    const windows = new Map<string, CountyTransit>();
    for (const [name, span] of spans) {
      const routes = decodeNames(names);
      const timetable = yield* timetableSteps(trips, stops.length, routes.length);
      windows.set(name, { ...span, step, boardSlack, stops, routes, timetable, footpaths });
    }
    if (!trips.done) throw new RangeError('has bytes left over');
    return {
      windows,
      counts: { origins, blocks, pois },
      directory: new RowDirectory(section('RDIR'), origins + blocks + pois, rows),
      bytes: head.length,
    };
  } catch (error) {
    throw decodingError(ref.name, 'head', error);
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

function decodeNames(reader: VarintReader): string[] {
  const count = reader.uint();
  if (count > reader.left) throw new RangeError(`counts ${count} names`);
  return Array.from({ length: count }, () => decodeText(reader));
}

const DECODER = new TextDecoder();

function decodeText(reader: VarintReader): string {
  return DECODER.decode(reader.bytes(reader.uint()));
}

/** Stops whose footpaths are decoded in one step. */
const STOPS_PER_STEP = 256;

function* footpathSteps(
  reader: VarintReader,
  stopCount: number,
): Generator<undefined, Footpaths, undefined> {
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
    if (stop % STOPS_PER_STEP === 0) yield;
  }
  return { first, ways: Int32Array.from(ways) };
}
