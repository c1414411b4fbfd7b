import FlatQueue from 'flatqueue';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { Feed } from './feed.ts';
import { FEED_LIMITS } from './limits.ts';
import { type FeedStop, LOCATION } from './stops.ts';

const STREET = 0;

/** Where one gets from the streets to a stop, and how long that takes inside the station. */
export interface Door {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly secondsIn: number;
  readonly secondsOut: number;
  /** How much of either is assumed for levels. */
  readonly secondsOfLevels: number;
}

/** A way from one place in a station to another. */
export interface InsideWay {
  readonly seconds: number;
  /** How much of it is assumed for levels. */
  readonly secondsOfLevels: number;
}

const { secondsALevel, subwayLevels } = ROUTING.transit;

/**
 * The doors of a feed's stops: the entrances that pathways lead to from a stop; where they lead to
 * none, the entrances of its station, which are as far as a straight walk, and so are its other
 * platforms; else the stop itself. Without such pathways, each level between street and platform
 * takes some time: as many as the feed tells, or else as many as a platform of a subway is assumed
 * to lie away.
 */
export class StationDoors {
  readonly #feed: Feed;
  readonly #atSubways: ReadonlySet<string>;
  /** Ways on from each place in a station, with and against their direction. */
  readonly #onward = new Map<string, [to: string, seconds: number][]>();
  readonly #backward = new Map<string, [to: string, seconds: number][]>();

  /** Entrances and stops of each station. */
  readonly #entrances = new Map<string, FeedStop[]>();
  readonly #platforms = new Map<string, FeedStop[]>();

  /** `#mappedDoors` of stops it was asked for. */
  readonly #mapped = new Map<string, readonly Door[]>();

  /** Along pathways, on behalf of all stops. */
  #steps = 0;
  /** Doors and straight walks of all stops. */
  #ways = 0;

