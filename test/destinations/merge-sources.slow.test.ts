import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDestIds, hashedDestId, osmDestId } from '../../builder/destinations/dest-id.ts';
import type { Destination } from '../../builder/destinations/destination.ts';
import { mergeSources } from '../../builder/destinations/merge-sources.ts';
import { BuildError } from '../../builder/errors.ts';
import { forAll } from '../support/for-all.ts';
import { standardWorks } from '../support/standard-work.ts';

const EARTH_RADIUS = 6_371_000;
const [CAFES, BAKERIES, BARS] = [202, 104, 204];
const [ELEMENTARY_SCHOOLS, LEVEL_UNKNOWN, PRIVATE_SCHOOLS] = [311, 314, 305];
const NO_ADDRESS = { street: null, city: null, state: null, zip: null };

/** A place `east` and `north` metres of a corner in Baltimore; members may be overridden. */
function place(
  from: 'osm' | 'file',
  id: number,
  east: number,
  north: number,
  members: Partial<Destination> = {},
): Destination {
  const lat = 39.29 + (north / EARTH_RADIUS) * (180 / Math.PI);
  const lon = -76.61 + (east / EARTH_RADIUS / Math.cos((39.29 * Math.PI) / 180)) * (180 / Math.PI);
  return {
    destId: from === 'osm' ? osmDestId('node', id) : hashedDestId('file', String(id)),
    source: from === 'osm' ? `node ${id}` : `places.geojson: feature ${id}`,
    name: 'Blue Moon',
    address: NO_ADDRESS,
    brand: null,
    types: [CAFES],
    lon,
    lat,
    entrances: [{ lon, lat }],
    ...members,
  };
}

/** Haversine distance: a different formula from the builder's. */
function metresBetween(a: Destination, b: Destination): number {
  const [p, q] = [a.lat, b.lat].map((lat) => (lat * Math.PI) / 180);
  const [dp, dl] = [q - p, ((b.lon - a.lon) * Math.PI) / 180];
  const h = Math.sin(dp / 2) ** 2 + Math.cos(p) * Math.cos(q) * Math.sin(dl / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(h));
}

function isMerged(a: Partial<Destination>, b: Partial<Destination>): boolean {
  return mergeSources([place('osm', 1, 0, 0, a)], [place('file', 1, 30, 0, b)]).length === 1;
}

describe('a place in both OSM and a file', () => {
  test('is OSM’s, completed with the address and the brand that it lacks', () => {
    const osm = place('osm', 1, 0, 0, { address: { ...NO_ADDRESS, street: '1 Elm St' } });
    const other = place('file', 1, 90, 0, {
      brand: 'Moon',
      types: [BAKERIES, CAFES],
      address: { street: '1 Elm Street', city: 'Elm', state: 'MD', zip: '21201' },
    });
    expect(mergeSources([osm], [other])).toEqual([
      {
        ...osm,
        brand: 'Moon',
        address: { street: '1 Elm St', city: 'Elm', state: 'MD', zip: '21201' },
      },
    ]);
  });

  test('is two where they lie more than a hundred metres apart', () => {
    const osm = [place('osm', 1, 0, 0)];
    expect(mergeSources(osm, [place('file', 1, 99, 0)])).toHaveLength(1);
    expect(mergeSources(osm, [place('file', 1, 102, 0)])).toHaveLength(2);
    expect(mergeSources(osm, [place('file', 1, 75, -75)])).toHaveLength(2);
  });

  test('is two with different house numbers, and joins the nearest whose number does not differ', () => {
    const at = (street: string) => ({ address: { ...NO_ADDRESS, street } });
    expect(isMerged(at('1 Elm St'), at('3 Elm St'))).toBe(false);
    expect(isMerged(at('1 Elm St'), at('1 Elm Street'))).toBe(true);
    expect(isMerged(at('1 Elm St'), at('Elm St'))).toBe(true);
    expect(isMerged(at('100-104 Elm St'), at('104 Elm St'))).toBe(true);
    expect(isMerged(at('102 Elm St'), at('100 – 104 Elm St'))).toBe(true);
    expect(isMerged(at('100-104 Elm St'), at('104-110 Elm St'))).toBe(true);
    expect(isMerged(at('100-104 Elm St'), at('106 Elm St'))).toBe(false);
    expect(isMerged(at('98 Elm St'), at('100-104 Elm St'))).toBe(false);
    expect(isMerged(at('43-25 Elm St'), at('43-27 Elm St'))).toBe(true);
    const osm = [place('osm', 1, 0, 0, at('1 Elm St')), place('osm', 2, 90, 0)];
    const merged = mergeSources(osm, [
      place('file', 1, 10, 0, { ...at('3 Elm St'), brand: 'Moon' }),
    ]);
    expect(merged.map(({ brand }) => brand)).toEqual([null, 'Moon']);
  });

  test('is the nearest of several candidates in OSM', () => {
    const osm = [place('osm', 1, 0, 0), place('osm', 2, 50, 0), place('osm', 3, 98, 0)];
    const merged = mergeSources(osm, [place('file', 1, 60, 0, { brand: 'Moon' })]);
    expect(merged.map(({ brand }) => brand)).toEqual([null, 'Moon', null]);
  });

  const names: [string, string, boolean][] = [
    ['Café Één', 'CAFE EEN', true],
    ['McDonald’s', "McDonald's", true],
    ['7-Eleven', '7 Eleven, Inc.', true],
    ['The Daily Grind LLC', 'Daily Grind', true],
    ['Saint Paul & Co.', 'St. Paul', true],
    ['CVS', 'CVS Pharmacy', true],
    ['Giant', 'Giant Food', true],
    ['Starbucks', 'Starbucks Coffee', true],
    ['Pharmacy', 'CVS Pharmacy', false],
    ['Baptist Church', 'First Baptist Church', false],
    ['First Baptist Church', 'Second Baptist Church', false],
    ['School 12', 'School 13', false],
    ['Johns', 'Johns Hopkins Outpatient Pharmacy', false],
    ['Blue Moon', 'Red Moon', false],
    ['東京', '東京', true],
    ['東京', '京都', false],
    ['!', '?', false],
  ];
  test.each(names)('is one place under the names %o and %o: %s', (a, b, same) => {
    expect([isMerged({ name: a }, { name: b }), isMerged({ name: b }, { name: a })]).toEqual([
      same,
      same,
    ]);
  });

  test('shares a type, with school levels counting as one since not every source has them', () => {
    const types = (a: number[], b: number[]) => isMerged({ types: a }, { types: b });
    expect(types([BAKERIES, CAFES], [CAFES, BARS])).toBe(true);
    expect(types([CAFES], [BARS])).toBe(false);
    expect(types([ELEMENTARY_SCHOOLS], [LEVEL_UNKNOWN])).toBe(true);
    expect(types([ELEMENTARY_SCHOOLS], [PRIVATE_SCHOOLS])).toBe(false);
  });
});

