import path from 'node:path';
import { expect, test } from 'vitest';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { type AlongAvenue, type AvenueTrip, avenue, avenueFeed, tripFrom } from './avenue.ts';
import { buildSmallCity } from './built-city.ts';
import { type FeedTables, writeFeed } from './gtfs-text.ts';

const EIGHT = 8 * 60;
const WEDNESDAY = '2026-03-11';

const folder = folderOfEachTest();

/** Minutes by transit from a block at 1,000 m to shops and blocks at other places on the avenue. */
async function timesOnAvenue(
  to: { readonly shops?: readonly AlongAvenue[]; readonly blocks?: readonly AlongAvenue[] },
  ...feed: [stops: Record<string, AlongAvenue>, trips: readonly AvenueTrip[], more?: FeedTables]
) {
  const city = avenue([1_000, ...(to.blocks ?? [])], to.shops ?? [1_000]);
  const file = await writeFeed(path.join(folder, 'feed.zip'), avenueFeed(...feed));
  const built = await buildSmallCity(folder, city, [file], { serviceDate: WEDNESDAY });
  const [toShops] = await built.shopTimes('transit');
  const [toBlocks] = await built.reach();
  await built.close();
  return {
    shops: (to.shops ?? []).map((_, shop) => {
      const tenths = toShops.get(shop);
      return tenths === undefined ? undefined : tenths / 10;
    }),
    blocks: (to.blocks ?? []).map((_, block) => toBlocks.get(block + 1)),
  };
}

/** One trip every `headway` minutes, starting at minute `first`, for three hours. */
function repeated(
  first: number,
  headway: number,
  after: Readonly<Record<string, number>>,
): AvenueTrip[] {
  const starts = Array.from({ length: Math.ceil(180 / headway) }, (_, n) => first + n * headway);
  return starts.map((leaves) => tripFrom(leaves, after));
}

/*
 * A bus every h minutes, h a divisor of 60, leaves stop A at minutes p, p + h, … The walk to A
 * takes a, the ride r, the walk from B e. A rider departing at minute d = 0 … 59 may board a bus
 * that leaves at d + a + 1 or later, so waits a minute, and then (p − a − 1 − d) mod h. Over the 60
 * departures that takes the h values f, f + 1, … f + h − 1, where f is the fractional part of p − a
 * − 1, each 60 / h times. Number ⌈0.10 · 60⌉ − 1 = 5 of the sorted waits is therefore f + ⌊5 / (60
 * / h)⌋ = f + ⌊h / 12⌋, and
 *
 * t = a + 1 + f + ⌊h / 12⌋ + r + e
 */
const HEADWAYS = [5, 10, 12, 15, 20, 30];
/** The block lies at 1,000 m, stop A at 1,240 m: half a minute plus three minutes on foot. */
const A = 1_240;
const ACCESS = 3.5;
/** Stop B lies at 9,000 m, the shop at 9,160 m: two and a half minutes on foot. */
const B = 9_000;
const SHOP = 9_160;
const EGRESS = 2.5;
const RIDE = 13;

const expected = (headway: number, fraction: number) =>
  ACCESS + 1 + fraction + Math.floor(headway / 12) + RIDE + EGRESS;

test.each(HEADWAYS)('a bus every %i minutes takes the calculated time', async (headway) => {
  const trips = repeated(EIGHT - 57, headway, { A: 0, B: RIDE });
  const { shops } = await timesOnAvenue({ shops: [SHOP] }, { A, B }, trips);
  expect(shops).toEqual([expect.closeTo(expected(headway, 0.5), 6)]);
});

test.each(HEADWAYS)(
  'a bus by exact frequencies, every %i minutes, takes the calculated time',
  async (headway) => {
    const every = { from: EIGHT - 56.3, until: 11 * 60, headway, exact: 1 } as const;
    const trip = { ...tripFrom(0, { A: 0, B: RIDE }), every };
    const { shops } = await timesOnAvenue({ shops: [SHOP] }, { A, B }, [trip]);
    expect(shops).toEqual([expect.closeTo(expected(headway, 0.2), 6)]);
  },
);

