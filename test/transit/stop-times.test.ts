import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { readTrips } from '../../builder/gtfs/trips.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { AGENCY, service, wholeDay } from './feed-records.ts';
import { type FeedRecord, writeFeed } from './gtfs-text.ts';

const TRIPS = ['first', 'second'];
const FILE = 'stop_times.txt';
/** Columns of calls on demand. */
const ZONE_COLUMNS = ['location_id', 'location_group_id', 'start_pickup_drop_off_window'];

/** A row of `stop_times.txt`, with times in minutes after eight. */
interface Row {
  readonly trip: string;
  readonly stop: string;
  readonly sequence: string;
  readonly arrives: number | null | 'nonsense';
  readonly departs: number | null | 'nonsense';
  readonly distance: number | null;
  readonly pickup: string;
  readonly dropOff: string;
  readonly zone: string;
}

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...others));
const time = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('nonsense' as const) },
);
const row = fc.record({
  trip: often('first', ...TRIPS, 'unknown'),
  stop: often('a', 'b', 'c', 'lost'),
  sequence: fc.oneof(
    { weight: 20, arbitrary: fc.nat(12).map(String) },
    fc.constantFrom('', 'x', '1e999'),
  ),
  arrives: time,
  departs: time,
  distance: fc.oneof({ weight: 8, arbitrary: fc.nat(5) }, fc.constant(null)),
  pickup: often('', '0', '1', '2', '3', '4'),
  dropOff: often('', '0', '1', '2', '3', '4'),
  zone: often('', ...ZONE_COLUMNS),
}) satisfies fc.Arbitrary<Row>;
/** Random rows, about half of them mostly forward in time, as those of a real trip are. */
const rows = fc.oneof(
  fc.array(row, { maxLength: 12 }),
  fc.array(row, { minLength: 3, maxLength: 8 }).map((some) =>
    some.map((one, i) => ({
      ...one,
      sequence: String(i),
      // Distances grow unevenly, and in places not at all; some rows have none.
      distance: one.distance === null ? null : [0, 0, 0, 4, 5, 5, 9, 9][i],
      ...(typeof one.arrives === 'number' && { arrives: i, departs: i }),
    })),
  ),
);

const cell = (minute: Row['arrives']) =>
  minute === null ? '' : minute === 'nonsense' ? '8:61:00' : `8:0${minute}:00`;

function recordOf(one: Row): FeedRecord {
  return {
    trip_id: one.trip,
    stop_id: one.stop,
    stop_sequence: one.sequence,
    arrival_time: cell(one.arrives),
    departure_time: cell(one.departs),
    pickup_type: one.pickup,
    drop_off_type: one.dropOff,
    ...Object.fromEntries(ZONE_COLUMNS.map((name) => [name, one.zone === name ? 'z' : ''])),
    shape_dist_traveled: one.distance ?? '',
  };
}

