import {
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
  type TripContinuation,
} from '../../shards/transit/timetable.ts';
import { MILLIS_PER_MINUTE } from '../routing-parameters.ts';
import type { StopWalk, TransferRule } from './build-footpaths.ts';
import type { FeedDay, StopOfFeed, WalkOfFeed } from './feed-day.ts';
import type { SearchedWindow } from './transit-region.ts';
import type { TransitStop } from './transit-stop.ts';

/**
 * The public transport of a build in a window of departures, before it is linked to the streets.
 * The windows of a build have one numbering of stops, and the same walks and rules between them.
 */
export interface Transit {
  readonly window: SearchedWindow;
  readonly stops: readonly TransitStop[];
  readonly timetable: Timetable;
  /** The names of routes, by their ordinals in the timetable. */
  readonly routes: readonly string[];
  readonly rules: readonly TransferRule[];
  /** Walks inside stations, from their pathways or assumed. */
  readonly insideWalks: readonly StopWalk[];
  /**
   * Departures in the window from each stop, by feed, line and direction; null for a stop at which
   * no trip of the window calls.
   */
  readonly departures: readonly (ReadonlyMap<string, number> | null)[];
}

/**
 * Public transport according to the feeds alone, before levels of platforms are added from the map.
 */
export interface TransitOfFeeds extends Omit<Transit, 'stops' | 'insideWalks'> {
  readonly stops: readonly StopOfFeed[];
  readonly insideWalks: readonly WalkOfFeed[];
}

/** The feeds that are read for a window, by an identity that they keep in other windows. */
export interface FeedsOfWindow {
  readonly window: SearchedWindow;
  readonly feeds: ReadonlyMap<string, FeedDay>;
}

/**
 * Joins the feeds of each window into a timetable, with one numbering of stops for all windows. A
 * line that two feeds list is two lines, since both may list the same departures.
 */
export function joinFeeds(windows: readonly FeedsOfWindow[]): TransitOfFeeds[] {
  const ids = [...new Set(windows.flatMap(({ feeds }) => [...feeds.keys()]))];
  const { stops, numbers, rules, insideWalks } = numberStops(ids, windows);
  return windows.map(({ window, feeds }) => {
    const trips: ScheduledTrip[] = [];
    const routes: string[] = [];
    const continuations: TripContinuation[] = [];
    const departures = stops.map((): ReadonlyMap<string, number> | null => null);
    const opens = stops.map(({ stop, from }) => {
      return stop.windowStart + (window.opens - from.opens) * MILLIS_PER_MINUTE;
    });
    for (const [ordinal, id] of ids.entries()) {
      const feed = feeds.get(id);
      if (feed === undefined) continue;
      const numberOf = numbers.get(feed)!;
      const firstRoute = routes.length;
      const own = feed.trips.map((trip) => ({
        ...trip,
        stops: trip.stops.map((stop) => numberOf[stop]),
        route: firstRoute + trip.route,
      }));
      for (const trip of own) trips.push(trip);
      for (const route of feed.routes) routes.push(route);
      for (const [from, to] of feed.continuations) continuations.push([own[from], own[to]]);
      for (const [i, counts] of feed.departures.entries()) {
        const stop = numberOf[i];
        opens[stop] = feed.stops[i].windowStart;
        departures[stop] = new Map([...counts].map(([line, n]) => [`${ordinal}\0${line}`, n]));
      }
    }
    return {
      window,
      stops: stops.map(({ stop }, i) => ({ ...stop, windowStart: opens[i] })),
      timetable: buildTimetable(stops.length, trips, continuations),
      routes,
      rules,
      insideWalks,
      departures,
    };
  });
}

/**
 * Numbers the stops of some feeds, each once, though several windows have it, with the rules and
 * the walks between them. Where windows differ in these, the first one counts.
 */
function numberStops(ids: readonly string[], windows: readonly FeedsOfWindow[]) {
  const stops: { readonly stop: StopOfFeed; readonly from: SearchedWindow }[] = [];
  const numbers = new Map<FeedDay, readonly number[]>();
  const rules: TransferRule[] = [];
  const insideWalks: WalkOfFeed[] = [];
  for (const id of ids) {
    const known = new Map<string, number>();
    const ruled = new Set<string>();
    const walked = new Set<string>();
    for (const { window, feeds } of windows) {
      const feed = feeds.get(id);
      if (feed === undefined) continue;
      const numberOf = feed.stops.map((stop) => {
        const number = known.get(stop.id) ?? stops.push({ stop, from: window }) - 1;
        known.set(stop.id, number);
        return number;
      });
      numbers.set(feed, numberOf);
      const addNew = <W extends Way>(ways: readonly W[], to: W[], seen: Set<string>) => {
        const numbered = ways.map((way) => {
          return { ...way, from: numberOf[way.from], to: numberOf[way.to] };
        });
        const added = numbered.filter((way) => !seen.has(`${way.from} ${way.to}`));
        for (const way of added) to.push(way);
        for (const way of added) seen.add(`${way.from} ${way.to}`);
      };
      addNew(feed.rules, rules, ruled);
      addNew(feed.insideWalks, insideWalks, walked);
    }
  }
  return { stops, numbers, rules, insideWalks };
}

/** A way from one stop to another, by their numbers. */
interface Way {
  readonly from: number;
  readonly to: number;
}