test.each(HEADWAYS)(
  'where only a headway of %i minutes is known, the time is uncertain by at most a minute',
  async (headway) => {
    const every = { from: EIGHT - 120, until: 11 * 60, headway, exact: 0 } as const;
    const trip = { ...tripFrom(EIGHT, { A: 0, B: RIDE }), every };
    const { shops } = await timesOnAvenue({ shops: [SHOP] }, { A, B }, [trip]);
    expect(shops[0]).toBeGreaterThanOrEqual(expected(headway, 0));
    expect(shops[0]).toBeLessThanOrEqual(expected(headway, 1));
  },
);

/*
 * Two lines with the headways h and H = k · h. Only the last bus of the first line that meets a bus
 * of the second matters, so the two are one line with headway H that leaves A when that bus does,
 * and takes as long as both rides, the transfer and the wait for the second.
 */
test.each([
  { first: 10, second: 10 },
  { first: 10, second: 20 },
  { first: 5, second: 15 },
  { first: 6, second: 30 },
])(
  'a transfer from every $first to every $second minutes takes the calculated time',
  async (lines) => {
    // B to C is 200 m: two and a half minutes. The second line leaves C at minute 14, and every
    // headway before and after.
    const stops = { A, B: 5_000, C: 5_200, D: B };
    const firstRide = 4;
    const secondRide = 3;
    const trips = [
      ...repeated(EIGHT - 60, lines.first, { A: 0, B: firstRide }),
      ...repeated(EIGHT - 46, lines.second, { C: 0, D: secondRide }),
    ];
    const { shops } = await timesOnAvenue({ shops: [SHOP] }, stops, trips);
    // Riders are at C a minute early: the bus that meets the second one leaves A at minute
    // 14 − 1 − 2.5 − 4 = 6.5 or before.
    const leaves = 6 - (6 % lines.first);
    const ride = 14 + secondRide - leaves;
    const waits = 0.5 + Math.floor(lines.second / 12);
    expect(shops).toEqual([ACCESS + 1 + waits + ride + EGRESS]);
  },
);

test('a bus is caught a minute after the previous one arrives, and missed if that one is a second late', async () => {
  const change = (late: number) =>
    timesOnAvenue({ blocks: [SHOP] }, { A, M: 5_000, B }, [
      ...repeated(EIGHT - 57, 10, { A: 0, M: 5 + late }),
      ...repeated(EIGHT - 57 + 5 + 1, 10, { M: 0, B: 7 }),
    ]);
  const caught = ACCESS + 1 + 0.5 + 5 + 1 + 7 + EGRESS;
  expect((await change(0)).blocks).toEqual([Math.ceil(caught)]);
  expect((await change(1 / 60)).blocks).toEqual([Math.ceil(caught + 10)]);
});

test('a transfer of 990 m is walked; one of 1,010 m is not', async () => {
  const via = (apart: number) =>
    timesOnAvenue({ blocks: [SHOP] }, { A, B1: 3_700, B2: 3_700 + apart, B }, [
      ...repeated(EIGHT - 60, 5, { A: 0, B1: 2 }),
      ...repeated(EIGHT - 60, 5, { B2: 0, B: 5 }),
    ]);
  // 2 + 12.375 + 1 is more than 15, so the second bus leaves 20 minutes after the first.
  expect((await via(990)).blocks).toEqual([ACCESS + 1 + 0.5 + 20 + 5 + EGRESS].map(Math.ceil));
  expect((await via(1_010)).blocks).toEqual([undefined]);
});

test('a walk of 29.9 minutes to a stop, or from it, is walked; one of 30.1 is not', async () => {
  const legs = async (access: number, egress: number) => {
    const stop = 1_000 + (access - 0.5) * 80;
    const block = B + (egress - 0.5) * 80;
    const trips = repeated(EIGHT - 60, 1, { A: 0, B: 3 });
    return (await timesOnAvenue({ blocks: [block] }, { A: stop, B }, trips)).blocks[0];
  };
  // A bus every minute: the rider waits at the stop until the next whole minute.
  const through = (access: number, egress: number) => Math.ceil(Math.ceil(access) + 1 + 3 + egress);
  expect(await legs(29.9, 10.3)).toBe(through(29.9, 10.3));
  expect(await legs(30.1, 10.3)).toBe(undefined);
  expect(await legs(9.7, 29.9)).toBe(through(9.7, 29.9));
  expect(await legs(9.7, 30.1)).toBe(undefined);
});

