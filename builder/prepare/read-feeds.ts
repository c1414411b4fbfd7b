import { z } from 'zod';
import { feedSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { CellSet } from '../geo/cell-set.ts';
import type { FeedDay, StopOfFeed } from '../transit/feed-day.ts';

/** What is known of a feed that is read, and where what it runs lies in the store. */
export const preparedFeedSchema = z.strictObject({
  facts: feedSchema,
  /** The coarse cells that its stops and their doors lie in, ascending. */
  cells: z.array(z.int()),
  feedDay: objectRefSchema,
});
export type PreparedFeed = z.infer<typeof preparedFeedSchema>;

/** As JSON, in which numbers stay exactly what they are. */
export function encodeFeedDay({ stops, departures, ...feedDay }: FeedDay): Uint8Array {
  const counts = departures.map((ofStop) => [...ofStop]);
  const text = { ...feedDay, stops: withDoors(stops, closed), departures: counts };
  return Buffer.from(JSON.stringify(text));
}

/** In the place of infinity, which JSON does not have: how long a door takes that is no way in, or out. */
const CLOSED = Number.MAX_VALUE;
const closed = (seconds: number) => Math.min(seconds, CLOSED);
const opened = (seconds: number) => (seconds === CLOSED ? Infinity : seconds);

function withDoors(
  stops: readonly StopOfFeed[],
  timeOf: (seconds: number) => number,
): StopOfFeed[] {
  return stops.map((stop) => ({
    ...stop,
    doors: stop.doors.map(({ secondsIn, secondsOut, ...door }) => ({
      ...door,
      secondsIn: timeOf(secondsIn),
      secondsOut: timeOf(secondsOut),
    })),
  }));
}

/** The feeds of a plan, of which only those are read that somebody could use. */
export class FeedTables {
  readonly #store: Store;
  readonly #prepared: readonly PreparedFeed[];

  constructor(store: Store, prepared: readonly PreparedFeed[]) {
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

  async read(feed: number): Promise<FeedDay> {
    // By its hash it is what this program has written.
    const bytes = await readVerified(this.#store, this.#prepared[feed].feedDay);
    const { stops, departures, ...feedDay } = JSON.parse(Buffer.from(bytes).toString());
    const counts = departures.map((ofStop: [string, number][]) => new Map(ofStop));
    return { ...feedDay, stops: withDoors(stops, opened), departures: counts };
  }
}
