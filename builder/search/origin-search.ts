import type { StopWalks } from '../../shards/transit/transit-table.ts';
import type { BlockOrdinal, Millis } from '../../shards/units.ts';
import { rankOfPercentile } from '../routing-parameters.ts';
import { unpackLink } from '../streets/street-region.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { DoorToDoor } from '../transit/door-to-door.ts';
import type { EgressTable } from '../transit/egress.ts';
import { FastestDepartures } from '../transit/fastest-departures.ts';
import { LANES, LaneSearch } from '../transit/lane-search.ts';
import type { TransitRegion } from '../transit/transit-region.ts';
import { BLOCK_LIMIT, DESTINATION_LIMIT, type Reached, WithinLimits } from './reached.ts';
import type { SearchRegion } from './search-region.ts';

/** The searches by transit of some riders. */
interface TransitSearch {
  /** The position among the street modes of the one by which they walk. */
  readonly walk: number;
  readonly toStops: StreetSearch;
  readonly windows: readonly WindowSearch[];
  /** The results by window and percentile. */
  readonly percentiles: readonly PercentileTimes[];
  /** The targets reached from the block last found, by window and percentile. */
  readonly within: readonly WithinLimits[];
  /** The walks to stops from the blocks that are searched together, by lane. */
  readonly access: StopWalks[];
}

/**
 * Searches from blocks by every mode, visiting only what is reached from there. One instance serves
 * one thread.
 */
export class OriginSearch {
  readonly #region: SearchRegion;
  /** By street mode, as in the region. */
  readonly #streets: readonly StreetSearch[];
  readonly #byStreet: readonly WithinLimits[];
  /** By riders, as in the region. */
  readonly #transit: readonly TransitSearch[];
  /** The targets reached from the block last found, by service. */
  readonly reached: readonly Reached[];
  /** Walks to stops from the block last found, by riders. */
  access: readonly StopWalks[] = [];
  readonly #accessStops: Int32Array;
  readonly #accessTimes: Int32Array;

  constructor(region: SearchRegion) {
    this.#region = region;
    this.#streets = region.streets.map(
      ({ graph, targets }) => new StreetSearch(graph, targets, BLOCK_LIMIT),
    );
    this.#byStreet = this.#streets.map(({ times }) => new WithinLimits(region, times));
    this.#transit = region.riders.map((riders) => transitSearch(region, riders));
    const stops = region.riders[0]?.windows[0].timetable.stopCount ?? 0;
    this.#accessStops = new Int32Array(stops);
    this.#accessTimes = new Int32Array(stops);
    const [walked, ridden, ...further] = this.#byStreet;
    const [byTransit = [], stepFree = []] = this.#transit.map(({ within }) => within);
    this.reached = [walked, ridden, ...byTransit, ...further, ...stepFree];
  }

  /**
   * Fills `reached` for one block after another, and calls `found` for each. Transit is searched
   * from many blocks at a time, so blocks in one call take far less time than one by one.
   * `windowStarts`: when each window of departures opens there.
   */
  run(
    blocks: readonly BlockOrdinal[],
    windowStarts: readonly Millis[],
    found: (block: BlockOrdinal) => void,
  ) {
    for (let first = 0; first < blocks.length; first += LANES) {
      const some = blocks.slice(first, first + LANES);
      this.#searchTransit(some, windowStarts);
      for (const [lane, block] of some.entries()) {
        this.#runFrom(block, lane);
        this.access = this.#transit.map(({ access }) => access[lane]);
        found(block);
      }
    }
  }

  /** Searches all windows from up to `LANES` blocks, which walk to the same stops in each. */
  #searchTransit(blocks: readonly BlockOrdinal[], windowStarts: readonly Millis[]): void {
    for (const [lane, block] of blocks.entries()) {
      for (const { walk, toStops, access } of this.#transit) {
        const link = unpackLink(this.#region.streets[walk].blockLinks, block);
        toStops.run(...(link ? [link] : []));
        // As for whole walks, see `#runFrom`.
        if (walk > 0) toStops.delayTo(this.#transit[0].toStops);
        access[lane] = this.#walksToStops(toStops);
      }
    }
    for (const { windows, access } of this.#transit) {
      const some = access.slice(0, blocks.length);
      for (const [w, window] of windows.entries()) window.search(some, windowStarts[w]);
    }
  }

  /** Lists the stops that a search has found within the longest walk to a stop. */
  #walksToStops({ reached, reachedCount, times }: StreetSearch): StopWalks {
    const { destinationCount, blockCount, routing } = this.#region;
    const firstStop = destinationCount + blockCount;
    let count = 0;
    for (let i = 0; i < reachedCount; i++) {
      const target = reached[i];
      if (target < firstStop || times[target] > routing.transit.maxWalkLeg) continue;
      this.#accessStops[count] = target - firstStop;
      this.#accessTimes[count++] = times[target];
    }
    return {
      stops: this.#accessStops.slice(0, count),
      times: this.#accessTimes.slice(0, count),
    };
  }

  /**
   * Searches from a block. A linked block reaches itself, and the destinations that contain it, in
   * no time.
   */
  #runFrom(block: BlockOrdinal, lane: number): void {
    const { streets, destinationCount, firstInside, inside } = this.#region;
    const here = inside.subarray(firstInside[block], firstInside[block + 1]);
    const atOnce = [destinationCount + block, ...here];
    for (const [i, { blockLinks, rideLinks }] of streets.entries()) {
      const from = [unpackLink(blockLinks, block), unpackLink(rideLinks, block)];
      const links = from.filter((link) => link !== null);
      this.#streets[i].run(...links);
      if (links.length > 0) for (const target of atOnce) this.#streets[i].setTime(target, 0);
    }
    const [walk, , ...further] = this.#streets;
    // Their links may be nearer to a target than those of walkers, who could take them too.
    for (const search of further) search.delayTo(walk);
    for (const [i, search] of this.#streets.entries()) {
      this.#byStreet[i].take(search.reached, search.reachedCount);
    }
    for (const { walk, percentiles, within } of this.#transit) {
      for (const [i, times] of percentiles.entries()) {
        times.fillIn(lane, this.#byStreet[walk]);
        within[i].take(times.reached, times.reachedCount);
      }
    }
  }
}

