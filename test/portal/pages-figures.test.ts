import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailedPage, nextPageOf, nextParameter } from '../../portal/page-paths.ts';
import { distanceUnit, roundLength } from '../../portal/pages/formats.ts';
import { sourcesOf } from '../../portal/pages/front/data-sources.ts';
import { drawOutline } from '../../portal/pages/front/outline.ts';
import { readMapState, writeMapState } from '../../portal/pages/map/state/map-state.ts';
import { detailInWords } from '../../portal/pages/my/activity-text.ts';
import { chartScale } from '../../portal/pages/my/chart-scale.ts';
import { divideUsage, lastDays } from '../../portal/pages/my/divided-usage.ts';
import { nextPath } from '../../portal/pages/router/routes.ts';
import { forAll } from '../support/for-all.ts';
import { positions } from '../support/rings.ts';

const SIZE = { width: 480, height: 320 };

/** The corners of an SVG path of straight lines. */
function corners(path: string): [number, number][] {
  return [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

/** Great-circle distance in metres, by the haversine formula. */
function metresBetween([lonA, latA]: number[], [lonB, latB]: number[]): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [a, b] = [radians(latA), radians(latB)];
  const half =
    Math.sin((b - a) / 2) ** 2 +
    Math.cos(a) * Math.cos(b) * Math.sin(radians(lonB - lonA) / 2) ** 2;
  return 2 * 6_371_009 * Math.asin(Math.sqrt(half));
}

test('activity is described as text: devices, tokens and days, and the self-reported names of unknown clients', () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
  const chrome = `${agent} Chrome/150.0.0.0 Safari/537.36`;
  expect(detailInWords('signed-in', `${chrome}, 192.0.2.7`)).toBe('Chrome on Linux, 192.0.2.7');
  expect(detailInWords('signed-in', 'curl/8.11.0, 2001:db8::/64')).toBe(
    'curl/8.11.0, 2001:db8::/64',
  );
  expect(detailInWords('session-ended', chrome)).toBe('Chrome on Linux');
  expect(detailInWords('membership-changed', 'active, renews 2027-01-02T09:00:00.000Z')).toMatch(
    /^active, renews Jan(uary)? 2, 2027$/,
  );
  expect(detailInWords('membership-changed', 'none')).toBe('none');
  expect(detailInWords('tokens-granted', '5000, signup')).toBe('5,000 tokens for signing up');
});

test('an outline lies within its margin, and its scale is that of the ground', async () => {
  const place = fc.record({
    lon: fc.double({ min: -170, max: 170, noNaN: true }),
    lat: fc.double({ min: -60, max: 70, noNaN: true }),
    wide: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
    high: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
  });
  await forAll(100, place, ({ lon, lat, wide, high }) => {
    const ring: [number, number][] = [
      [lon, lat],
      [lon + wide, lat],
      [lon + wide, lat + high],
      [lon, lat + high],
      [lon, lat],
    ];
    const { path, frame } = drawOutline(
      { geometry: { type: 'Polygon', coordinates: [ring] } },
      SIZE,
    );
    const drawn = corners(path);
    for (const [x, y] of drawn) {
      expect(x).toBeGreaterThanOrEqual(23.9);
      expect(x).toBeLessThanOrEqual(456.1);
      expect(y).toBeGreaterThanOrEqual(23.9);
      expect(y).toBeLessThanOrEqual(296.1);
    }
    // Compares the west side of the box on the ground and in the picture, where corners are rounded
    // to 0.1.
    const height = Math.abs(drawn[3][1] - drawn[0][1]);
    const expected = height / metresBetween(ring[3], ring[0]);
    expect(Math.abs(frame.perMetre - expected)).toBeLessThan((0.003 + 0.2 / height) * expected);
  });
});

test('a place across the antimeridian is drawn in one piece', () => {
  const east = positions('179.8 51, 180 51, 180 52, 179.8 52, 179.8 51');
  const west = positions('-180 51, -179.8 51, -179.8 52, -180 52, -180 51');
  const { path, frame } = drawOutline(
    { geometry: { type: 'MultiPolygon', coordinates: [[east], [west]] } },
    SIZE,
  );
  const xs = corners(path).map(([x]) => x);
  expect(Math.max(...xs) - Math.min(...xs)).toBeLessThan(SIZE.width);
  const xOf = (lon: number) => frame.placeOf({ lon, lat: 51 })[0];
  expect(xOf(-180)).toBeCloseTo(xOf(180), 6);
  expect(xOf(-179.8)).toBeGreaterThan(xOf(179.8));
});

