import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { countyDigest } from '../../builder/county/county-digest.ts';
import { TransitOfCounty } from '../../builder/county/county-transit.ts';
import { NO_LINKING, RIDE_FORWARD, SELDOM_LINKED } from '../../builder/streets/trait-bits.ts';
import { Raptor } from '../../shards/transit/raptor.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { type AvenueTrip, avenueFeed } from '../transit/avenue.ts';
import { AGENCY } from '../transit/feed-records.ts';
import { type FeedTables, writeFeed } from '../transit/gtfs-text.ts';
import { type Point, pointAt, type SmallCity, writeSmallCity } from '../transit/small-city.ts';
import { type LinkedCity, linkCity } from './linked-city.ts';

const folder = folderOfTests();

const CORNERS = 7;
const SPACING = 200;
/** Metres east of the first town to the second: out of reach within an hour. */
const FAR = 90_000;

const idOf = (town: number, column: number, row: number) =>
  town * CORNERS ** 2 + row * CORNERS + column;

/** Two identical towns, each with two blocks and a shop; `second` shifts the whole second town. */
function twoTowns(second = 0): SmallCity {
  const corners: Point[] = [];
  const streets: [number, number][] = [];
  const [blocks, shops]: Point[][] = [[], []];
  for (const [town, east] of [0, FAR].entries()) {
    const moved = town === 1 ? second : 0;
    for (let i = 0; i < CORNERS ** 2; i++) {
      const [column, row] = [i % CORNERS, Math.floor(i / CORNERS)];
      corners.push(pointAt(east + column * SPACING + moved, row * SPACING));
      if (column > 0) streets.push([idOf(town, column - 1, row), idOf(town, column, row)]);
      if (row > 0) streets.push([idOf(town, column, row - 1), idOf(town, column, row)]);
    }
    blocks.push(pointAt(east + 50 + moved, 20), pointAt(east + 900 + moved, 820));
    shops.push(pointAt(east + 450 + moved, 430));
  }
  return { corners, streets, blocks, shops };
}

/**
 * A bus every ten minutes that takes the given number of minutes from the first stop to the second.
 */
function shuttle(town: number, ride: number, more: FeedTables = {}): FeedTables {
  const stops = { A: town * FAR + 100, B: town * FAR + 1_000 };
  const trips = Array.from({ length: 12 }, (_, n): AvenueTrip => {
    const leaves = 8 * 60 + 10 * n;
    return {
      calls: [
        ['A', leaves],
        ['B', leaves + ride],
      ],
    };
  });
  return avenueFeed(stops, trips, more);
}

let count = 0;
async function link(city: SmallCity, feeds: readonly FeedTables[]): Promise<LinkedCity> {
  const { osm, blocks } = await writeSmallCity(folder, city);
  const gtfs: string[] = [];
  for (const feed of feeds) {
    gtfs.push(await writeFeed(path.join(folder, `feed-${count++}.zip`), feed));
  }
  return linkCity({ osm, blocks, gtfs }, [2, 2]);
}

const digests = ({ linked, scopes }: LinkedCity) =>
  scopes.map((scope) => countyDigest(linked, scope));

test('the digest of a county is the same for the same inputs', async () => {
  const feeds = [shuttle(0, 3), shuttle(1, 3)];
  expect(digests(await link(twoTowns(), feeds))).toEqual(digests(await link(twoTowns(), feeds)));
});

test('trips that no rider from a region could take are not searched', async () => {
  const tripsWith = async (...feeds: readonly FeedTables[]) =>
    (await link(twoTowns(), feeds)).linked.searchRegion.riders[0].windows[0].timetable.arrivals
      .length;
  const [near, far] = [shuttle(0, 3), shuttle(4, 3)];
  expect(await tripsWith(near, far)).toBe(await tripsWith(near));
});

