import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openingBox } from '../../portal/pages/map/catalogue/opening-box.ts';
import { MAX_CIRCLE_METRES, ringOf } from '../../portal/pages/map/state/area.ts';
import { readArea } from '../../portal/pages/map/state/area-file.ts';
import {
  BASKET_BY,
  COMPARED,
  DIRECTIONS,
  MAX_CATCHMENT_MINUTES,
  MAX_MINUTES,
  type MapState,
  minutesOf,
  readMapState,
  SITE_KINDS,
  SITE_MINUTES,
  SITES_COLOURED,
  VIEWS,
  writeMapState,
} from '../../portal/pages/map/state/map-state.ts';
import { MAX_ADDRESS_SITES } from '../../portal/pages/map/state/sites.ts';
import { BOUNDS } from '../../proxy/bounds.ts';
import { REQUEST_LIMITS } from '../../proxy/http/request-limits.ts';
import { MAX_DEST_ID } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';

const degrees = (most: number) =>
  fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((value) => value / 1e6);
const point = fc.record({ lat: degrees(85), lon: degrees(180) });
const geoid = fc.stringMatching(/^\d{15}$/);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const mode = maybe(fc.constantFrom('walk', 'bike', 'transit'));
const timing = maybe(
  fc.record({
    departure: fc.stringMatching(/^[a-z][a-z0-9_]{0,23}$/),
    percentile: fc.integer({ min: 1, max: 99 }),
  }),
);
const circle = fc
  .tuple(point, fc.integer({ min: 1, max: MAX_CIRCLE_METRES }))
  .map(([at, metres]) => ({ ...at, metres }));
const ring = fc.array(point, { minLength: 3, maxLength: 6 }).map(ringOf);
const drawnArea = fc.array(fc.array(ring, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
});
const states: fc.Arbitrary<MapState> = fc.record({
  view: fc.constantFrom(...VIEWS),
  mode,
  timing,
  type: maybe(fc.nat(9_999)),
  position: maybe(
    fc.record({
      zoom: fc.integer({ min: 0, max: 240_000 }).map((value) => value / 10_000),
      lat: degrees(85),
      lon: degrees(180),
    }),
  ),
  block: maybe(geoid),
  origin: maybe(fc.oneof(geoid, point)),
  direction: fc.constantFrom(...DIRECTIONS),
  minutes: fc.integer({ min: 5, max: 60 }),
  weight: maybe(fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/)),
  otherOrigin: maybe(fc.oneof(geoid, point)),
  otherMode: mode,
  otherTiming: timing,
  compared: fc.constantFrom(...COMPARED),
  before: maybe(fc.stringMatching(/^[0-9A-Za-z][0-9A-Za-z._-]{0,80}$/)),
  after: maybe(fc.stringMatching(/^[0-9A-Za-z][0-9A-Za-z._-]{0,80}$/)),
  // An OSM id × 4 + 1, 2 or 3, or 50 bits of a hash × 4.
  poi: maybe(fc.nat({ max: MAX_DEST_ID })),
  basket: maybe(
    fc.array(
      fc.record({
        mode: fc.constantFrom('walk', 'bike', 'transit'),
        type: fc.nat(9_999),
        minutes: fc.constantFrom(5, 10, 15, 20, 25, 30),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  ),
  basketBy: fc.constantFrom(...BASKET_BY),
  area: maybe(fc.oneof(fc.stringMatching(/^(\d{5}|\d{7}|\d{11})$/), circle, drawnArea)),
  sites: fc.uniqueArray(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
      lat: degrees(85),
      lon: degrees(180),
      isCandidate: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  ),
  sitesType: maybe(fc.nat(9_999)),
  sitesColoured: fc.constantFrom(...SITES_COLOURED),
  sitesBy: fc.record({
    direction: fc.constantFrom(...DIRECTIONS),
    weight: fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/),
    choose: fc.integer({ min: 1, max: REQUEST_LIMITS.chosen }),
    within: fc.constantFrom(...SITE_MINUTES),
  }),
  adds: fc.constantFrom(...SITE_KINDS),
  opacity: fc.integer({ min: 20, max: 100 }),
});

test('every state is written as a short address, and read back from it', () =>
  forAll(500, states, (state) => {
    const address = writeMapState(state);
    expect(address.length).toBeLessThan(2_500);
    expect(address).toMatch(/^#x=1[\w=&/,.;!%'()*~-]*$/);
    expect(readMapState(address)).toEqual({ state, faults: [] });
  }));

test('any text is read, and an invalid member is reported once', () =>
  forAll(
    500,
    fc.string(),
    fc.constantFrom('v', 'map', 'b', 'o', 'd', 'min', 'w', 'k', 'a', 'q'),
    (text, key) => {
      readMapState(text);
      const address = `#x=1&m=bike&${key}=${encodeURIComponent(`~${text}`)}`;
      const { state, faults } = readMapState(address);
      expect(state).toEqual({ ...readMapState('#x=1').state, mode: 'bike' });
      expect(faults).toEqual([expect.stringContaining(`(${key})`)]);
    },
  ));

test('more sites than an address holds are left out of it, and two sites with one id are refused', () => {
  const sitesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: `${i}`,
      lat: i / 10,
      lon: -i,
      isCandidate: false,
    }));
  const { state } = readMapState('#x=1&v=sites');
  const addressOf = (count: number) => writeMapState({ ...state, sites: sitesOf(count) });
  expect(readMapState(addressOf(MAX_ADDRESS_SITES)).state.sites).toHaveLength(MAX_ADDRESS_SITES);
  expect(addressOf(MAX_ADDRESS_SITES + 1)).toBe('#x=1&v=sites');
  expect(readMapState('#x=1&q=1,2,a;3,4,a').faults).toEqual([expect.stringContaining('(q)')]);
});

