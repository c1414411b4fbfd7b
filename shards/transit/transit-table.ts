import type { VarintReader } from '../codec/varint.ts';
import { Turns } from '../concurrency/turns.ts';
import { decodingError } from '../errors.ts';
import { BASE_WINDOW } from '../services.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { ObjectHead, type StoredRows } from '../store/stored-rows.ts';
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
  readonly #rows: StoredRows;
  readonly #headBytes: Bytes;
  readonly #stopCount: number;

  private constructor(head: TransitHead) {
    this.windows = head.windows;
    this.counts = head.counts;
    this.#rows = head.rows;
    this.#headBytes = head.bytes;
    this.#stopCount = [...head.windows.values()][0].stops.length;
  }

  static async open(
    source: RangeSource,
    ref: ObjectRef,
    turns = Turns.SHARED,
  ): Promise<TransitTable> {
    const head = await ObjectHead.read(source, ref, TRANSIT_KIND);
    return new TransitTable(await turns.run(headSteps(head)));
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
      this.#headBytes + this.#rows.byteLength + this.#stopCount * 100,
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
    await this.#decoded(0, this.#rows.count);
  }

  async #row(ordinal: number): Promise<StopWalks> {
    return (await this.#decoded(ordinal, ordinal + 1))[0];
  }

  #decoded(first: number, end: number): Promise<StopWalks[]> {
    const decode = (row: VarintReader) => decodeWalks(row, this.#stopCount);
    return this.#rows.decoded(first, end, decode, { stops: [], times: [] });
  }
}

/** Everything before the rows of a transit object, decoded. */
interface TransitHead {
  readonly windows: ReadonlyMap<string, CountyTransit>;
  readonly counts: TransitRowCounts;
  readonly rows: StoredRows;
  readonly bytes: Bytes;
}

/** Decodes a head in steps, since that of a large city takes many milliseconds. */
function* headSteps(head: ObjectHead): Generator<undefined, TransitHead, undefined> {
  try {
    const meta = head.reader('META');
    const windowStart = meta.int();
    const [departures, step, boardSlack, origins, blocks, pois] = Array.from({ length: 6 }, () =>
      meta.uint(),
    );
    const spans = new Map([[BASE_WINDOW.name as string, { windowStart, departures }]]);
    while (!meta.done) {
      spans.set(meta.text(), { windowStart: meta.int(), departures: meta.uint() });
    }
    const names = head.reader('NAME');
    const trips = head.reader('TRIP');
    const stops = names.texts('names');
    const footpaths = yield* footpathSteps(head.reader('FOOT'), stops.length);
    const windows = new Map<string, CountyTransit>();
    for (const [name, span] of spans) {
      const routes = names.texts('names');
      const timetable = yield* timetableSteps(trips, stops.length, routes.length);
      windows.set(name, { ...span, step, boardSlack, stops, routes, timetable, footpaths });
    }
    if (!trips.done) throw new RangeError('has bytes left over');
    return {
      windows,
      counts: { origins, blocks, pois },
      rows: head.rows(origins + blocks + pois),
      bytes: head.bytes.length,
    };
  } catch (error) {
    throw decodingError(head.ref.name, 'head', error);
  }
}

function decodeWalks(reader: VarintReader, stopCount: number): StopWalks {
  const count = reader.count('walks');
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

const STOPS_PER_STEP = 256;

function* footpathSteps(
  reader: VarintReader,
  stopCount: number,
): Generator<undefined, Footpaths, undefined> {
  const first = new Int32Array(stopCount + 1);
  const ways: number[] = [];
  for (let stop = 0; stop < stopCount; stop++) {
    const count = reader.count('footpaths');
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
