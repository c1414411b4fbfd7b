import type { BlockOrdinal, Millis } from '../../shards/units.ts';
import { PERCENTILE_INDEX, ROUTING } from '../routing-parameters.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { unpackLink } from '../streets/street-world.ts';
import { DoorToDoor } from '../transit/door-to-door.ts';
import type { TransitWorld } from '../transit/transit-world.ts';
import { TripSearch } from '../transit/trip-search.ts';
import { BLOCK_LIMIT, DESTINATION_LIMIT, type Reached, WithinLimits } from './reached.ts';
import type { SearchWorld } from './search-world.ts';

/**
 * Searches from one block at a time by every mode, and looks only at what is reached from there. One
 * instance serves one thread.
 */
export class OriginSearch {
  readonly #world: SearchWorld;
  readonly #walk: StreetSearch;
  readonly #bike: StreetSearch;
  readonly #transit: TransitSearch | null;
  readonly #within: readonly WithinLimits[];
  /** By mode. */
  readonly reached: readonly Reached[];

  constructor(world: SearchWorld) {
    this.#world = world;
    this.#walk = new StreetSearch(world.walk.graph, world.walk.terminals, BLOCK_LIMIT);
    this.#bike = new StreetSearch(world.bike.graph, world.bike.terminals, BLOCK_LIMIT);
    this.#transit = world.transit && new TransitSearch(world, world.transit);
    const searches = [this.#walk, this.#bike, ...(this.#transit ? [this.#transit] : [])];
    this.#within = searches.map(({ times }) => new WithinLimits(world, times));
    this.reached = this.#within;
  }

  /**
   * Fills `reached` from a block, which is within no time of itself, and of what it is inside of, where
   * it is linked at all.
   */
  run(block: BlockOrdinal, windowStart: Millis): void {
    const { walk, bike, destinations, firstInside, inside } = this.#world;
    const walkFrom = unpackLink(walk.blockLinks, block);
    if (walkFrom) this.#walk.run(walkFrom);
    else this.#walk.clear();
    const bikeFrom = unpackLink(bike.blockLinks, block);
    const rideFrom = unpackLink(bike.rideLinks, block);
    if (bikeFrom && rideFrom) this.#bike.run(bikeFrom, rideFrom);
    else if (bikeFrom) this.#bike.run(bikeFrom);
    else this.#bike.clear();
    const here = inside.subarray(firstInside[block], firstInside[block + 1]);
    for (const target of [destinations + block, ...here]) {
      if (walkFrom) this.#walk.settle(target, 0);
      if (bikeFrom) this.#bike.settle(target, 0);
    }
    const [walked, ridden, byTransit] = this.#within;
    walked.take(this.#walk.reached, this.#walk.reachedCount);
    ridden.take(this.#bike.reached, this.#bike.reachedCount);
    if (!this.#transit) return;
    this.#transit.run(this.#walk, walked, windowStart);
    byTransit.take(this.#transit.reached, this.#transit.reachedCount);
  }
}

/** Transit on top of a finished walk search. */
class TransitSearch {
  readonly #search: TripSearch;
  readonly #doorToDoor: DoorToDoor;
  readonly #destinations: number;
  readonly #targets: number;
  readonly #accessStops: Int32Array;
  readonly #accessTimes: Int32Array;
  /** Targets with a time, in no order, some twice: the first `reachedCount`. */
  readonly reached: Uint32Array;
  readonly times: Int32Array;
  reachedCount = 0;

  constructor(world: SearchWorld, { timetable, transfers, egress }: TransitWorld) {
    const { departures, departureStep, boardSlack } = ROUTING.transit;
    this.#search = new TripSearch(timetable, transfers, {
      departures,
      step: departureStep,
      boardSlack,
      limit: BLOCK_LIMIT,
    });
    this.#destinations = world.destinations;
    this.#targets = world.destinations + world.blocks;
    this.#doorToDoor = new DoorToDoor(egress, { departures, index: PERCENTILE_INDEX });
    this.#accessStops = new Int32Array(timetable.stopCount);
    this.#accessTimes = new Int32Array(timetable.stopCount);
    this.reached = new Uint32Array(2 * this.#targets);
    this.times = new Int32Array(this.#targets).fill(BLOCK_LIMIT + 1);
  }

  run(walk: StreetSearch, walked: Reached, windowStart: Millis): void {
    this.#beginWith(walked);
    let access = 0;
    for (let i = 0; i < walk.reachedCount; i++) {
      const target = walk.reached[i];
      if (target < this.#targets || walk.times[target] > ROUTING.transit.maxWalkLeg) continue;
      this.#accessStops[access] = target - this.#targets;
      this.#accessTimes[access++] = walk.times[target];
    }
    if (access === 0) return;
    const search = this.#search;
    const stops = search.run(
      this.#accessStops.subarray(0, access),
      this.#accessTimes.subarray(0, access),
      windowStart,
    );
    if (stops === 0) return;
    const limits = [DESTINATION_LIMIT, BLOCK_LIMIT] as const;
    const { lowered } = this.#doorToDoor;
    const split = this.#destinations;
    const count = this.#doorToDoor.lower(search, stops, windowStart, this.times, split, limits);
    this.reached.set(lowered.subarray(0, count), this.reachedCount);
    this.reachedCount += count;
  }

  /** Walking all the way takes as long as it takes; what the run before found is forgotten. */
  #beginWith({ targets, count, times }: Reached): void {
    for (let i = 0; i < this.reachedCount; i++) this.times[this.reached[i]] = BLOCK_LIMIT + 1;
    for (let i = 0; i < count; i++) this.times[targets[i]] = times[targets[i]];
    this.reached.set(targets.subarray(0, count));
    this.reachedCount = count;
  }
}
