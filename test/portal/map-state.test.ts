import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openingBox } from '../../portal/pages/map/catalogue/opening-box.ts';
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
const states: fc.Arbitrary<MapState> = fc.record({
  view: fc.constantFrom(...VIEWS),
  mode,
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
  compared: fc.constantFrom(...COMPARED),
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
  area: maybe(fc.stringMatching(/^(\d{5}|\d{7})$/)),
  sites: fc.uniqueArray(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
      lat: degrees(85),
      lon: degrees(180),
      isCandidate: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  ),
  sitesBy: fc.record({
    direction: fc.constantFrom(...DIRECTIONS),
    weight: fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/),
    choose: fc.integer({ min: 1, max: REQUEST_LIMITS.chosen }),
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
