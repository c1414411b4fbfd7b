import Flatbush from 'flatbush';
import { addTo } from '../../shards/arrays/group-by.ts';
import { boxAroundPoint, edgesOf, localDistance } from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { leastCosts } from '../geo/least-costs.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { Feed, RailKind } from './feed.ts';
import { FEED_LIMITS } from './limits.ts';
import { type FeedStop, LOCATION } from './stops.ts';

const STREET = 0;

/** A way into a stop from the streets, according to its feed. */
export interface FeedEntrance {
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** Time inside the station; includes time for levels only along pathways. */
  readonly secondsIn: number;
  readonly secondsOut: number;
  /**
   * The level of the entrance, from which levels to the platform are counted; null if there are
   * none, or if pathways include them.
   */
  readonly level: number | null;
}

export interface FeedIndoorPath {
  /** Walking time; includes time for levels only along pathways. */
  readonly seconds: number;
  /**
   * The course of the path: along pathways; or in a straight line, plus the levels between its
   * ends, either indoors in a station that has entrances, or else only where an end is off the
   * street.
   */
  readonly lies: 'along pathways' | 'indoors' | 'off the street';
}

interface StepFreeWays {
  /** The same stations with all their ways. */
  readonly all: StationEntrances;
  /** Whether an entrance may have a way without steps. */
  readonly isOpen: (entrance: FeedStop) => boolean;
}

/**
 * Finds the entrances of a feed's stops. A stop that is entered from the street (`stop_access=1`)
 * is its own entrance. Other stops have the entrances that pathways connect to them or, if there
 * are none, those of their station. In the latter case, walks to the entrances and to the station's
 * other platforms are straight. A stop without any entrance is entered at the stop itself. Subway
 * platforms without a station count as one station where they are near each other. Levels in
 * between that the feed lacks are added later.
 *
 * Without steps, a stop is entered by the entrances that are not stated to have steps, and, where
 * pathways lead to it, along those without steps only.
 */
export class StationEntrances {
  readonly #feed: Feed;
  readonly #stepFree: StepFreeWays | null;
  readonly #rails: ReadonlyMap<string, RailKind>;
  /** Paths that lead from each location in a station, and paths that lead to it. */
  readonly #onward = new Map<string, [to: string, seconds: number][]>();
  readonly #backward = new Map<string, [to: string, seconds: number][]>();

  readonly #entrances = new Map<string, FeedStop[]>();
  readonly #platforms = new Map<string, FeedStop[]>();
  /** Subway platforms without a station. */
  readonly #alone: readonly FeedStop[];
  readonly #tree: Flatbush | null;

  /** Cache of `#mappedEntrances` by stop. */
  readonly #mapped = new Map<string, readonly FeedEntrance[]>();

  /** Number of steps along pathways so far, for all stops together. */
  #steps = 0;
  /** Number of entrances and straight walks so far, for all stops together. */
  #ways = 0;

