import FlatQueue from 'flatqueue';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { ROUTING } from '../routing-parameters.ts';
import { type Feed, type FeedStop, LOCATION } from './feed.ts';
import { FEED_LIMITS } from './limits.ts';

const STREET = 0;

/** Where one gets from the streets to a stop, and how long that takes inside the station. */
export interface Door {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly secondsIn: number;
  readonly secondsOut: number;
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
      });
    }
    this.#mapped.set(stop.id, doors);
    return doors;
  }

  /** Seconds inside the station from a stop to each other place one gets to in it. */
  within(stop: FeedStop): ReadonlyMap<string, number> {
    const isInside = this.#entrances.has(stop.parent) || this.#levelOf(stop) !== STREET;
    const mapped = this.#shortest(this.#onward, stop.id);
    if (this.#mappedDoors(stop).length > 0 || !isInside) return mapped;
    const platforms = this.#platforms.get(stop.parent) ?? [];
    const straight = platforms.map((other): [id: string, seconds: number] => {
      const levels = Math.abs(this.#levelOf(stop) - this.#levelOf(other));
      return [other.id, straightSeconds(stop, other) + levels * secondsALevel];
    });
    return new Map([...straight, ...mapped]);
  }

  /** Where a platform lies, or is assumed to lie: which way from the street makes no difference. */
  #levelOf({ id, level }: FeedStop): number {
    return level ?? (this.#atSubways.has(id) ? -subwayLevels : STREET);
  }

  #straightDoor(stop: FeedStop, entrance: FeedStop): Door {
    const levels = Math.abs(
      this.#levelOf(stop) - (entrance === stop ? STREET : (entrance.level ?? STREET)),
    );
    const seconds = straightSeconds(stop, entrance) + levels * secondsALevel;
    return { lon: entrance.lon, lat: entrance.lat, secondsIn: seconds, secondsOut: seconds };
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
