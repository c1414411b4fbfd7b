import { headwayPhase } from '../../builder/gtfs/frequencies.ts';
import { Dice } from './dice.ts';
import { AGENCY, exception, service } from './feed-records.ts';
import { type FeedRecord, type FeedTables, gtfsTime } from './gtfs-text.ts';
import { drawLine, drawTrip, type Line, runAt, stopTimes } from './random-line.ts';
import type { Point } from './small-city.ts';
import type { InSeat, Run, TransferRule } from './time-expanded.ts';

/** Feeds, and their meaning on the service day as the oracle's input. */
export interface RandomTimetable {
  readonly feeds: readonly FeedTables[];
  readonly runs: readonly Run[];
  readonly rules: readonly TransferRule[];
  readonly inSeat: readonly InSeat[];
  /** The meaning for riders in wheelchairs, and the stops of which the feeds state nothing. */
  readonly inWheelchair: {
    readonly runs: readonly Run[];
    readonly inSeat: readonly InSeat[];
    readonly unknownStops: ReadonlySet<number>;
  };
}

/** A Wednesday. */
export const SERVICE_DATE = '2026-03-11';

const HOUR = 3600;
const DAY = 24 * HOUR;
const TODAY = 0;
const YESTERDAY = -DAY;

/** The days on which each service runs, of the service day and the day before. */
const SERVICES = {
  weekdays: [TODAY, YESTERDAY],
  'added today': [TODAY],
  'not today': [YESTERDAY],
  tuesdays: [YESTERDAY],
  saturdays: [],
  'last year': [],
} as const;
type Service = keyof typeof SERVICES;

const CALENDAR: readonly FeedRecord[] = [
  service('weekdays', '1111100', 20260101, 20261231),
  service('not today', '1111100', 20260101, 20261231),
  service('tuesdays', '0100000', 20260101, 20261231),
  service('saturdays', '0000010', 20260101, 20261231),
  service('last year', '1111100', 20250101, 20251231),
];
const CALENDAR_DATES: readonly FeedRecord[] = [
  exception('added today', 20260311, 1),
  exception('not today', 20260311, 2),
];

/**
 * Random lines between stops: loops, trips that overtake, blank times, headways, boarding and
 * alighting forbidden in places, transfers forbidden or slow, trips of the night before, and
 * services that do not run. Even stops are in the first feed and odd ones in the second, which uses
 * the same ids for other things.
 */
export function randomTimetable(seed: number, stops: readonly Point[]): RandomTimetable {
  const dice = new Dice(seed ^ 0x7ab1e);
  const codes = new Dice(seed ^ 0xacce55);
  const boarding = stops.map(() => wheelchairCode(codes));
  const drafts = [0, 1].map((parity) => new FeedDraft(dice, codes, stops, boarding, parity));
  const runs = drafts.flatMap((draft) => draft.runs);
  const accessible = drafts.flatMap((draft) => draft.accessible);
  const inSeat = drafts.flatMap((draft, i) => {
    const before = i === 0 ? 0 : drafts[0].runs.length;
    return draft.inSeat.map(([from, to]) => [from + before, to + before] as const);
  });
  return {
    feeds: drafts.map((draft) => draft.tables()),
    runs,
    rules: drafts.flatMap(({ rules }) => rules),
    inSeat,
    inWheelchair: {
      runs: runs.map((run, i) =>
        run.map((call) => {
          const isOpen = accessible[i] && boarding[call.stop] !== 2;
          return {
            ...call,
            mayBoard: isOpen && call.mayBoard,
            mayAlight: isOpen && call.mayAlight,
          };
        }),
      ),
      inSeat: inSeat.filter((pair) => pair.every((run) => accessible[run])),
      unknownStops: new Set(boarding.flatMap((code, stop) => (isStated(code) ? [] : [stop]))),
    },
  };
}

/** A value of `wheelchair_boarding` or `wheelchair_accessible`: 2 is not possible. */
type WheelchairCode = '' | 0 | 1 | 2;
const wheelchairCode = (dice: Dice) => dice.pick<WheelchairCode>(['', 0, 1, 1, 1, 2]);
const isStated = (code: WheelchairCode) => code === 1 || code === 2;

/** A trip, its runs by day, and its duration in seconds. */
interface AddedTrip {
  readonly trip: string;
  readonly runOn: ReadonlyMap<number, number>;
  readonly ends: number;
}