test('lengths of a scale are 1, 2 or 5 times a power of ten of miles, feet, kilometers or meters', () => {
  const lengths = (units: 'us' | 'metric', ...most: number[]) =>
    most.map((one) => roundLength(one, units).text);
  expect(lengths('us', 1, 200, 1_600, 1_610, 8_100, 33_000)).toEqual([
    '2 ft',
    '500 ft',
    '5,000 ft',
    '1 mi',
    '5 mi',
    '20 mi',
  ]);
  expect(lengths('metric', 1, 199, 999, 1_000, 4_999, 33_000)).toEqual([
    '1 m',
    '100 m',
    '500 m',
    '1 km',
    '2 km',
    '20 km',
  ]);
  expect(roundLength(1_700, 'us').metres).toBeCloseTo(1609.344);
});

test('distances are typed in miles or kilometers', () => {
  expect(distanceUnit('us')).toEqual({ name: 'miles', metres: 1609.344 });
  expect(distanceUnit('metric')).toEqual({ name: 'kilometers', metres: 1000 });
});

test('usage by day and part adds up to the total', async () => {
  const days = lastDays(30, Date.parse('2026-03-01T12:00:00Z'));
  expect([days.length, days[0], days[28], days[29]]).toEqual([
    30,
    '2026-01-31',
    '2026-02-28',
    '2026-03-01',
  ]);
  const row = fc.record({
    day: fc.constantFrom(...days),
    key_id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    route: fc.constant('GET /v1/blocks/{geoid}/summary'),
    requests: fc.integer({ min: 1, max: 9 }),
    tokens: fc.integer({ min: 0, max: 1_000 }),
  });
  await forAll(100, fc.array(row), (rows) => {
    const { parts, days: bars, tokens } = divideUsage(rows, days, ({ key_id }) => key_id);
    expect(parts.length).toBeLessThanOrEqual(4);
    expect(bars.map((bar) => bar.day)).toEqual(days);
    let all = 0;
    for (const { day, ofParts, tokens: ofDay } of bars) {
      let expected = 0;
      for (const one of rows) if (one.day === day) expected += one.tokens;
      expect(ofDay).toBe(expected);
      expect(ofParts.reduce((sum, part) => sum + part, 0)).toBe(expected);
      all += expected;
    }
    expect(tokens).toBe(all);
  });
});

test('a chart has at most five lines, at whole numbers, and room for its highest bar', () =>
  forAll(100, fc.array(fc.nat({ max: 1e9 }), { minLength: 1, maxLength: 90 }), (values) => {
    const { lines, top, yOf } = chartScale(values, 600);
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(lines.every(Number.isInteger)).toBe(true);
    expect(yOf(Math.max(...values))).toBeGreaterThanOrEqual(top);
  }));

test('sign-in redirects to our own pages only', () => {
  expect(nextPath('?next=/my/keys')).toBe('/my/keys');
  const map = '/map#x=1&v=reach&o=36.1,-70.2&q=36,-70,a%2520b';
  expect(nextPath(`?next=${nextParameter(nextPageOf(map))}`)).toBe(map);
  for (const next of [
    '',
    '?next=//evil.example',
    '?next=https://evil.example',
    '?next=/my/../x',
    '?next=/mapx',
    '?next=/map%23"><b>',
    `?next=/map%23${'a'.repeat(4_001)}`,
  ]) {
    expect(nextPath(next)).toBe('/my');
  }
});

test('signing in leads back to the map in the largest state that it writes, a mail to the map', () => {
  const [lat, lon] = [36.123_456, -70.123_456];
  const sites = Array.from({ length: 50 }, (_, i) => {
    return { id: `site ${i}`, lat, lon: lon + i / 1e6, isCandidate: true };
  });
  const ring = Array.from({ length: 70 }, (_, i): [number, number] => [lon + i / 1e6, lat]);
  const state = { ...readMapState('').state, sites, area: [[ring]] };
  const map = `/map${writeMapState(state)}`;
  expect(map.length).toBeGreaterThan(2_900);
  expect(nextPath(`?next=${nextParameter(nextPageOf(map))}`)).toBe(map);
  expect(mailedPage(nextPageOf(map))).toBe('/map');
  expect(mailedPage('/map#x=1')).toBe('/map#x=1');
});

test('the sources in the version of a data component are named, and no others', () => {
  expect(sourcesOf('osm-280a96cc4651f438+gtfs-37d0c4e79d18a95b/taxonomy-2026.3-4bbd2f04')).toBe(
    'OpenStreetMap; GTFS feeds of the transit agencies',
  );
  expect(sourcesOf('osm-280a96cc4651f438+files-11aa/taxonomy-2026.3-4bbd2f04')).toBe(
    'OpenStreetMap; POI lists of the operator',
  );
  expect(sourcesOf('tabblock20-359749aabd457178/blocks-28f6766b')).toBe(
    'US Census Bureau, TIGER/Line 2020',
  );
});