/** Places of one source in a dense and repetitive quarter, where most have namesakes nearby. */
const quarter = (from: 'osm' | 'file') =>
  fc
    .array(
      fc.record({
        east: fc.integer({ min: 0, max: 400 }),
        north: fc.integer({ min: 0, max: 400 }),
        name: fc.constantFrom('Blue Moon', 'The Blue Moon', 'Blue Moon Cafe', 'Red Moon', 'Cafe'),
        types: fc.subarray([BAKERIES, CAFES, BARS], { minLength: 1 }),
        brand: fc.constantFrom(null, 'A', 'B'),
      }),
      { maxLength: 30 },
    )
    .map((all) =>
      all.map(({ east, north, ...members }, i) => place(from, i + 1, east, north, members)),
    );

describe('for any places', () => {
  test('the order of either source does not matter', async () => {
    const twoOrders = (from: 'osm' | 'file') =>
      quarter(from).chain((places) =>
        fc.tuple(
          fc.constant(places),
          fc.shuffledSubarray(places, { minLength: places.length, maxLength: places.length }),
        ),
      );
    await forAll(100, twoOrders('osm'), twoOrders('file'), ([osm, osm2], [others, others2]) => {
      expect(mergeSources(osm2, others2)).toEqual(mergeSources(osm, others));
    });
  });

  test('no two are merged beyond a hundred metres, nor without a type in common', () =>
    forAll(100, quarter('osm'), quarter('file'), (osm, others) => {
      const left = new Set(mergeSources(osm, others).map(({ destId }) => destId));
      expect(osm.every(({ destId }) => left.has(destId))).toBe(true);
      for (const gone of others.filter(({ destId }) => !left.has(destId))) {
        const near = osm.filter((there) => metresBetween(there, gone) <= 100.5);
        expect(near.some(({ types }) => types.some((t) => gone.types.includes(t)))).toBe(true);
      }
    }));

  test('no two within a hundred metres with the same name and type are left', () =>
    forAll(100, quarter('osm'), quarter('file'), (osm, others) => {
      const left = new Set(mergeSources(osm, others).map(({ destId }) => destId));
      for (const other of others.filter(({ destId }) => left.has(destId))) {
        for (const there of osm) {
          const same =
            there.name === other.name && there.types.some((t) => other.types.includes(t));
          expect(same && metresBetween(there, other) < 99.5).toBe(false);
        }
      }
    }));

  test('merging again changes nothing', () =>
    forAll(100, quarter('osm'), quarter('file'), (osm, others) => {
      const once = mergeSources(osm, others);
      const known = new Set(osm.map(({ destId }) => destId));
      const completed = once.filter(({ destId }) => known.has(destId));
      expect(mergeSources(completed, others)).toEqual(once);
      expect(mergeSources(once, [])).toEqual(once);
    }));
});

test('fifty thousand places of one name are merged in time', async () => {
  const row = (from: 'osm' | 'file') =>
    Array.from({ length: 50_000 }, (_, i) =>
      place(from, i + 1, (i % 1000) * 150, Math.floor(i / 1000) * 150),
    );
  const [osm, others] = [row('osm'), row('file')];
  const works = await standardWorks(() => expect(mergeSources(osm, others)).toHaveLength(50_000));
  expect(works).toBeLessThan(250);
});

test('two destinations with one dest_id fail the build, which names both', () => {
  const a = place('osm', 1, 0, 0);
  const b = place('file', 2, 0, 0, { destId: a.destId });
  expect(() => checkDestIds([a, place('file', 3, 0, 0), b])).toThrow(BuildError);
  expect(() => checkDestIds([a, b])).toThrow(/node 1 and places.geojson: feature 2 both have/);
  expect(() => checkDestIds([a, place('osm', 2, 0, 0)])).not.toThrow();
});
