import { expect, test } from 'vitest';
import { avenueFeed, tripFrom } from './avenue.ts';
import { BusTown, busLine, RIDE, STOPS, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';

const town = new BusTown();

/**
 * A feed of rides from A to platform M1 in four minutes, and from platform M2, a minute's walk
 * away, on to B. The second ride leaves `wait` minutes after the first arrives, and arrives at the
 * same time as the bus of `TIME`.
 */
function changingAtM(wait: number): FeedTables {
  const stops = { A: STOPS.A, M1: 5_000, M2: 5_080, B: STOPS.B };
  const trips = busLine().flatMap(({ calls: [[, leaves]] }) => [
    tripFrom(leaves, { A: 0, M1: 4 }),
    tripFrom(leaves, { M2: 4 + wait, B: RIDE }),
  ]);
  const tables = avenueFeed(stops, trips);
  const [station] = tables['stops.txt'].filter(({ stop_id }) => stop_id === 'M1');
  return {
    ...tables,
    'stops.txt': [
      { ...station, stop_id: 'M', location_type: 1 },
      ...tables['stops.txt'].map((stop) =>
        String(stop.stop_id).startsWith('M') ? { ...stop, parent_station: 'M' } : stop,
      ),
    ],
  };
}

const rule = (from: string, to: string, type: number, seconds: number | '' = ''): FeedRecord => ({
  from_stop_id: from,
  to_stop_id: to,
  transfer_type: type,
  min_transfer_time: seconds,
});

/** Minutes from block to block with a wait at M and some rules. */
function timeWith(wait: number, ...rules: readonly FeedRecord[]): Promise<number | undefined> {
  const tables = { ...changingAtM(wait), 'transfers.txt': rules };
  return town.minutes(`${wait}-${JSON.stringify(rules).replaceAll(/\W/g, '')}.zip`, tables);
}

test('a transfer takes the walk and a minute, or the time that a rule gives and no more', async () => {
  expect(await timeWith(2)).toBe(TIME);
  expect(await timeWith(1.9)).toBe(TIME + 10);
  const minimum = (seconds: number) => rule('M1', 'M2', 2, seconds);
  expect(await timeWith(2.5, minimum(150))).toBe(TIME);
  expect(await timeWith(2.5, minimum(151))).toBe(TIME + 10);
  // A minimum time includes buffers, but makes no walk faster.
  expect(await timeWith(1.1, minimum(30))).toBe(TIME);
  expect(await timeWith(0.9, minimum(30))).toBe(TIME + 10);
});

/**
 * Assigns vehicles to trips, which lead to M and from M in turn: each vehicle runs a trip to M and
 * the next one from there.
 */
function byVehicle(tables: FeedTables): FeedTables {
  const trips = tables['trips.txt'].map((trip, i) => ({
    ...trip,
    block_id: `v${Math.floor(i / 2)}`,
  }));
  return { ...tables, 'trips.txt': trips };
}

/** Adds a rule of some type for each trip to M and the next one from there. */
function forTrips(tables: FeedTables, type: number): FeedTables {
  const rules = tables['trips.txt'].flatMap(({ trip_id }, i): FeedRecord[] =>
    i % 2 === 0 ? [{ from_trip_id: trip_id, to_trip_id: `t${i + 1}`, transfer_type: type }] : [],
  );
  return { ...tables, 'transfers.txt': rules };
}

/** Puts 300 m between the end of one trip and the start of the next, and removes the station. */
function apart(tables: FeedTables): FeedTables {
  const there = avenueFeed({ M2: 5_300 }, [])['stops.txt'][0];
  const stops = tables['stops.txt'].filter(({ stop_id }) => stop_id !== 'M');
  return {
    ...tables,
    'stops.txt': stops.map((stop) => {
      const { parent_station: _, ...bare } = stop as FeedRecord & { parent_station?: string };
      return stop.stop_id === 'M2' ? { ...bare, ...there } : bare;
    }),
  };
}

test('a rider who stays seated while the vehicle continues as another line misses nothing', async () => {
  const feed = changingAtM(0);
  expect(await town.minutes('alight.zip', feed)).toBe(TIME + 10);
  expect(await town.minutes('block.zip', byVehicle(feed))).toBe(TIME);
  expect(await town.minutes('linked.zip', forTrips(feed, 4))).toBe(TIME);
  expect(await town.minutes('block-apart.zip', byVehicle(apart(feed)))).toBe(TIME + 10);
  expect(await town.minutes('linked-apart.zip', forTrips(apart(feed), 4))).toBe(TIME);
  // A vehicle cannot start a trip before it has finished the previous one.
  const tooSoon = await town.write('too-soon.zip', byVehicle(changingAtM(-0.5)));
  const { minutes, feeds } = await town.build([tooSoon]);
  expect(minutes).toBe(TIME + 10);
  expect(feeds[0].problems).toEqual([
    {
      file: 'trips.txt',
      problem: 'starts before the previous trip of its block_id ends; no one stays seated',
      rows: expect.any(Number),
      first_line: expect.any(Number),
    },
  ]);
});