describe('distant changes leave the digest unchanged', () => {
  const changed = async (city: SmallCity, feeds: readonly FeedTables[]) => {
    const [before, after] = [
      digests(await link(twoTowns(), [shuttle(0, 3), shuttle(1, 3)])),
      digests(await link(city, feeds)),
    ];
    return before.map((digest, i) => digest !== after[i]);
  };

  test('a timetable', async () => {
    const feeds = [shuttle(0, 3), shuttle(1, 4)];
    expect(await changed(twoTowns(), feeds)).toEqual([false, true]);
    expect(await changed(twoTowns(), [shuttle(0, 4), shuttle(1, 3)])).toEqual([true, false]);
  });

  test('the order of the feeds, one more, and one fewer', async () => {
    const [here, there] = [shuttle(0, 3), shuttle(1, 3)];
    expect(await changed(twoTowns(), [there, here])).toEqual([false, false]);
    const others = { 'agency.txt': [{ ...AGENCY, agency_name: 'Others' }] };
    const more = shuttle(1, 5, others);
    expect(await changed(twoTowns(), [there, more, here])).toEqual([false, true]);
    expect(await changed(twoTowns(), [here])).toEqual([false, true]);
  });

  test('streets, blocks and places', async () => {
    const feeds = [shuttle(0, 3), shuttle(1, 3)];
    expect(await changed(twoTowns(5), feeds)).toEqual([false, true]);
    const { streets, ...city } = twoTowns();
    const first = streets.findIndex(([a]) => a >= CORNERS ** 2);
    const without = (at: number) => ({ ...city, streets: streets.toSpliced(at, 1) });
    expect(await changed(without(first), feeds)).toEqual([false, true]);
    expect(await changed(without(0), feeds)).toEqual([true, false]);
  });
});

/**
 * A trip from A to B, whose vehicle passes a depot out of reach, without boarding or alighting, and
 * goes on from C to D. `links` are pairs of indices of trips, of which the first continues as the
 * second.
 */
function throughDepot(links: readonly (readonly [number, number])[]): FeedTables {
  const stops = { A: 100, B: 1_000, C: 1_100, D: 1_200, 'Depot in': FAR / 2, 'Depot out': FAR / 2 };
  const trips: AvenueTrip[] = [
    {
      calls: [
        ['A', 480],
        ['B', 483],
      ],
    },
    {
      calls: [
        ['Depot in', 484],
        ['Depot out', 486],
      ],
    },
    {
      calls: [
        ['C', 487],
        ['D', 488],
      ],
    },
  ];
  const feed = avenueFeed(stops, trips, {
    'transfers.txt': links.map(([from, to]) => {
      return { from_trip_id: `t${from}`, to_trip_id: `t${to}`, transfer_type: 4 };
    }),
  });
  const closed = { pickup_type: 1, drop_off_type: 1 };
  return {
    ...feed,
    'stop_times.txt': feed['stop_times.txt'].map((call) =>
      call.trip_id === 't1' ? { ...call, ...closed } : call,
    ),
  };
}

const transitOf = ({ linked, scopes: [scope] }: LinkedCity) =>
  new TransitOfCounty(linked, scope, 0).windows.get('am')!;

describe('equal digests mean equal transit', () => {
  /** Trips of two lines, and one that calls only once within reach, at minute `lone`. */
  const twoLines = (ids: readonly [string, string], lone = 500): FeedTables => {
    const stops = { A: 100, B: 1_000, Far: FAR / 2 };
    const trips = [480, 485, 490, 495].map((leaves): AvenueTrip => {
      return {
        calls: [
          ['A', leaves],
          ['B', leaves + 3],
        ],
      };
    });
    const feed = avenueFeed(stops, [
      ...trips,
      {
        calls: [
          ['Far', 400],
          ['A', lone],
        ],
      },
    ]);
    return {
      ...feed,
      'routes.txt': ['Red', 'Blue'].map((name, i) => {
        return { route_id: ids[i], agency_id: 'A', route_short_name: name, route_type: 3 };
      }),
      'trips.txt': feed['trips.txt'].map((trip, i) => ({ ...trip, route_id: ids[i % 2] })),
    };
  };

  test.each([
    ['the ids of its routes', twoLines(['1', '2']), twoLines(['2', '1'])],
    ['a trip that nobody can ride', twoLines(['1', '2']), twoLines(['1', '2'], 501)],
  ])('regardless of %s', async (_, one, other) => {
    const [before, after] = [await link(twoTowns(), [one]), await link(twoTowns(), [other])];
    expect(digests(after)).toEqual(digests(before));
    expect(transitOf(after)).toEqual(transitOf(before));
    expect(transitOf(after).routes).toEqual(['Blue', 'Red']);
  });
});