test('a trip may take nine rides', async () => {
  // More than half an hour on foot, so that no ride can be walked instead.
  const hop = 2_450;
  const stops = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`S${i}`, A + i * hop]));
  // Each bus leaves two minutes after the previous one arrived, a minute away: 3 per ride.
  const trips = Array.from({ length: 9 }, (_, i) =>
    repeated(EIGHT - 60 + 3 * i, 10, { [`S${i}`]: 0, [`S${i + 1}`]: 1 }),
  ).flat();
  const rides = [1, 5, 8, 9];
  const ends = rides.map((ride) => A + ride * hop);
  const { blocks } = await timesOnAvenue({ blocks: ends }, stops, trips);
  const time = (ride: number) => ACCESS + 1 + 0.5 + (ride - 1) * 3 + 1 + 0.5;
  expect(blocks).toEqual(rides.map((ride) => Math.ceil(time(ride))));
});

test('a ride is never slower than walking the same way', async () => {
  const stops = { A: 1_000, B: 1_800 };
  const trips = repeated(EIGHT - 60, 30, { A: 0, B: 25 });
  const places = [1_432, 1_816, 3_008];
  const { shops, blocks } = await timesOnAvenue({ shops: places, blocks: places }, stops, trips);
  const walks = places.map((place) => 1 + (place - 1_000) / 80);
  expect(shops).toEqual(walks);
  expect(blocks).toEqual(walks.map(Math.ceil));
});

test('forbidden and slow transfers of transfers.txt apply, also at one stop', async () => {
  const trips = [
    ...repeated(EIGHT - 60, 10, { A: 0, M: 5 }),
    ...repeated(EIGHT - 54, 10, { M: 0, B: 7 }),
  ];
  const stops = { A, M: 5_000, B };
  const withRule = (rule: Record<string, number>) =>
    timesOnAvenue({ blocks: [SHOP] }, stops, trips, {
      'transfers.txt': [{ from_stop_id: 'M', to_stop_id: 'M', ...rule }],
    });
  const quick = ACCESS + 1 + 0.5 + 5 + 1 + 7 + EGRESS;
  expect((await timesOnAvenue({ blocks: [SHOP] }, stops, trips)).blocks).toEqual([
    Math.ceil(quick),
  ]);
  expect((await withRule({ transfer_type: 3 })).blocks).toEqual([undefined]);
  const slow = { transfer_type: 2, min_transfer_time: 61 };
  expect((await withRule(slow)).blocks).toEqual([Math.ceil(quick + 10)]);
  // The minute between the buses is enough for a rule of a minute, which includes the buffer.
  for (const enough of [0, 60]) {
    const rule = { transfer_type: 2, min_transfer_time: enough };
    expect((await withRule(rule)).blocks).toEqual([Math.ceil(quick)]);
  }
  expect((await withRule({ transfer_type: 1 })).blocks).toEqual([Math.ceil(quick)]);
});

test('no rider boards or alights where the timetable forbids it, but every rider may by phone or by arrangement with the driver', async () => {
  const trips = repeated(EIGHT - 60, 10, { A: 0, M: 2, B: RIDE });
  const stops = { A, M: A + 800, B };
  const timesWhere = (column: string, stop: string, type: number) => {
    const feed = avenueFeed(stops, trips);
    const stopTimes = feed['stop_times.txt'].map((record) =>
      record.stop_id === stop ? { ...record, [column]: type } : record,
    );
    const more = { 'stop_times.txt': stopTimes };
    return timesOnAvenue({ blocks: [SHOP] }, stops, trips, more).then(({ blocks }) => blocks[0]);
  };
  const fromA = Math.ceil(ACCESS + 1 + 0.5 + RIDE + EGRESS);
  // On to M: ten minutes more on foot, two less in the bus.
  const fromM = Math.ceil(ACCESS + 10 + 1 + 0.5 + (RIDE - 2) + EGRESS);
  expect(await timesWhere('pickup_type', 'A', 0)).toBe(fromA);
  expect(await timesWhere('drop_off_type', 'B', 0)).toBe(fromA);
  expect(await timesWhere('pickup_type', 'A', 1)).toBe(fromM);
  expect(await timesWhere('drop_off_type', 'B', 1)).toBe(undefined);
  // Type 2 is after a phone call, type 3 by arrangement with the driver.
  for (const type of [2, 3]) {
    expect(await timesWhere('pickup_type', 'A', type)).toBe(fromA);
    expect(await timesWhere('drop_off_type', 'B', type)).toBe(fromA);
  }
});
