import path from 'node:path';
import type { FeedFacts } from '../../shards/manifest.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { StationDoors } from '../gtfs/doors.ts';
import { type Feed, type FeedStop, LOCATION, readFeed } from '../gtfs/feed.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import { chooseServiceDays, type ServiceDays } from '../gtfs/service-day.ts';
import {
  dateOf,
  dayNumber,
  isoDate,
  offsetAtNoon,
  type ServiceDate,
} from '../gtfs/service-time.ts';
import { readTrips, type TripRun } from '../gtfs/trips.ts';
import { fingerprint } from '../inputs/fingerprint.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { TransferRule } from './footpaths.ts';
import {
  ALIGHT,
  BOARD,
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
  type TransitStop,
} from './timetable.ts';

/** The public transport of a build, before it meets the streets. */
export interface Transit {
  readonly stops: readonly TransitStop[];
  readonly timetable: Timetable;
  readonly rules: readonly TransferRule[];
  /** Times inside stations where pathways give them: ordinals and milliseconds. */
  readonly insideWalks: readonly {
    readonly from: StopOrdinal;
    readonly to: StopOrdinal;
    readonly time: Millis;
  }[];
  /** Departures in the window from each stop. */
  readonly departures: Int32Array;
  /** Null where no feed was read. */
  readonly serviceDate: string | null;
  readonly feeds: readonly FeedFacts[];
}

/** Of a region that no feed serves. */
export const WITHOUT_STOPS: Transit = {
  stops: [],
  timetable: buildTimetable(0, []),
  rules: [],
  insideWalks: [],
  departures: new Int32Array(0),
  serviceDate: null,
  feeds: [],
};

const SECOND = 1000;
const SECONDS_PER_DAY = 86_400;
const { windowStart, departures: WINDOW_DEPARTURES, departureStep } = ROUTING.transit;
const WINDOW = WINDOW_DEPARTURES * departureStep;

/**
 * Reads feeds on their service days into one timetable. Trips of the night before that still run in
 * the window are in it. Throws a `BuildError` for a feed that cannot be used.
 */
