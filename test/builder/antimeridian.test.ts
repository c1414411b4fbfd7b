import { expect, test } from 'vitest';
import { scopeCounties } from '../../builder/county/county-scope.ts';
import type { LinkedRegion } from '../../builder/region/link-region.ts';
import { ROUTING } from '../../builder/routing-parameters.ts';

/** Adak and, across the antimeridian, Semisopochnoi: both of Aleutians West, 02016. */
const ISLANDS = [
  { lon: -176.65, lat: 51.88 },
  { lon: 179.9, lat: 51.95 },
];

test('a county across the antimeridian covers the ground around its islands, not a belt around the globe', () => {
  const blocks = ISLANDS.map((at, i) => ({ ...at, geoid: 1 + i, county: '02016', isWater: false }));
  const counties = new Map([['02016', blocks]]);
  const near = { entrances: [{ lon: -179.99, lat: 51.95 }] };
  const far = { entrances: [{ lon: 0, lat: 51.95 }] };
  const [scope] = scopeCounties({
    region: {
      counties,
      targets: counties,
      destinations: [near, far],
      riders: [],
      streets: {},
      routing: ROUTING,
    },
    searchRegion: {
      destinationCount: 2,
      firstInside: new Int32Array(3),
      inside: new Int32Array(0),
    },
  } as unknown as LinkedRegion);
  for (const { lon, lat } of ISLANDS) expect(scope.ground.hasPoint(lon, lat)).toBe(true);
  expect(scope.ground.hasPoint(179.99, 51.95)).toBe(true);
  // 10 km east of Semisopochnoi, on the other side of the antimeridian.
  expect(scope.ground.hasPoint(-179.95, 51.95)).toBe(true);
  expect(scope.ground.hasPoint(0, 51.95)).toBe(false);
  expect([...scope.destinations]).toEqual([0]);
});