function transitSearch(
  region: SearchRegion,
  { walk, windows: transits }: SearchRegion['riders'][number],
): TransitSearch {
  const { graph, targets } = region.streets[walk];
  const windows = transits.map((transit) => new WindowSearch(region, transit));
  const percentiles = windows.flatMap((window) => window.percentiles);
  return {
    walk,
    toStops: new StreetSearch(graph, targets, region.routing.transit.maxWalkLeg),
    windows,
    percentiles,
    within: percentiles.map(({ times }) => new WithinLimits(region, times)),
    access: [],
  };
}

/** Searches by transit in one window of departures. */
class WindowSearch {
  readonly #search: LaneSearch;
  readonly #fastest: FastestDepartures;
  /** The results by percentile, all of the same search. */
  readonly percentiles: readonly PercentileTimes[];

  constructor(region: SearchRegion, { window, timetable, order, egress }: TransitRegion) {
    const { departureStep: step, boardSlack } = region.routing.transit;
    const { departures } = window;
    const limits = { departures, step, boardSlack, limit: BLOCK_LIMIT };
    const ranks = window.percentiles.map((percentile) => rankOfPercentile(percentile, departures));
    this.#search = new LaneSearch(timetable, order, limits);
    this.#fastest = new FastestDepartures(timetable.stopCount, limits, Math.max(...ranks));
    this.percentiles = ranks.map(
      (rank) => new PercentileTimes(region, egress, this.#fastest, rank),
    );
  }

  /** Searches from up to `LANES` blocks at a time, given their walks to stops. */
  search(access: readonly StopWalks[], windowStart: Millis): void {
    this.#search.begin(windowStart);
    this.#fastest.begin(windowStart);
    for (const [lane, { stops, times }] of access.entries()) this.#search.board(lane, stops, times);
    this.#search.run(this.#fastest);
    for (const one of this.percentiles) one.run();
  }
}

/** The times of one rank among the departures of a search, on top of finished walk searches. */
class PercentileTimes {
  readonly #doorToDoor: DoorToDoor;
  /**
   * Targets with a time, in no order, possibly repeated; only the first `reachedCount` are valid.
   */
  readonly reached: Uint32Array;
  readonly times: Int32Array;
  reachedCount = 0;

  constructor(
    { destinationCount, blockCount }: SearchRegion,
    egress: EgressTable,
    fastest: FastestDepartures,
    rank: number,
  ) {
    this.#doorToDoor = new DoorToDoor(egress, fastest, rank, {
      split: destinationCount,
      limits: [DESTINATION_LIMIT, BLOCK_LIMIT],
    });
    const targets = destinationCount + blockCount;
    this.reached = new Uint32Array(2 * targets);
    this.times = new Int32Array(targets).fill(BLOCK_LIMIT + 1);
  }

  /** Takes the results of the last search. */
  run(): void {
    this.#doorToDoor.run();
  }

  /**
   * Fills `reached` and `times` with the targets reached from the block of a lane, by walking or by
   * transit.
   */
  fillIn(lane: number, walked: Reached): void {
    this.#beginWith(walked);
    const { lowered } = this.#doorToDoor;
    const count = this.#doorToDoor.lower(lane, this.times);
    this.reached.set(lowered.subarray(0, count), this.reachedCount);
    this.reachedCount += count;
  }

  /** Clears earlier results and starts with the times of walking all the way. */
  #beginWith({ targets, count, times }: Reached): void {
    for (let i = 0; i < this.reachedCount; i++) this.times[this.reached[i]] = BLOCK_LIMIT + 1;
    for (let i = 0; i < count; i++) this.times[targets[i]] = times[targets[i]];
    this.reached.set(targets.subarray(0, count));
    this.reachedCount = count;
  }
}
