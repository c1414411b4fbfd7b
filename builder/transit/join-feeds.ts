import {
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
  type TripContinuation,
} from '../../shards/transit/timetable.ts';
import type { StopWalk, TransferRule } from './build-footpaths.ts';
import type { FeedDay, StopOfFeed, WalkOfFeed } from './feed-day.ts';
import type { TransitStop } from './transit-stop.ts';

/** The public transport of a build, before it is linked to the streets. */
export interface Transit {
  readonly stops: readonly TransitStop[];
  readonly timetable: Timetable;
  /** The names of routes, by their ordinals in the timetable. */
  readonly routes: readonly string[];
  readonly rules: readonly TransferRule[];
  /** Walks inside stations, from their pathways or assumed. */
  readonly insideWalks: readonly StopWalk[];
  /** Departures in the window from each stop, by feed, line and direction. */
  readonly departures: readonly ReadonlyMap<string, number>[];
}

/**
 * Public transport according to the feeds alone, before levels of platforms are added from the map.
 */
export interface TransitOfFeeds extends Omit<Transit, 'stops' | 'insideWalks'> {
  readonly stops: readonly StopOfFeed[];
  readonly insideWalks: readonly WalkOfFeed[];
}

/**
 * Joins several feeds into one timetable with one numbering. A line that two feeds list is two
 * lines, since both may list the same departures.
 */
export function joinFeeds(feeds: readonly FeedDay[]): TransitOfFeeds {
  const stops: StopOfFeed[] = [];
  const trips: ScheduledTrip[] = [];
  const routes: string[] = [];
  const continuations: TripContinuation[] = [];
  const rules: TransferRule[] = [];
  const insideWalks: WalkOfFeed[] = [];
  const departures: ReadonlyMap<string, number>[] = [];
  for (const [ordinal, feed] of feeds.entries()) {
    const first = stops.length;
    const renumbered = <T extends { readonly from: number; readonly to: number }>(way: T): T => ({
      ...way,
      from: first + way.from,
      to: first + way.to,
    });
    const firstRoute = routes.length;
    const own = feed.trips.map((trip) => ({
      ...trip,
      stops: trip.stops.map((s) => first + s),
      route: firstRoute + trip.route,
    }));
    for (const stop of feed.stops) stops.push(stop);
    for (const trip of own) trips.push(trip);
    for (const route of feed.routes) routes.push(route);
    for (const [from, to] of feed.continuations) continuations.push([own[from], own[to]]);
    for (const rule of feed.rules) rules.push(renumbered(rule));
    for (const walk of feed.insideWalks) insideWalks.push(renumbered(walk));
    for (const counts of feed.departures) {
      departures.push(new Map([...counts].map(([line, n]) => [`${ordinal}\0${line}`, n])));
    }
  }
  const timetable = buildTimetable(stops.length, trips, continuations);
  return { stops, timetable, routes, rules, insideWalks, departures };
}