  /**
   * `rails`: the kind of rail at each stop on rails, by stop id. With `stepFree`, only ways without
   * steps are found.
   */
  constructor(
    feed: Feed,
    rails: ReadonlyMap<string, RailKind>,
    stepFree: StepFreeWays | null = null,
  ) {
    this.#feed = feed;
    this.#stepFree = stepFree;
    this.#rails = rails;
    for (const stop of feed.stops.values()) {
      if (stop.parent === '') continue;
      if (stop.type === LOCATION.entrance) addTo(this.#entrances, stop.parent, stop);
      if (stop.type === LOCATION.stop) addTo(this.#platforms, stop.parent, stop);
    }
    for (const { from, to, seconds, bothWays, isStepFree } of feed.pathways) {
      if (stepFree && !isStepFree) continue;
      addTo(this.#onward, from, [to, seconds]);
      addTo(this.#backward, to, [from, seconds]);
      if (bothWays) {
        addTo(this.#onward, to, [from, seconds]);
        addTo(this.#backward, from, [to, seconds]);
      }
    }
    const subways = [...rails.keys()].filter((id) => rails.get(id) === 'subway');
    this.#alone = subways.map((id) => feed.stops.get(id)!).filter(({ parent }) => parent === '');
    this.#tree = this.#alone.length === 0 ? null : new Flatbush(this.#alone.length);
    for (const { lon, lat } of this.#alone) this.#tree!.add(lon, lat);
    this.#tree?.finish();
  }

  of(stop: FeedStop): readonly FeedEntrance[] {
    const { lon, lat } = stop;
    const own = { lon, lat, secondsIn: 0, secondsOut: 0, level: STREET };
    if (stop.isDirect) return [{ ...own, level: null }];
    if (this.#isMapped(stop)) return this.#mappedEntrances(stop);
    const entrances = this.#entrances.get(stop.parent) ?? [];
    this.#countWays(stop, 1 + entrances.length);
    return entrances.length === 0
      ? [own]
      : entrances
          .filter((entrance) => this.#isOpen(entrance))
          .map((entrance) => straightEntrance(stop, entrance));
  }

  #isOpen(entrance: FeedStop): boolean {
    return this.#stepFree?.isOpen(entrance) ?? true;
  }

  /** Whether pathways connect a stop to entrances, with or without steps. */
  #isMapped(stop: FeedStop): boolean {
    return (this.#stepFree?.all ?? this).#mappedEntrances(stop).length > 0;
  }

  /** Finds the entrances that pathways connect to a stop, in either direction. */
  #mappedEntrances(stop: FeedStop): readonly FeedEntrance[] {
    const known = this.#mapped.get(stop.id);
    if (known) return known;
    const out = this.#shortest(this.#onward, stop.id);
    const into = this.#shortest(this.#backward, stop.id);
    const entrances: FeedEntrance[] = [];
    for (const id of [...new Set([...out.keys(), ...into.keys()])].sort()) {
      const place = this.#feed.stops.get(id)!;
      if (place.type !== LOCATION.entrance || !this.#isOpen(place)) continue;
      const { lon, lat } = place;
      const never = Number.POSITIVE_INFINITY;
      entrances.push({
        lon,
        lat,
        secondsIn: into.get(id) ?? never,
        secondsOut: out.get(id) ?? never,
        level: null,
      });
    }
    this.#mapped.set(stop.id, entrances);
    return entrances;
  }

  /**
   * Finds the paths inside the station from a stop to each location that can be reached there, by
   * location id.
   */
  within(stop: FeedStop): ReadonlyMap<string, FeedIndoorPath> {
    const ways = new Map<string, FeedIndoorPath>();
    const platforms =
      stop.parent === '' ? this.#near(stop) : (this.#platforms.get(stop.parent) ?? []);
    this.#countWays(stop, platforms.length);
    const all = this.#stepFree?.all;
    const withSteps = all ? all.#shortest(all.#onward, stop.id) : null;
    for (const other of platforms) {
      if (withSteps?.has(other.id)) continue;
      const lies = this.#waysBetween(stop, other);
      if (lies) ways.set(other.id, { seconds: straightSeconds(stop, other), lies });
    }
    for (const [id, seconds] of this.#shortest(this.#onward, stop.id)) {
      ways.set(id, { seconds, lies: 'along pathways' });
    }
    return ways;
  }

  /**
   * Finds the subway platforms without a station near another such platform; none for any other
   * stop.
   */
  #near({ id, lon, lat }: FeedStop): readonly FeedStop[] {
    if (this.#rails.get(id) !== 'subway') return [];
    const { maxPlatformGap } = ROUTING.transit;
    return this.#tree!.search(...edgesOf(boxAroundPoint(lon, lat, maxPlatformGap)))
      .map((index) => this.#alone[index])
      .filter((other) => localDistance(lon, lat, other.lon, other.lat) <= maxPlatformGap);
  }

  /**
   * Returns the kind of straight walk between two platforms, in either direction. Null if both are
   * surely in the street, if either is entered only from the street, or if pathways connect either
   * to entrances.
   */
  #waysBetween(a: FeedStop, b: FeedStop): Exclude<FeedIndoorPath['lies'], 'along pathways'> | null {
    if ([a, b].some((stop) => stop.isDirect || this.#isMapped(stop))) return null;
    if (this.#entrances.has(a.parent)) return 'indoors';
    return [a, b].some((stop) => this.#mayLieOffStreet(stop)) ? 'off the street' : null;
  }

  #mayLieOffStreet({ id, level }: FeedStop): boolean {
    return level === null ? this.#rails.has(id) : level !== STREET;
  }

  /** Finds the shortest times from a location to all others in the station. */
  #shortest(ways: ReadonlyMap<string, readonly [string, number][]>, start: string) {
    return leastCosts(start, (place) => {
      const onward = ways.get(place) ?? [];
      this.#countSteps(start, 1 + onward.length);
      return onward;
    });
  }

  #countWays({ id }: FeedStop, more: number): void {
    this.#ways += more;
    if (this.#ways <= FEED_LIMITS.stationWays) return;
    throw new BuildError(
      `${this.#feed.source.path}: stops.txt: a station has too many platforms and entrances, ${id} among them; reduce them, or remove the station from the feed`,
    );
  }

  #countSteps(start: string, more: number): void {
    this.#steps += more;
    if (this.#steps <= FEED_LIMITS.pathwaySteps) return;
    throw new BuildError(
      `${this.#feed.source.path}: pathways.txt connects too many locations, ${start} among them, for one station; correct it, or remove it from the feed`,
    );
  }
}

function straightEntrance(stop: FeedStop, entrance: FeedStop): FeedEntrance {
  const { lon, lat, level } = entrance;
  const seconds = straightSeconds(stop, entrance);
  const times = { secondsIn: seconds, secondsOut: seconds };
  return { lon, lat, ...times, level: level ?? STREET };
}

function straightSeconds(a: FeedStop, b: FeedStop): number {
  return localDistance(a.lon, a.lat, b.lon, b.lat) / ROUTING.walkMetresPerSecond;
}
