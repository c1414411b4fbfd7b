import FlatQueue from 'flatqueue';
import type { Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { type Feed, type FeedStop, LOCATION } from './feed.ts';
import { FEED_LIMITS } from './limits.ts';

/** Where one gets from the streets to a stop, and how long that takes inside the station. */
export interface Door {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly secondsIn: number;
  readonly secondsOut: number;
}

/**
 * The doors of a feed's stops: where its station's pathways are given, the entrances they lead to;
 * else the stop itself.
 */
export class StationDoors {
  readonly #feed: Feed;
  /** Ways on from each place in a station, with and against their direction. */
  readonly #onward = new Map<string, [to: string, seconds: number][]>();
  readonly #backward = new Map<string, [to: string, seconds: number][]>();

  /** Along pathways, on behalf of all stops. */
  #steps = 0;

  constructor(feed: Feed) {
    this.#feed = feed;
    const add = (ways: Map<string, [string, number][]>, from: string, to: string, s: number) => {
      const known = ways.get(from);
      if (known) known.push([to, s]);
      else ways.set(from, [[to, s]]);
    };
    for (const { from, to, seconds, bothWays } of feed.pathways) {
      add(this.#onward, from, to, seconds);
      add(this.#backward, to, from, seconds);
      if (bothWays) {
        add(this.#onward, to, from, seconds);
        add(this.#backward, from, to, seconds);
      }
    }
  }

  of(stop: FeedStop): Door[] {
    const itself = [{ lon: stop.lon, lat: stop.lat, secondsIn: 0, secondsOut: 0 }];
    if (!this.#onward.has(stop.id) && !this.#backward.has(stop.id)) return itself;
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
    return doors.length > 0 ? doors : itself;
  }

  /** Seconds inside the station from a stop to each other place its pathways lead to. */
  within(stop: FeedStop): ReadonlyMap<string, number> {
    return this.#shortest(this.#onward, stop.id);
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