/** A feed under construction. */
class FeedDraft {
  readonly runs: Run[] = [];
  readonly rules: TransferRule[] = [];
  readonly inSeat: InSeat[] = [];
  /** For each run, whether it has room for a wheelchair. */
  readonly accessible: boolean[] = [];
  readonly #dice: Dice;
  readonly #codes: Dice;
  readonly #boarding: readonly WheelchairCode[];
  readonly #points: readonly Point[];
  /** Its stops, as indices into `#points`. */
  readonly #stops: readonly number[];
  readonly #lines: readonly Line[];
  readonly #trips: FeedRecord[] = [];
  readonly #stopTimes: FeedRecord[] = [];
  readonly #frequencies: FeedRecord[] = [];
  readonly #transfers: FeedRecord[] = [];

  constructor(
    dice: Dice,
    codes: Dice,
    points: readonly Point[],
    boarding: readonly WheelchairCode[],
    parity: number,
  ) {
    this.#dice = dice;
    this.#codes = codes;
    this.#boarding = boarding;
    this.#points = points;
    this.#stops = points.flatMap((_, stop) => (stop % 2 === parity ? [stop] : []));
    this.#lines = Array.from({ length: 3 + dice.below(4) }, (_, i) =>
      drawLine(dice, `line ${i}`, this.#stops),
    );
    for (const line of this.#lines) {
      const running = dice.chance(0.7) ? 'weekdays' : 'added today';
      if (dice.chance(0.25)) this.#runByHeadway(line, running);
      else this.#runByTimetable(line, running);
    }
    this.#drawTransfers();
  }

