import type { BlockOrdinal, Millis } from '../../shards/units.ts';
import { MILLIS_PER_MINUTE, PERCENTILE_INDEX, ROUTING } from '../routing-parameters.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { unpackLink } from '../streets/street-world.ts';
import { DoorToDoor } from '../transit/door-to-door.ts';
import type { TransitWorld } from '../transit/transit-world.ts';
import { TripSearch } from '../transit/trip-search.ts';
import type { SearchWorld } from './search-world.ts';

/** How long a row to a destination may be, and one to a block. */
export const DESTINATION_LIMIT: Millis = ROUTING.maxMinutes * MILLIS_PER_MINUTE;
export const BLOCK_LIMIT: Millis = ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;

/** Searches from one block at a time by every mode. One instance serves one thread. */
export class OriginSearch {
  readonly #world: SearchWorld;
  readonly #walk: StreetSearch;
  readonly #bike: StreetSearch;
  readonly #transit: TransitSearch | null;
  /** Milliseconds to each destination and block by each mode; over the limit where not reached. */
  readonly times: readonly Int32Array[];

  constructor(world: SearchWorld) {
    this.#world = world;
    this.#walk = new StreetSearch(world.walk.graph, world.walk.terminals, BLOCK_LIMIT);
    this.#bike = new StreetSearch(world.bike.graph, world.bike.terminals, BLOCK_LIMIT);
    this.#transit = world.transit && new TransitSearch(world, world.transit);
    const street = [this.#walk.times, this.#bike.times];
    this.times = this.#transit ? [...street, this.#transit.times] : street;
  }

  /**
   * Fills `times` from a block, which is within no time of itself, and of what it is inside of, where
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
    this.#transit?.run(this.#walk, windowStart);
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
  readonly times: Int32Array;

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
    this.times = new Int32Array(this.#targets);
  }

  run(walk: StreetSearch, windowStart: Millis): void {
    this.times.set(walk.times.subarray(0, this.#targets));
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
    this.#doorToDoor.lower(search, stops, windowStart, this.times, this.#destinations, [
      DESTINATION_LIMIT,
      BLOCK_LIMIT,
    ]);
  }
}