  /** `atSubways`: ids of the stops that its subways call at. */
  constructor(feed: Feed, atSubways: ReadonlySet<string>) {
    this.#feed = feed;
    this.#atSubways = atSubways;
    const push = <T>(lists: Map<string, T[]>, key: string, value: T) => {
      const known = lists.get(key);
      if (known) known.push(value);
      else lists.set(key, [value]);
    };
    for (const stop of feed.stops.values()) {
      if (stop.parent === '') continue;
      if (stop.type === LOCATION.entrance) push(this.#entrances, stop.parent, stop);
      if (stop.type === LOCATION.stop) push(this.#platforms, stop.parent, stop);
    }
    const add = (ways: Map<string, [string, number][]>, from: string, to: string, s: number) =>
      push(ways, from, [to, s]);
    for (const { from, to, seconds, bothWays } of feed.pathways) {
      add(this.#onward, from, to, seconds);
      add(this.#backward, to, from, seconds);
      if (bothWays) {
        add(this.#onward, to, from, seconds);
        add(this.#backward, from, to, seconds);
      }
    }
  }

  of(stop: FeedStop): readonly Door[] {
    const mapped = this.#mappedDoors(stop);
    if (mapped.length > 0) return mapped;
    const entrances = this.#entrances.get(stop.parent) ?? [stop];
    this.#countWays(stop, entrances.length);
    return entrances.map((entrance) => this.#straightDoor(stop, entrance));
  }

  /** The entrances that pathways lead to. */
  #mappedDoors(stop: FeedStop): readonly Door[] {
    const known = this.#mapped.get(stop.id);
    if (known) return known;
    const out = this.#shortest(this.#onward, stop.id);
    const into = this.#shortest(this.#backward, stop.id);
    const doors: Door[] = [];
    for (const id of [...new Set([...out.keys(), ...into.keys()])].sort()) {
      const { type, lon, lat } = this.#feed.stops.get(id)!;
      if (type !== LOCATION.entrance) continue;
      const never = Number.POSITIVE_INFINITY;
      doors.push({
        lon,
        lat,
        secondsIn: into.get(id) ?? never,
        secondsOut: out.get(id) ?? never,
        secondsOfLevels: 0,
      });
    }
    this.#mapped.set(stop.id, doors);
    return doors;
  }

  /** The ways inside the station from a stop to each other place one gets to in it. */
  within(stop: FeedStop): ReadonlyMap<string, InsideWay> {
    const ways = new Map<string, InsideWay>();
    const platforms = this.#platforms.get(stop.parent) ?? [];
    this.#countWays(stop, platforms.length);
    for (const other of platforms) {
      if (!this.#isStraight(stop, other)) continue;
      const secondsOfLevels = this.#secondsBetween(this.#levelOf(stop), this.#levelOf(other));
      const seconds = straightSeconds(stop, other) + secondsOfLevels;
      ways.set(other.id, { seconds, secondsOfLevels });
    }
    for (const [id, seconds] of this.#shortest(this.#onward, stop.id)) {
      ways.set(id, { seconds, secondsOfLevels: 0 });
    }
    return ways;
  }

  /**
   * Whether one walks straight from one platform of a station to another, and so back: not where both
   * lie in the street, nor where pathways say how either is entered.
   */
  #isStraight(a: FeedStop, b: FeedStop): boolean {
    const isInside =
      this.#entrances.has(a.parent) || this.#levelOf(a) !== STREET || this.#levelOf(b) !== STREET;
    return isInside && [a, b].every((stop) => this.#mappedDoors(stop).length === 0);
  }

  /** Where a platform lies, or is assumed to lie: which way from the street makes no difference. */
  #levelOf({ id, level }: FeedStop): number {
    return level ?? (this.#atSubways.has(id) ? -subwayLevels : STREET);
  }

  #secondsBetween(level: number, other: number): number {
    return Math.abs(level - other) * secondsALevel;
  }

  #straightDoor(stop: FeedStop, entrance: FeedStop): Door {
    const entranceLevel = entrance === stop ? STREET : (entrance.level ?? STREET);
    const secondsOfLevels = this.#secondsBetween(this.#levelOf(stop), entranceLevel);
    const seconds = straightSeconds(stop, entrance) + secondsOfLevels;
    const { lon, lat } = entrance;
    return { lon, lat, secondsIn: seconds, secondsOut: seconds, secondsOfLevels };
  }

  /** By Dijkstra's algorithm. */
  #shortest(ways: ReadonlyMap<string, readonly [string, number][]>, start: string) {
    const seconds = new Map([[start, 0]]);
    const queue = new FlatQueue<string>();
    queue.push(start, 0);
    while (queue.length > 0) {
      const time = queue.peekValue()!;
      const place = queue.pop()!;
      if (time > seconds.get(place)!) continue;
      const onward = ways.get(place) ?? [];
      this.#countSteps(start, 1 + onward.length);
      for (const [next, more] of onward) {
        if (time + more >= (seconds.get(next) ?? Number.POSITIVE_INFINITY)) continue;
        seconds.set(next, time + more);
        queue.push(next, time + more);
      }
    }
    return seconds;
  }

  #countWays({ id }: FeedStop, more: number): void {
    this.#ways += more;
    if (this.#ways <= FEED_LIMITS.stationWays) return;
    throw new BuildError(
      `${this.#feed.source.path}: stops.txt: one station has too many platforms and entrances, ${id} among them; give it fewer, or leave it out of the feed`,
    );
  }

  #countSteps(start: string, more: number): void {
    this.#steps += more;
    if (this.#steps <= FEED_LIMITS.pathwaySteps) return;
    throw new BuildError(
      `${this.#feed.source.path}: pathways.txt joins too many places, ${start} among them, for one station; mend it, or leave it out of the feed`,
    );
  }
}

function straightSeconds(a: FeedStop, b: FeedStop): number {
  return localDistance(a.lon, a.lat, b.lon, b.lat) / ROUTING.walkMetresPerSecond;
}
