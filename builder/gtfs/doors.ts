import type { Degrees } from '../../shards/units.ts';
import { type Feed, type FeedStop, LOCATION } from './feed.ts';

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

  constructor(feed: Feed) {
    this.#feed = feed;
    const add = (ways: Map<string, [string, number][]>, from: string, to: string, s: number) =>
      ways.set(from, [...(ways.get(from) ?? []), [to, s]]);
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
    const out = shortest(this.#onward, stop.id);
    const into = shortest(this.#backward, stop.id);
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
    return shortest(this.#onward, stop.id);
  }
}

/** Relaxed to the end: a station has some dozens of places. */
function shortest(ways: ReadonlyMap<string, readonly [string, number][]>, start: string) {
  const seconds = new Map([[start, 0]]);
  const queue = [start];
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    for (const [next, more] of ways.get(place) ?? []) {
      const time = seconds.get(place)! + more;
      if (time >= (seconds.get(next) ?? Number.POSITIVE_INFINITY)) continue;
      seconds.set(next, time);
      queue.push(next);
    }
  }
  return seconds;
}