interface PlainCall extends Row {
  readonly line: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** Reads one trip's rows step by step, and adds a complaint for each problem in a row. */
function plainTrip(trip: string, all: readonly Row[], complaints: string[]): PlainCall[] | null {
  let calls: PlainCall[] = [];
  const complain = (problem: string) => void complaints.push(problem);
  for (const [i, one] of all.entries()) {
    if (one.trip !== trip) continue;
    const refusal =
      (one.zone !== '' && 'an on-demand call in a zone or time window; left out') ||
      (one.stop === 'lost' && 'stop missing from stops.txt; left out') ||
      (!/^\d+$/.test(one.sequence) && 'no valid stop_sequence; left out');
    if (refusal) {
      complain(refusal);
      continue;
    }
    if (one.arrives === 'nonsense') complain('impossible arrival_time; treated as blank');
    if (one.departs === 'nonsense') complain('impossible departure_time; treated as blank');
    const [arrives, departs] = [one.arrives, one.departs].map((at) =>
      typeof at === 'number' ? at : null,
    );
    for (const [column, code] of [
      ['pickup_type', one.pickup],
      ['drop_off_type', one.dropOff],
    ]) {
      if (code === '4') complain(`unknown ${column}; taken as 1, not possible`);
    }
    const from = arrives ?? departs;
    let to = departs ?? arrives;
    if (from !== null && to! < from) {
      complain('departs before it arrives; departure used as arrival');
      to = from;
    }
    calls.push({ ...one, line: i + 2, from, to });
  }
  const isBegun = calls.length > 0;
  calls = calls.toSorted((a, b) => Number(a.sequence) - Number(b.sequence) || a.line - b.line);
  calls = calls.map((call, i) => (i === 0 ? { ...call, distance: call.distance ?? 0 } : call));
  const numbers = new Set(calls.map(({ sequence }) => sequence));
  const isUnordered = calls.length > 1 && numbers.size === 1;
  if (isUnordered) {
    complain('one stop_sequence in a whole trip; the order of the rows is used');
  }
  calls = calls.filter((call, i) => {
    if (isUnordered) return true;
    const isFirst = calls.findIndex(({ sequence }) => sequence === call.sequence) === i;
    if (!isFirst) complain('duplicate stop_sequence in a trip; left out');
    return isFirst;
  });
  const timed = calls.filter(({ from }) => from !== null);
  const kept = largestForward(timed);
  for (const call of timed) {
    if (!kept.includes(call)) complain('goes back in time; the call is left out');
  }
  calls = calls.filter((call) => call.from === null || kept.includes(call));
  const [start, end] = [
    calls.findIndex(({ from }) => from !== null),
    calls.findLastIndex(({ from }) => from !== null),
  ];
  const [before, after] = start < 0 ? [0, calls.length] : [start, calls.length - 1 - end];
  complaints.push(...Array(before).fill('no time at the beginning of a trip; left out'));
  complaints.push(...Array(after).fill('no time at the end of a trip; left out'));
  calls = start < 0 ? [] : calls.slice(start, end + 1);
  if (calls.length >= 2) return calls;
  if (isBegun) complain('a trip with fewer than two stops; left out');
  return null;
}

/**
 * The largest set of calls that never goes back in time, by trying all; the earlier calls where
 * there is a choice.
 */
function largestForward(calls: readonly PlainCall[]): PlainCall[] {
  let best: PlainCall[] = [];
  const extend = (chosen: PlainCall[], next: number) => {
    if (chosen.length > best.length) best = chosen;
    for (let i = next; i < calls.length; i++) {
      const last = chosen.at(-1);
      if (!last || calls[i].from! >= last.to!) extend([...chosen, calls[i]], i + 1);
    }
  };
  extend([], 0);
  return best;
}

/** Metres north of the first stop, which are not proportional to the distances that rows state. */
const NORTH: Readonly<Record<string, number>> = { a: 0, b: 700, c: 2_000 };
const METRES_PER_DEGREE = 111_000;

/**
 * Seconds after eight, with blanks filled in by the distances stated between the times around them
 * if these are known, greater at the end and nowhere less than before. A distance that is not
 * strictly between all before and the last is passed over; calls without are placed between their
 * neighbours by the metres between stops.
 */
function plainTimes(
  calls: readonly PlainCall[],
  complaints: string[],
): [arrives: number[], departs: number[]] {
  const stated = calls.map(({ distance }) => distance);
  const metres = calls.map((_, i) =>
    calls.slice(1, i + 1).reduce((sum, call, k) => {
      return sum + Math.abs(NORTH[call.stop] - NORTH[calls[k].stop]);
    }, 0),
  );
  const share = (values: readonly number[], from: number, at: number, to: number) =>
    values[to] > values[from] ? (values[at] - values[from]) / (values[to] - values[from]) : 0;
  const times = calls.map((call, i) => {
    if (call.from !== null) return [60 * call.from, 60 * call.to!];
    const before = calls.findLastIndex(({ from }, at) => at < i && from !== null);
    const after = calls.findIndex(({ from }, at) => at > i && from !== null);
    const inGap = calls.map((_, at) => at).filter((at) => at >= before && at <= after);
    const known = inGap.filter((at) => stated[at] !== null);
    const of = (at: number) => stated[at]!;
    const isUsable =
      known.includes(before) &&
      known.includes(after) &&
      of(after) > of(before) &&
      known.every((at, k) => k === 0 || of(at) >= Math.max(...known.slice(0, k).map(of)));
    const usable = known.filter(
      (at) =>
        at === before ||
        at === after ||
        (of(at) < of(after) && known.every((other) => other >= at || of(other) < of(at))),
    );
    let part = share(metres, before, i, after);
    if (isUsable) {
      const low = usable.findLast((at) => at <= i)!;
      const high = usable.find((at) => at >= i)!;
      const place = of(low) + share(metres, low, i, high) * (of(high) - of(low));
      part = (place - of(before)) / (of(after) - of(before));
    }
    const rule =
      isUsable && usable.includes(i)
        ? 'along shape_dist_traveled'
        : 'by straight distances between stops';
    complaints.push(`no time; interpolated ${rule}`);
    const [left, comes] = [60 * calls[before].to!, 60 * calls[after].from!];
    const at = left + part * (comes - left);
    return [at, at];
  });
  return [times.map(([arrives]) => arrives), times.map(([, departs]) => departs)];
}

const EIGHT = 8 * 3600;
/** Within half a second, and a bit for the curvature of the earth. */
const inWholeSeconds = (time: number) => expect.closeTo(time, -0.1);
const REPEATED = {
  trip_id: 'second',
  start_time: '10:00:00',
  end_time: '10:15:00',
  headway_secs: 600,
  exact_times: 1,
};
const OF_ANOTHER_YEAR: Row = {
  trip: 'of another year',
  stop: 'a',
  sequence: '1',
  arrives: 0,
  departs: 0,
  distance: 0,
  pickup: '',
  dropOff: '',
  zone: '',
};

test('a trip has the calls and times of a plain reading of its rows, and every row left out is reported', async () => {
  const folder = await folderOfThisTest();
  let feeds = 0;
  await forAll(120, rows, rows, async (one, other) => {
    // Rows of trips may alternate.
    const all = [...one, ...other];
    const file = path.join(folder, `feed ${feeds++}`);
    await writeFeed(file, {
      'agency.txt': [AGENCY],
      'routes.txt': [{ route_id: 'r', route_type: 3 }],
      'calendar.txt': [
        service('daily', '1111111', 20260101, 20261231),
        service('never', '1111111', 20250101, 20251231),
      ],
      'stops.txt': Object.entries(NORTH).map(([id, north]) => ({
        stop_id: id,
        stop_lat: 39 + north / METRES_PER_DEGREE,
        stop_lon: -76,
      })),
      'trips.txt': [
        ...TRIPS.map((trip_id) => ({ trip_id, service_id: 'daily', route_id: 'r' })),
        { trip_id: 'of another year', service_id: 'never', route_id: 'r' },
      ],
      'frequencies.txt': [REPEATED],
      [FILE]: [...all.map(recordOf), recordOf(OF_ANOTHER_YEAR)],
    });
    const feed = await readFeed(file);
    const reading = readTrips(feed, ['20260310', '20270310'].map(wholeDay));
    const unlisted = TRIPS.filter((id) => all.every(({ trip }) => trip !== id));
    const complaints = all.flatMap(({ trip }) =>
      trip === 'unknown' ? ['trip missing from trips.txt; left out'] : [],
    );
    const expected = TRIPS.flatMap((trip) => {
      const calls = plainTrip(trip, all, complaints);
      if (!calls) return [];
      const [arrives, departs] = plainTimes(calls, complaints);
      // The second trip runs twice instead, ten minutes apart, from ten o'clock.
      const shifts = trip === 'second' ? [7_200, 7_800].map((start) => start - departs[0]) : [0];
      return shifts.map((shift) => ({
        trip: trip === 'second' ? null : trip,
        calls: calls.map(({ stop, pickup, dropOff }) => ({
          stop,
          board: pickup !== '1' && pickup !== '4',
          alight: dropOff !== '1' && dropOff !== '4',
          byPhone: pickup === '2' || dropOff === '2',
        })),
        arrivals: arrives.map((second) => inWholeSeconds(EIGHT + second + shift)),
        departures: departs.map((second) => inWholeSeconds(EIGHT + second + shift)),
      }));
    });
    if (expected.length === 0) {
      await expect(reading).rejects.toThrow('stop_times.txt has no usable trip');
      return;
    }
    const runs = await reading;
    const found = runs.map(({ run: { trip, calls, arrivals, departures } }) => ({
      trip,
      calls,
      arrivals,
      departures,
    }));
    expect(found.toSorted((a, b) => Number(a.trip === null) - Number(b.trip === null))).toEqual(
      expected,
    );
    const reported = feed.report.problems.flatMap(({ file, problem, rows }) =>
      Array<string>(rows).fill(`${file}: ${problem}`),
    );
    const expectedReports = [
      ...complaints.map((problem) => `${FILE}: ${problem}`),
      ...unlisted.map(() => 'trips.txt: a trip without rows in stop_times.txt; left out'),
    ];
    expect(reported.sort()).toEqual(expectedReports.sort());
  });
});
