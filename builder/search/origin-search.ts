import type { StopWalks } from '../../shards/transit/transit-table.ts';
import type { BlockOrdinal, Millis } from '../../shards/units.ts';
import { PERCENTILE_INDEX, ROUTING } from '../routing-parameters.ts';
import { unpackLink } from '../streets/street-region.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { DoorToDoor } from '../transit/door-to-door.ts';
import { FastestDepartures } from '../transit/fastest-departures.ts';
import { LANES, LaneSearch } from '../transit/lane-search.ts';
import type { TransitRegion } from '../transit/transit-region.ts';
import { BLOCK_LIMIT, DESTINATION_LIMIT, type Reached, WithinLimits } from './reached.ts';
import type { SearchRegion } from './search-region.ts';

const NO_WALKS: StopWalks = { stops: new Int32Array(0), times: new Int32Array(0) };

/**
 * Searches from blocks by every mode, visiting only what is reached from there. One instance serves
 * one thread.
 */
export class OriginSearch {
  readonly #region: SearchRegion;
  readonly #walk: StreetSearch;
  readonly #bike: StreetSearch;
  readonly #transit: TransitSearch | null;
  readonly #within: readonly WithinLimits[];
  /** The targets reached from the block last found, by mode. */
  readonly reached: readonly Reached[];
  /** Walks to stops from the block last found; undefined without transit. */
  access: StopWalks | undefined;

  constructor(region: SearchRegion) {
    this.#region = region;
    this.#walk = new StreetSearch(region.walk.graph, region.walk.targets, BLOCK_LIMIT);
    this.#bike = new StreetSearch(region.bike.graph, region.bike.targets, BLOCK_LIMIT);
    this.#transit = region.transit && new TransitSearch(region, region.transit);
    const searches = [this.#walk, this.#bike, ...(this.#transit ? [this.#transit] : [])];
    this.#within = searches.map(({ times }) => new WithinLimits(region, times));
    this.reached = this.#within;
  }

  /**
   * Fills `reached` for one block after another, and calls `found` for each. Transit is searched
   * from many blocks at a time, so blocks in one call take far less time than one by one.
   */
  run(blocks: readonly BlockOrdinal[], windowStart: Millis, found: (block: BlockOrdinal) => void) {
    for (let first = 0; first < blocks.length; first += LANES) {
      const some = blocks.slice(first, first + LANES);
      this.#transit?.search(some, windowStart);
      for (const [lane, block] of some.entries()) {
        this.#runFrom(block, lane);
        this.access = this.#transit?.access[lane];
        found(block);
      }
    }
  }

  /**
   * Searches from a block. A linked block reaches itself, and the destinations that contain it, in
   * no time.
   */
  #runFrom(block: BlockOrdinal, lane: number): void {
    const { walk, bike, destinationCount, firstInside, inside } = this.#region;
    const walkFrom = unpackLink(walk.blockLinks, block);
    if (walkFrom) this.#walk.run(walkFrom);
    else this.#walk.clear();
    const bikeFrom = unpackLink(bike.blockLinks, block);
    const rideFrom = unpackLink(bike.rideLinks, block);
    if (bikeFrom && rideFrom) this.#bike.run(bikeFrom, rideFrom);
    else if (bikeFrom) this.#bike.run(bikeFrom);
    else this.#bike.clear();
    const here = inside.subarray(firstInside[block], firstInside[block + 1]);
    for (const target of [destinationCount + block, ...here]) {
      if (walkFrom) this.#walk.setTime(target, 0);
      if (bikeFrom) this.#bike.setTime(target, 0);
    }
    const [walked, ridden, byTransit] = this.#within;
    walked.take(this.#walk.reached, this.#walk.reachedCount);
    ridden.take(this.#bike.reached, this.#bike.reachedCount);
    if (!this.#transit) return;
    this.#transit.fillIn(lane, walked);
    byTransit.take(this.#transit.reached, this.#transit.reachedCount);
  }
}

/** Searches by transit, on top of finished walk searches. */
class TransitSearch {
  readonly #region: SearchRegion;
  readonly #toStops: StreetSearch;
  readonly #search: LaneSearch;
  readonly #fastest: FastestDepartures;
  readonly #doorToDoor: DoorToDoor;
  readonly #targets: number;
  /** The walks to stops in the last search, by lane. */
  readonly access: StopWalks[] = [];
  readonly #accessStops: Int32Array;
  readonly #accessTimes: Int32Array;
  /**
   * Targets with a time, in no order, possibly repeated; only the first `reachedCount` are valid.
   */
  readonly reached: Uint32Array;
  readonly times: Int32Array;
  reachedCount = 0;

  constructor(region: SearchRegion, { timetable, order, egress }: TransitRegion) {
    const { departures, departureStep, boardSlack, maxWalkLeg } = ROUTING.transit;
    this.#region = region;
    this.#toStops = new StreetSearch(region.walk.graph, region.walk.targets, maxWalkLeg);
    const limits = { departures, step: departureStep, boardSlack, limit: BLOCK_LIMIT };
    this.#search = new LaneSearch(timetable, order, limits);
    this.#fastest = new FastestDepartures(timetable.stopCount, limits, PERCENTILE_INDEX + 1);
    this.#doorToDoor = new DoorToDoor(egress, this.#fastest, {
      split: region.destinationCount,
      limits: [DESTINATION_LIMIT, BLOCK_LIMIT],
    });
    this.#targets = region.destinationCount + region.blockCount;
    this.#accessStops = new Int32Array(timetable.stopCount);
    this.#accessTimes = new Int32Array(timetable.stopCount);
    this.reached = new Uint32Array(2 * this.#targets);
    this.times = new Int32Array(this.#targets).fill(BLOCK_LIMIT + 1);
  }

  /** Searches from up to `LANES` blocks at a time. */
  search(blocks: readonly BlockOrdinal[], windowStart: Millis): void {
    this.#search.begin(windowStart);
    this.#fastest.begin(windowStart);
    for (const [lane, block] of blocks.entries()) {
      this.access[lane] = NO_WALKS;
      const link = unpackLink(this.#region.walk.blockLinks, block);
      if (!link) continue;
      this.#toStops.run(link);
      this.#board(lane, this.#toStops);
    }
    this.#search.run(this.#fastest);
    this.#doorToDoor.run();
  }

  #board(lane: number, { reached, reachedCount, times }: StreetSearch): void {
    let access = 0;
    for (let i = 0; i < reachedCount; i++) {
      const target = reached[i];
      if (target < this.#targets) continue;
      this.#accessStops[access] = target - this.#targets;
      this.#accessTimes[access++] = times[target];
    }
    const stops = this.#accessStops.slice(0, access);
    const walks = this.#accessTimes.slice(0, access);
    this.access[lane] = { stops, times: walks };
    this.#search.board(lane, stops, walks);
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