  #runByTimetable(line: Line, running: Service): void {
    const dice = this.#dice;
    const headway = 60 * (4 + dice.below(20));
    for (let at = 7 * HOUR + dice.below(HOUR); at < 10 * HOUR; ) {
      this.#goOn(line, at, this.#addTrip(line, running, at, [at]));
      at += headway + line.unit * dice.below(5);
    }
    // Services of other days must be excluded, and those still running from last night included.
    const idle = dice.pick(['saturdays', 'last year', 'not today'] as const);
    this.#addTrip(line, idle, 8 * HOUR, [8 * HOUR]);
    const night = dice.pick(['weekdays', 'tuesdays', 'not today'] as const);
    for (let trips = dice.below(3); trips > 0; trips--) {
      const at = DAY + 8 * HOUR + dice.below(HOUR);
      this.#addTrip(line, night, at, [at]);
    }
  }

  /** Repeats a trip over two stretches of the morning, each with its own headway. */
  #runByHeadway(line: Line, running: Service): void {
    const dice = this.#dice;
    const exact = dice.chance(0.6);
    const first = 7 * HOUR + dice.below(HOUR);
    const starts = [first, first + HOUR + dice.below(HOUR)].flatMap((from) => {
      const headway = 240 + dice.below(20 * 60);
      // No vehicle leaves at the very end.
      const until =
        from + (dice.chance(0.5) ? headway * (1 + dice.below(6)) : 600 + dice.below(HOUR));
      this.#frequencies.push({
        trip_id: this.#nextTrip,
        start_time: gtfsTime(from),
        end_time: gtfsTime(until),
        headway_secs: headway,
        exact_times: exact ? 1 : dice.pick([0, '']),
      });
      // When only the headway is known, the builder draws the first departure.
      const phase = exact ? 0 : headwayPhase(this.#nextTrip, from, headway);
      const count = Math.ceil((until - from - phase) / headway);
      return Array.from({ length: count }, (_, n) => from + phase + n * headway);
    });
    // Such a trip may be written at any time of day.
    this.#addTrip(line, running, dice.pick([HOUR, 5 * HOUR, 26 * HOUR]), starts);
  }

  get #nextTrip(): string {
    return `trip ${this.#trips.length}`;
  }

  /** Adds a trip that is written with one departure, and its runs at the given starts. */
  #addTrip(
    line: Line,
    running: Service,
    written: number,
    starts: readonly number[],
    block = '',
    calls = drawTrip(this.#dice, line),
  ): AddedTrip {
    const trip = this.#nextTrip;
    const wheelchair = wheelchairCode(this.#codes);
    this.#trips.push({
      route_id: line.id,
      service_id: running,
      trip_id: trip,
      block_id: block,
      wheelchair_accessible: wheelchair,
    });
    this.#stopTimes.push(...stopTimes(trip, calls, written, idOf));
    const runOn = new Map<number, number>();
    for (const day of SERVICES[running]) {
      for (const start of starts) {
        runOn.set(day, this.runs.length);
        this.runs.push(runAt(calls, start + day));
        this.accessible.push(wheelchair !== 2);
      }
    }
    return { trip, runOn, ends: calls[calls.length - 1].arrives };
  }

  /**
   * Occasionally the vehicle of a trip continues as another line, by `block_id`, by a linked trip
   * of `transfers.txt`, or by `block_id` with staying seated forbidden there: on the days that both
   * run.
   */
  #goOn(line: Line, start: number, first: AddedTrip): void {
    const dice = this.#dice;
    const how = dice.pick(['no', 'block', 'block', 'linked', 'forbidden'] as const);
    if (how === 'no') return;
    const block = how === 'linked' ? '' : `vehicle of ${first.trip}`;
    if (block !== '')
      this.#trips[this.#trips.length - 1] = { ...this.#trips.at(-1)!, block_id: block };
    let [from, at] = [first, start];
    for (let more = 1 + dice.below(2); more > 0; more--) {
      const onward = drawLine(dice, line.id, this.#stops);
      const path = [line.path[line.path.length - 1], ...onward.path];
      if (path[0] === path[1]) path.shift();
      if (path.length < 2) return;
      const next = { ...onward, path, hops: path.map(() => (60 + dice.below(420)) / onward.unit) };
      at += from.ends + 60 * dice.below(6);
      const [call, ...calls] = drawTrip(dice, next);
      const to = this.#addTrip(next, dice.pick(['weekdays', 'added today']), at, [at], block, [
        { ...call, arrives: 0 },
        ...calls,
      ]);
      if (how !== 'block') {
        this.#transfers.push({
          from_trip_id: from.trip,
          to_trip_id: to.trip,
          transfer_type: how === 'linked' ? 4 : 5,
        });
      }
      if (how !== 'forbidden') {
        for (const [day, run] of from.runOn) {
          const goesOn = to.runOn.get(day);
          if (goesOn !== undefined) this.inSeat.push([run, goesOn]);
        }
      }
      line = next;
      from = to;
    }
  }

  #drawTransfers(): void {
    const dice = this.#dice;
    const ruled = new Set<string>();
    for (let i = 6 + dice.below(20); i > 0; i--) {
      const [from, to] = [dice.pick(this.#stops), dice.pick(this.#stops)];
      if (ruled.has(`${from} ${to}`)) continue;
      ruled.add(`${from} ${to}`);
      const type = dice.pick([1, 2, 2, 3] as const);
      const least = type === 2 ? dice.below(900) : 0;
      this.rules.push({ from, to, type, least: least * 1000 });
      this.#transfers.push({
        from_stop_id: idOf(from),
        to_stop_id: idOf(to),
        transfer_type: type,
        min_transfer_time: type === 2 ? least : '',
      });
    }
  }

  tables(): FeedTables {
    const anyOrder = this.#stopTimes.map((record) => ({ record, at: this.#dice.next() }));
    return {
      'agency.txt': [AGENCY],
      'stops.txt': this.#stops.map((stop) => ({
        stop_id: idOf(stop),
        stop_name: `Stop, ${stop}`,
        stop_lat: this.#points[stop].lat.toFixed(7),
        stop_lon: this.#points[stop].lon.toFixed(7),
        wheelchair_boarding: this.#boarding[stop],
      })),
      'routes.txt': this.#lines.map(({ id }) => {
        return { route_id: id, agency_id: 'A', route_short_name: id, route_type: 3 };
      }),
      'trips.txt': this.#trips,
      'stop_times.txt': anyOrder.sort((a, b) => a.at - b.at).map(({ record }) => record),
      'calendar.txt': CALENDAR,
      'calendar_dates.txt': CALENDAR_DATES,
      'frequencies.txt': this.#frequencies,
      'transfers.txt': this.#transfers,
    };
  }
}

/** The id of a stop, which both feeds use, for two stops that are adjacent in number only. */
function idOf(stop: number): string {
  return `stop ${Math.floor(stop / 2)}`;
}