test('riders who stay seated through a trip without stops within reach continue in the next one', async () => {
  const city = await link(twoTowns(), [
    throughDepot([
      [0, 1],
      [1, 2],
    ]),
  ]);
  const { timetable, stops } = transitOf(city);
  expect(stops).toEqual(['A', 'B', 'C', 'D']);
  expect(timetable.continuations.length).toBe(2);
  const raptor = new Raptor(timetable, { first: new Int32Array(5), ways: new Int32Array(0) });
  const opens = 480 * 60_000;
  raptor.run(Int32Array.of(0), Int32Array.of(opens), opens + 3_600_000);
  expect(raptor.arrivals[3] - opens).toBe(8 * 60_000);
});

describe('every change that affects a time changes the digest', () => {
  test('whether riders may stay seated through a trip without stops within reach', async () => {
    const [through] = digests(
      await link(twoTowns(), [
        throughDepot([
          [0, 1],
          [1, 2],
        ]),
      ]),
    );
    expect(digests(await link(twoTowns(), [throughDepot([[0, 1]])]))[0]).not.toBe(through);
  });

  test('a rule for transfers', async () => {
    const rule = { from_stop_id: 'A', to_stop_id: 'B', transfer_type: 2, min_transfer_time: 600 };
    const [plain] = digests(await link(twoTowns(), [shuttle(0, 3)]));
    const ruled = await link(twoTowns(), [shuttle(0, 3, { 'transfers.txt': [rule] })]);
    expect(digests(ruled)[0]).not.toBe(plain);
  });

  test('whether two streets that end in one place are joined', async () => {
    const city = twoTowns();
    const corner = idOf(0, 3, 3);
    const [first, ...others] = city.streets.flatMap(([a, b], i) =>
      a === corner || b === corner ? [i] : [],
    );
    expect(others.length).toBe(3);
    // The same lines on the ground, except that one of the four ends in a separate corner.
    const apart = {
      ...city,
      corners: [...city.corners, city.corners[corner]],
      streets: city.streets.map(([a, b], i) => {
        const end = (at: number) => (i === first && at === corner ? city.corners.length : at);
        return [end(a), end(b)] as const;
      }),
    };
    const [joined] = digests(await link(city, []));
    expect(digests(await link(apart, []))[0]).not.toBe(joined);
  });

  test.each([
    ['runs in a tunnel, where nothing is linked to it', NO_LINKING],
    ['is one where trips seldom begin', SELDOM_LINKED],
  ])('whether a street %s', async (_, trait) => {
    const city = await link(twoTowns(), []);
    const [open] = digests(city);
    city.linked.region.streets.traits[0] ^= trait;
    expect(digests(city)[0]).not.toBe(open);
  });

  test('whether a street is cut off at the edge of the street data', async () => {
    const city = await link(twoTowns(), []);
    const [open] = digests(city);
    city.linked.region.networks[0].isCutOff[0] ^= 1;
    expect(digests(city)[0]).not.toBe(open);
  });

  test('whether a bicycle is ridden or pushed on a street, even in the same time', async () => {
    const city = await link(twoTowns(), []);
    const [open] = digests(city);
    city.linked.region.networks[1].costs.ridden[0] ^= RIDE_FORWARD;
    expect(digests(city)[0]).not.toBe(open);
  });

  test('where the street data ends', async () => {
    const { linked, scopes } = await link(twoTowns(), []);
    const coverage = linked.region.coverage!;
    const digestIn = (box: typeof coverage) =>
      countyDigest({ ...linked, region: { ...linked.region, coverage: box } }, scopes[0]);
    const { maxLon, minLon } = coverage;
    expect(digestIn({ ...coverage, maxLon: maxLon + 1 })).toBe(digestIn(coverage));
    expect(digestIn({ ...coverage, minLon: minLon + 0.01 })).not.toBe(digestIn(coverage));
  });
});
