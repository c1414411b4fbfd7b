import path from 'node:path';
import type { FeedFacts } from '../../shards/manifest.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';
import { StationDoors } from '../gtfs/doors.ts';
import { type Feed, readFeed } from '../gtfs/feed.ts';
import {
  dateOf,
  dayNumber,
  isoDate,
  offsetAtNoon,
  type ServiceDate,
} from '../gtfs/service-time.ts';
import { type FeedStop, LOCATION } from '../gtfs/stops.ts';
import { readTrips, type TripRun } from '../gtfs/trips.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { DatedFeed, DatedFeeds } from './date-feeds.ts';
import type { StopWalk, TransferRule } from './footpaths.ts';
import {
  ALIGHT,
  BOARD,
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
  type TransitStop,
  type TripLink,
} from './timetable.ts';
import { transferRulesOf } from './transfer-rules.ts';
import { continuationsOf } from './vehicle-continuations.ts';

/** The public transport of a build, before it meets the streets. */
export interface Transit {
  readonly stops: readonly TransitStop[];
  readonly timetable: Timetable;
  readonly rules: readonly TransferRule[];
  /** Walks inside stations, as their pathways give them or as is assumed. */
  readonly insideWalks: readonly StopWalk[];
  /** Departures in the window from each stop, by line and direction. */
  readonly departures: readonly ReadonlyMap<string, number>[];
  readonly serviceDate: string;
  readonly feeds: readonly FeedFacts[];
}

const SECOND = 1000;
const SECONDS_PER_DAY = 86_400;
const { windowStart, departures: WINDOW_DEPARTURES, departureStep } = ROUTING.transit;
const WINDOW = WINDOW_DEPARTURES * departureStep;

/**
 * Reads feeds on their days into one timetable. Trips of the night before that still run in the
 * window are in it. Throws a `BuildError` for a feed that cannot be used.
 */
export async function readTransit(
  { common, feeds: dated }: DatedFeeds,
  progress: Progress,
): Promise<Transit> {
  const stage = progress.start('transit', dated.length, 'feeds');
  const feeds: Feed[] = [];
  try {
    for (const { path } of dated) feeds.push(await readFeed(path));
    const assembly = new TransitAssembly(feeds, common);
    for (const [i, feed] of feeds.entries()) {
      if (dated[i].day === null) continue;
      await assembly.add(feed, { ...dated[i], day: dated[i].day });
      feed.report.noteProblems(dated[i].path, progress);
      stage.at(i + 1);
    }
    const transit = assembly.finish();
    stage.finish(
      `${transit.stops.length} stops, ${transit.timetable.patternCount} patterns, ${transit.feeds.reduce((n, f) => n + f.trips_in_window, 0)} trips in the window of ${transit.serviceDate}`,
    );
    return transit;
  } finally {
    for (const feed of feeds) feed.source.close();
  }
}

/** Gathers stops and trips of several feeds under one numbering and one clock. */
class TransitAssembly {
  readonly #common: ServiceDate;
  /** Seconds that the reference clock is ahead of UTC: that of the feed with most trips. */
  readonly #referenceOffset: number;
  /** When the first window opens in any feed's zone, and the last trip from one must have begun. */
  readonly #earliest: Millis;
  readonly #latest: Millis;
  readonly #stops: TransitStop[] = [];
  readonly #departures: Map<string, number>[] = [];
  readonly #trips: ScheduledTrip[] = [];
  readonly #links: TripLink[] = [];
  readonly #rules: TransferRule[] = [];
  readonly #insideWalks: StopWalk[] = [];
  readonly #facts: FeedFacts[] = [];

  constructor(feeds: readonly Feed[], common: ServiceDate) {
    this.#common = common;
    const size = (feed: Feed) => [...feed.tripsOfService.values()].reduce((a, b) => a + b, 0);
    const largest = feeds.reduce((best, feed) => (size(feed) > size(best) ? feed : best));
    this.#referenceOffset = offsetAtNoon(largest.timeZone, common);
    const opens = feeds.map(({ timeZone }) => windowStart + this.#shiftOf(timeZone) * SECOND);
    this.#earliest = Math.min(...opens);
    this.#latest = Math.max(...opens) + WINDOW + ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;
  }

  /**
   * Seconds from a zone's clock to the reference clock, both of the common day: eight o'clock in
   * July is eight o'clock beside trains that are read in November.
   */
  #shiftOf(timeZone: string): number {
    return this.#referenceOffset - offsetAtNoon(timeZone, this.#common);
  }