test('an address without the minutes of sites, as they once were, has the first ones', () => {
  const { state, faults } = readMapState('#x=1&v=sites&y=from-jobs-2');
  expect(state.sitesBy).toEqual({ direction: 'from', weight: 'jobs', choose: 2, within: 15 });
  expect(faults).toEqual([]);
});

test('an area with too many corners for an address is left out of it', () => {
  const points = Array.from({ length: 500 }, (_, i) => ({ lat: i / 100, lon: i % 7 }));
  const { state } = readMapState('#x=1');
  expect(writeMapState({ ...state, area: [[ringOf(points)]] })).toBe('#x=1');
});

describe('a GeoJSON file', () => {
  const square = [
    [
      [-70.2, 36],
      [-70.1, 36],
      [-70.1, 36.1],
      [-70.2, 36.1],
      [-70.2, 36],
    ],
  ];
  const polygon = { type: 'Polygon', coordinates: square };
  const feature = { type: 'Feature', properties: {}, geometry: polygon };

  test.each([
    ['a polygon', polygon, 1],
    ['a feature', feature, 1],
    [
      'a feature without a geometry beside one with',
      { type: 'FeatureCollection', features: [{ ...feature, geometry: null }, feature] },
      1,
    ],
    [
      'several polygons',
      {
        type: 'MultiPolygon',
        coordinates: [square, square.map((ring) => ring.map(([x, y]) => [x + 1, y, 12]))],
      },
      2,
    ],
  ])('with %s is an area', (_, json, count) => {
    const read = readArea(JSON.stringify(json));
    expect('area' in read && read.area).toHaveLength(count);
    expect('area' in read && read.area[0]).toEqual(square);
  });

  const withRing = (ring: unknown) => JSON.stringify({ ...polygon, coordinates: [ring] });
  test.each([
    ['<kml/>', /not valid JSON/],
    ['null', /no polygon/],
    [JSON.stringify({ type: 'Point', coordinates: [1, 2] }), /no polygon/],
    [withRing(square[0].slice(0, -1)), /not closed/],
    [
      withRing([
        [0, 0],
        [1, 1],
        [0, 1],
        [1, 0],
        [0, 0],
      ]),
      /crosses itself/,
    ],
    [
      withRing([
        [500000, 4000000],
        [1, 1],
        [0, 1],
        [500000, 4000000],
      ]),
      /longitude and latitude/,
    ],
    [withRing(square[0].map(() => ['a', null])), /longitude and latitude/],
    [
      withRing([...Array.from({ length: 2001 }, (_, i) => [i / 100, Math.sin(i)]), [0, 0]]),
      /too complex/,
    ],
  ])('%.40s is refused with the reason', (text, reason) => {
    expect(readArea(text)).toEqual({ fault: expect.stringMatching(reason) });
  });
});

test('another version and unknown members are reported', () => {
  const { state, faults } = readMapState('#x=2&m=walk&zz=1');
  expect(state.mode).toBe('walk');
  expect(faults.join(' ')).toMatch(/another version.*zz/);
});

describe('a map opens', () => {
  const blocks = [-77, 39, -76, 40];

  test('on the POIs, not on blocks of water around them', () => {
    expect(openingBox(blocks, [-76.7, 39.2, -76.5, 39.4])).toEqual([-76.7, 39.2, -76.5, 39.4]);
  });

  test('within the blocks, even if stations lie beyond', () => {
    expect(openingBox(blocks, [-76.7, 38, -75, 41])).toEqual([-76.7, 39, -76, 40]);
  });

  test('on all blocks without a POI among them', () => {
    expect(openingBox(blocks, null)).toEqual(blocks);
    expect(openingBox(blocks, [-80, 39, -79, 40])).toEqual(blocks);
  });
});

test('a catchment shows at most half an hour, and leaves a longer slider to the other views', () => {
  const within = (view: MapState['view']) =>
    [29, 30, 31, 60].map((minutes) => minutesOf({ view, minutes }));
  expect(within('catchment')).toEqual([29, 30, 30, 30]);
  expect(within('reach')).toEqual([29, 30, 31, 60]);
  expect(within('compare')).toEqual([29, 30, 31, 60]);
});

test('sliders end where the times of the API do', () => {
  expect(MAX_MINUTES).toBe(BOUNDS.contour.max);
  expect(MAX_CATCHMENT_MINUTES).toBe(BOUNDS.maxMinutes.max);
});