export async function readTransit(
  paths: readonly string[],
  askedDate: ServiceDate | null,
  progress: Progress,
): Promise<Transit> {
  const stage = progress.start('transit', paths.length, 'feeds');
  const feeds: Feed[] = [];
  try {
    const digests = await distinctFeeds(paths);
    for (const feed of paths) feeds.push(await readFeed(feed));
    const days = chooseServiceDays(feeds, askedDate, progress);
    const assembly = new TransitAssembly(feeds, days);
    for (const [i, feed] of feeds.entries()) {
      await assembly.add(feed, days.byFeed[i], { path: paths[i], sha256: digests[i] });
      feed.report.noteProblems(paths[i], progress);
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

/** Digests of feeds, which must be different ones: trips of one given twice would run twice. */
async function distinctFeeds(paths: readonly string[]): Promise<string[]> {
  const digests: string[] = [];
  for (const feed of paths) {
    const digest = await fingerprint([feed]);
    const known = digests.indexOf(digest);
    if (known !== -1) {
      throw new BuildError(`${feed}: is the same feed as ${paths[known]}; give it once`);
    }
    digests.push(digest);
  }
  return digests;
}

/** Gathers stops and trips of several feeds under one numbering and one clock. */
class TransitAssembly {
  readonly #days: ServiceDays;
  /** Seconds that the reference clock is ahead of UTC: that of the feed with most trips. */
  readonly #referenceOffset: number;
  /** When the first window opens in any feed's zone, and the last trip from one must have begun. */
  readonly #earliest: Millis;
  readonly #latest: Millis;
  readonly #stops: TransitStop[] = [];
  readonly #departures: number[] = [];
  readonly #trips: ScheduledTrip[] = [];
  readonly #rules: TransferRule[] = [];
  readonly #insideWalks: { from: StopOrdinal; to: StopOrdinal; time: Millis }[] = [];
  readonly #facts: FeedFacts[] = [];

  constructor(feeds: readonly Feed[], days: ServiceDays) {
    this.#days = days;
    const size = (feed: Feed) => [...feed.tripsOfService.values()].reduce((a, b) => a + b, 0);
    const largest = feeds.reduce((best, feed) => (size(feed) > size(best) ? feed : best));
    this.#referenceOffset = offsetAtNoon(largest.timeZone, days.common);
    const opens = feeds.map(({ timeZone }) => windowStart + this.#shiftOf(timeZone) * SECOND);
    this.#earliest = Math.min(...opens);
    this.#latest = Math.max(...opens) + WINDOW + ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;
  }

  /**
   * Seconds from a zone's clock to the reference clock, both of the common day: eight o'clock in
   * July is eight o'clock beside trains that are read in November.
   */
  #shiftOf(timeZone: string): number {
    return this.#referenceOffset - offsetAtNoon(timeZone, this.#days.common);
  }

  async add(feed: Feed, day: ServiceDate, file: { path: string; sha256: string }): Promise<void> {
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
    for (const { run, shift: by } of inWindow) this.#addTrip(run, by, ordinals, opens);
    this.#addRules(feed, ordinals);
    this.#facts.push({
      agency: feed.agency,
      file: path.basename(file.path),
      feed_id: feed.feedId,
      sha256: file.sha256,
      time_zone: feed.timeZone,
      service_date: isoDate(day),
      runs_on_common_day: day === this.#days.common,
      trips_in_window: inWindow.length,
      problems: [...feed.report.problems],
    });
  }

  #addStops(feed: Feed, runs: readonly TripRun[], opens: Millis): ReadonlyMap<string, StopOrdinal> {
    const used = new Set<string>();
    for (const run of runs) for (const { stop } of run.calls) used.add(stop);
    const doors = new StationDoors(feed);
    const ordinals = new Map<string, StopOrdinal>();
    for (const id of [...used].sort()) {
      const stop = feed.stops.get(id)!;
      ordinals.set(id, this.#stops.length);
      this.#departures.push(0);
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
      for (const [other, seconds] of doors.within(feed.stops.get(id)!)) {
        const to = ordinals.get(other);
        if (to !== undefined && to !== from) {
          this.#insideWalks.push({ from, to, time: Math.round(seconds * SECOND) });
        }
      }
    }
    return ordinals;
  }

  #addTrip(run: TripRun, shift: number, ordinals: ReadonlyMap<string, StopOrdinal>, opens: Millis) {
    const stops = run.calls.map(({ stop }) => ordinals.get(stop)!);
    const departures = run.departures.map((time) => (time + shift) * SECOND);
    this.#trips.push({
      stops,
      rules: run.calls.map(({ board, alight }) => (board ? BOARD : 0) | (alight ? ALIGHT : 0)),
      arrivals: run.arrivals.map((time) => (time + shift) * SECOND),
      departures,
    });
    run.calls.forEach(({ board }, i) => {
      const isLast = i === stops.length - 1;
      if (board && !isLast && departures[i] >= opens && departures[i] < opens + WINDOW) {
        this.#departures[stops[i]]++;
      }
    });
  }

  /** A rule for a station holds for each of its stops. */
  #addRules(feed: Feed, ordinals: ReadonlyMap<string, StopOrdinal>): void {
    const children = new Map<string, number[]>();
    for (const [id, ordinal] of ordinals) {
      for (const name of new Set([id, feed.stops.get(id)!.parent])) {
        const known = children.get(name);
        if (known) known.push(ordinal);
        else children.set(name, [ordinal]);
      }
    }
    let pairs = 0;
    for (const { from, to, forbidden, minSeconds } of feed.transfers) {
      const [froms, tos] = [children.get(from) ?? [], children.get(to) ?? []];
      pairs += froms.length * tos.length;
      if (pairs > FEED_LIMITS.transferRules) {
        throw new BuildError(
          `${feed.source.path}: transfers.txt: with that from ${from} to ${to}, its rules are for more than ${FEED_LIMITS.transferRules} pairs of stops; leave out those that say nothing`,
        );
      }
      for (const a of froms) {
        for (const b of tos) {
          this.#rules.push({ from: a, to: b, forbidden, minimum: minSeconds * SECOND });
        }
      }
    }
  }

  finish(): Transit {
    return {
      stops: this.#stops,
      timetable: buildTimetable(this.#stops.length, this.#trips),
      rules: this.#rules,
      insideWalks: this.#insideWalks,
      departures: Int32Array.from(this.#departures),
      serviceDate: isoDate(this.#days.common),
      feeds: this.#facts,
    };
  }
}

function stationOf(feed: Feed, stop: FeedStop): FeedStop {
  const parent = feed.stops.get(stop.parent);
  return parent?.type === LOCATION.station ? parent : stop;
}