  async add(
    feed: Feed,
    { day, patterns, ...file }: DatedFeed & { readonly day: ServiceDate },
  ): Promise<void> {
    const dayBefore = dateOf(dayNumber(day) - 1);
    const runs = await readTrips(feed, [day, dayBefore]);
    const offset = offsetAtNoon(feed.timeZone, day);
    const shift = this.#shiftOf(feed.timeZone);
    const opens = windowStart + shift * SECOND;
    // Between two noons lie 24 hours, or 23 or 25 when the clocks change.
    const yesterday = SECONDS_PER_DAY - offset + offsetAtNoon(feed.timeZone, dayBefore);
    const trips: { run: TripRun; shift: number }[] = [];
    for (const run of runs) {
      if (feed.calendar.runsOn(run.service, day)) trips.push({ run, shift });
      if (feed.calendar.runsOn(run.service, dayBefore)) {
        trips.push({ run, shift: shift - yesterday });
      }
    }
    const inWindow = trips.filter(
      ({ run, shift: by }) =>
        (run.departures[0] + by) * SECOND <= this.#latest &&
        (run.departures[run.departures.length - 1] + by) * SECOND >= this.#earliest,
    );
    const ordinals = this.#addStops(
      feed,
      inWindow.map(({ run }) => run),
      opens,
    );
    const added = inWindow.map(({ run, shift: by }) => ({
      run,
      day: by === shift ? 0 : -1,
      scheduled: this.#addTrip(run, by, ordinals, opens),
    }));
    for (const link of continuationsOf(feed, added)) {
      const [from, to] = link;
      // A vehicle that feeds have stand at its next trip's beginning already is not there before.
      to.arrivals[0] = Math.max(to.arrivals[0], from.arrivals[from.arrivals.length - 1]);
      this.#links.push(link);
    }
    for (const rule of transferRulesOf(feed, ordinals)) this.#rules.push(rule);
    this.#facts.push({
      agency: feed.agency,
      file: path.basename(file.path),
      feed_id: feed.info.feedId,
      sha256: file.sha256,
      time_zone: feed.timeZone,
      service_date: isoDate(day),
      runs_on_common_day: day === this.#common,
      weekday_patterns: [...patterns],
      trips_in_window: inWindow.length,
      problems: [...feed.report.problems],
    });
  }

  #addStops(feed: Feed, runs: readonly TripRun[], opens: Millis): ReadonlyMap<string, StopOrdinal> {
    const used = new Set<string>();
    const atSubways = new Set<string>();
    for (const { calls, route } of runs) {
      for (const { stop } of calls) {
        used.add(stop);
        if (feed.subways.has(route)) atSubways.add(stop);
      }
    }
    const doors = new StationDoors(feed, atSubways);
    const ordinals = new Map<string, StopOrdinal>();
    for (const id of [...used].sort()) {
      const stop = feed.stops.get(id)!;
      ordinals.set(id, this.#stops.length);
      this.#departures.push(new Map());
      const station = stationOf(feed, stop);
      this.#stops.push({
        agency: feed.agency,
        id,
        name: stop.name,
        lon: stop.lon,
        lat: stop.lat,
        station: { id: station.id, name: station.name, lon: station.lon, lat: station.lat },
        doors: doors.of(stop),
        windowStart: opens,
      });
    }
    for (const [id, from] of ordinals) {
      for (const [other, { seconds, secondsOfLevels }] of doors.within(feed.stops.get(id)!)) {
        const to = ordinals.get(other);
        if (to === undefined || to === from) continue;
        const time = Math.round(seconds * SECOND);
        this.#insideWalks.push({ from, to, time, levels: secondsOfLevels * SECOND });
      }
    }
    return ordinals;
  }

  #addTrip(
    run: TripRun,
    shift: number,
    ordinals: ReadonlyMap<string, StopOrdinal>,
    opens: Millis,
  ): ScheduledTrip {
    const stops = run.calls.map(({ stop }) => ordinals.get(stop)!);
    const departures = run.departures.map((time) => (time + shift) * SECOND);
    const trip: ScheduledTrip = {
      stops,
      rules: run.calls.map(({ board, alight }) => (board ? BOARD : 0) | (alight ? ALIGHT : 0)),
      arrivals: run.arrivals.map((time) => (time + shift) * SECOND),
      departures,
    };
    this.#trips.push(trip);
    const line = lineOf(run, this.#stops[stops[stops.length - 1]]);
    run.calls.forEach(({ board }, i) => {
      const isLast = i === stops.length - 1;
      if (board && !isLast && departures[i] >= opens && departures[i] < opens + WINDOW) {
        const ofStop = this.#departures[stops[i]];
        ofStop.set(line, (ofStop.get(line) ?? 0) + 1);
      }
    });
    return trip;
  }

  finish(): Transit {
    return {
      stops: this.#stops,
      timetable: buildTimetable(this.#stops.length, this.#trips, this.#links),
      rules: this.#rules,
      insideWalks: this.#insideWalks,
      departures: this.#departures,
      serviceDate: isoDate(this.#common),
      feeds: this.#facts,
    };
  }
}

/** A line in one of its directions: as the feed tells them, or else by where trips end. */
function lineOf({ route, direction }: TripRun, { agency, station }: TransitStop): string {
  return [agency, route, direction || `to ${station.id}`].join('\0');
}

function stationOf(feed: Feed, stop: FeedStop): FeedStop {
  const parent = feed.stops.get(stop.parent);
  return parent?.type === LOCATION.station ? parent : stop;
}
