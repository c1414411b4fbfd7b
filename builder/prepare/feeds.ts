import { z } from 'zod';
import { counted } from '../../shards/number-words.ts';
import {
  feedSchema,
  type LeftOutFeed,
  leftOutFeedSchema,
  objectRefSchema,
} from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import type { CellSet } from '../geo/cell-set.ts';
import { isoDate } from '../gtfs/service-time.ts';
import type { WheelchairUnknown } from '../routing-parameters.ts';
import type { DatedFeeds } from '../transit/date-feeds.ts';
import type { FeedDay, StopOfFeed } from '../transit/feed-day.ts';
import type { SearchedWindow } from '../transit/transit-region.ts';
import { wideAreaSchema } from './cells.ts';
import { type PreparationByJobs, type PreparationJob, prepareByJobs } from './preparation.ts';

/** Memory assumed for reading a large feed, of which only the trips of its day are held. */
const FEED_BYTES: Bytes = 200e6;

/** Feeds that are read, and those that turned out to be unusable, by path. */
interface WrittenFeeds {
  readonly prepared: readonly PreparedFeed[];
  readonly unusable: ReadonlyMap<string, LeftOutFeed>;
}

/**
 * Reads feeds for their days once for all units, each by a job, and puts the service of each into
 * the store; with `unknown`, also what riders without steps may use.
 */
export async function writeFeeds(
  { clock, feeds }: DatedFeeds,
  preparation: PreparationByJobs,
  unknown?: WheelchairUnknown,
): Promise<WrittenFeeds> {
  const jobs = feeds.map(({ path: file, ...feed }): PreparationJob => {
    return {
      spec: { kind: 'feed', ...feed, clock, ...(unknown && { wheelchair_unknown: unknown }) },
      paths: [file],
      memory: FEED_BYTES,
      work: 1,
    };
  });
  const stage = preparation.progress.start('transit', jobs.length, 'feeds');
  const read = await prepareByJobs(jobs, feedResultSchema, preparation, stage);
  const prepared: PreparedFeed[] = [];
  const unusable = new Map<string, LeftOutFeed>();
  for (const [i, feed] of read.entries()) {
    if ('feedDay' in feed) prepared.push(feed);
    else unusable.set(feeds[i].path, feed);
  }
  const trips = prepared.reduce((sum, { facts }) => sum + facts.trips_in_window, 0);
  stage.finish(
    `${counted(prepared.length, 'feed')}, ${counted(trips, 'trip')} in the window of ${isoDate(clock.common)}`,
  );
  return { prepared, unusable };
}

/** Facts about a feed that is read, and the reference to its service day in the store. */
export const preparedFeedSchema = z.strictObject({
  facts: feedSchema,
  /** Number of trips, whatever their days, including repetitions by headway. */
  trips: z.int().min(0),
  /** The coarse cells that contain the feed's stops and their entrances, ascending. */
  cells: z.array(z.int()),
  feedDay: objectRefSchema,
  /** The lines of its routes on the ground (`routeLines`); null if there are none. */
  lines: wideAreaSchema.nullable(),
  /** The service for riders without steps; only for a release with step-free transit. */
  stepFreeDay: objectRefSchema.optional(),
});
export type PreparedFeed = z.infer<typeof preparedFeedSchema>;

const feedResultSchema = z.union([preparedFeedSchema, leftOutFeedSchema]);

/** Encodes the service of a feed as JSON, which preserves numbers exactly. */
export function encodeFeedDay({ stops, departures, ...feedDay }: FeedDay): Uint8Array {
  const counts = departures.map((ofStop) => [...ofStop]);
  const text = { ...feedDay, stops: withEntrances(stops, closed), departures: counts };
  return Buffer.from(JSON.stringify(text));
}

/**
 * Stands for infinity, which JSON lacks: the time through an entrance in a direction that it does
 * not permit.
 */
const CLOSED = Number.MAX_VALUE;
const closed = (seconds: number) => Math.min(seconds, CLOSED);
const opened = (seconds: number) => (seconds === CLOSED ? Infinity : seconds);

function withEntrances(
  stops: readonly StopOfFeed[],
  timeOf: (seconds: number) => number,
): StopOfFeed[] {
  return stops.map((stop) => ({
    ...stop,
    entrances: stop.entrances.map(({ secondsIn, secondsOut, ...entrance }) => ({
      ...entrance,
      secondsIn: timeOf(secondsIn),
      secondsOut: timeOf(secondsOut),
    })),
  }));
}

/** The feeds of a window of departures, of which only those within reach are read. */
export class FeedTables {
  readonly window: SearchedWindow;
  readonly #store: Store;
  readonly #prepared: readonly PreparedFeed[];

  constructor(store: Store, prepared: readonly PreparedFeed[], window: SearchedWindow) {
    this.window = window;
    this.#store = store;
    this.#prepared = prepared;
  }

  get count(): number {
    return this.#prepared.length;
  }

  /** Positions of the feeds that have a stop in any of some cells, ascending. */
  near(cells: CellSet): number[] {
    return [...this.#prepared.keys()].filter((feed) =>
      this.#prepared[feed].cells.some((cell) => cells.has(cell)),
    );
  }

  /** Identifies a feed, whatever its window. */
  identityOf(feed: number): string {
    return this.#prepared[feed].facts.sha256;
  }

  read(feed: number): Promise<FeedDay> {
    return this.#read(this.#prepared[feed].feedDay);
  }

  /** Reads the service for riders without steps; null if it was not prepared. */
  async readStepFree(feed: number): Promise<FeedDay | null> {
    const { stepFreeDay } = this.#prepared[feed];
    return stepFreeDay ? this.#read(stepFreeDay) : null;
  }

  async #read(day: ObjectRef): Promise<FeedDay> {
    // The verified hash guarantees that this program wrote these bytes.
    const bytes = await readVerified(this.#store, day);
    const { stops, departures, ...feedDay } = JSON.parse(Buffer.from(bytes).toString());
    const counts = departures.map((ofStop: [string, number][]) => new Map(ofStop));
    return { ...feedDay, stops: withEntrances(stops, opened), departures: counts };
  }
}
