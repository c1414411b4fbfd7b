import { expect, test } from 'vitest';
import { BusTown, busFeed, busLine, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';

const town = new BusTown();

/** The usual line on a route of the given type, and an afternoon line that needs no call. */
function withRoute(type: number): FeedTables {
  const trips = [...busLine(), ...busLine('daily', 15 * 60)];
  const feed = busFeed({}, trips);
  const [route] = feed['routes.txt'];
  return {
    ...feed,
    'routes.txt': [
      { ...route, route_type: type },
      { ...route, route_id: 'afternoon' },
    ],
    'trips.txt': feed['trips.txt'].map((trip, i) =>
      i < busLine().length ? trip : { ...trip, route_id: 'afternoon' },
    ),
  };
}

test('routes on demand do not count as service, and are reported', async () => {
  for (const type of [3, 700, 704, 1400]) {
    expect(await town.minutes(`${type}.zip`, withRoute(type)), `${type}`).toBe(TIME);
  }
  for (const type of [715, 1500, 1501, 1507]) {
    const { minutes, feeds } = await town.build([await town.write(`${type}.zip`, withRoute(type))]);
    expect(minutes, `${type}`).toBe(undefined);
    expect(feeds[0].weekday_patterns[0].trips).toBe(busLine().length);
    expect(feeds[0].problems).toEqual([
      {
        file: 'trips.txt',
        problem: 'on a demand-responsive route; left out',
        rows: busLine().length,
        first_line: 2,
      },
    ]);
  }
});

test('calls in zones and time windows are left out and reported; the line next to them runs', async () => {
  const feed = busFeed();
  const [first] = feed['stop_times.txt'];
  const zone: FeedRecord = {
    trip_id: first.trip_id,
    stop_id: '',
    location_id: 'zone',
    stop_sequence: 9,
    start_pickup_drop_off_window: '08:00:00',
    end_pickup_drop_off_window: '18:00:00',
    pickup_type: 2,
    drop_off_type: 2,
  };
  const file = await town.write('flex.zip', {
    ...feed,
    'stop_times.txt': [...feed['stop_times.txt'], zone],
  });
  const { minutes, feeds } = await town.build([file]);
  expect(minutes).toBe(TIME);
  expect(feeds[0].problems.map(({ problem, rows }) => `${rows} ${problem}`)).toEqual([
    '1 an on-demand call in a zone or time window; left out',
  ]);
});

test('trips that must be booked by phone run as scheduled, and are counted in the facts of the feed', async () => {
  const factsWith = async (types: readonly FeedRecord[]) => {
    const feed = busFeed();
    const stopTimes = feed['stop_times.txt'].map((call, i) => ({ ...call, ...types[i] }));
    const file = await town.write('phone.zip', { ...feed, 'stop_times.txt': stopTimes });
    const { minutes, feeds, said } = await town.build([file]);
    expect(minutes).toBe(TIME);
    const [{ problems, trips_by_phone, trips_in_window }] = feeds;
    expect(problems).toEqual([]);
    expect(said.includes(`${trips_by_phone} of ${trips_in_window} trips`)).toBe(trips_by_phone > 0);
    return trips_by_phone;
  };
  expect(await factsWith([])).toBe(0);
  const [byDriver, byPhone] = [3, 2].map((type) => ({ pickup_type: type, drop_off_type: type }));
  expect(await factsWith([byDriver, byDriver])).toBe(0);
  // Both calls of the first trip in the window, and the last call of the second.
  const calls = Array.from({ length: 36 }, () => ({}) as FeedRecord);
  calls[12] = byPhone;
  calls[13] = byPhone;
  calls[15] = { drop_off_type: 2 };
  expect(await factsWith(calls)).toBe(2);
});
