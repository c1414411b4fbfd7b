import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { MICRO } from '../../shards/units.ts';
import { type DrawnRelease, openDrawnRelease, tilePosition } from './drawn-release.ts';

const EXTENT = 4096;

let city: DrawnRelease;
beforeAll(async () => {
  city = await openDrawnRelease(inject('demoStore'));
});
afterAll(() => city.close());

test('every POI of a release is drawn once, where it is, in the archive of each of its types', async () => {
  const { release } = city;
  /** Positions in units of zoom 14, by archive, id and name. */
  const expected = new Map<string, readonly number[]>();
  for (const county of Object.values(release.manifest.counties)) {
    const { matrix, table } = await release.catchments(county);
    for (let poi = 0; poi < table.count; poi++) {
      const at = tilePosition(table.lon[poi] / MICRO, table.lat[poi] / MICRO, 14);
      for (const type of table.types(poi)) {
        const key = [`pois-${type}`, matrix.origins[poi], table.name(poi)].join();
        expected.set(
          key,
          at.map((one) => one * EXTENT),
        );
      }
    }
  }
  expect(expected.size).toBeGreaterThan(300);
  for (const type of release.taxonomy.leafIds) {
    for (const { x, y } of city.addresses(14)) {
      for (const feature of await city.features(`pois-${type}`, 14, x, y)) {
        const [[point]] = feature.loadGeometry();
        const key = [`pois-${type}`, feature.id, feature.properties.name ?? ''].join();
        const drawn = [x * EXTENT + point.x, y * EXTENT + point.y];
        const place = expected.get(key) ?? [];
        expect([key, ...place.map((one, i) => Math.abs(one - drawn[i]) < 1.5)]).toEqual([
          key,
          true,
          true,
        ]);
        // Drawn once: another would find no place.
        expected.delete(key);
      }
    }
  }
  expect([...expected.keys()]).toEqual([]);
});

test('below zoom 14, a POI has its id alone', async () => {
  const type = city.release.taxonomy.leafIds[0];
  const features = await Promise.all(
    city.addresses(11).map(({ x, y }) => city.features(`pois-${type}`, 11, x, y)),
  );
  expect(features.flat().length).toBeGreaterThan(0);
  expect(features.flat().every(({ properties }) => Object.keys(properties).length === 0)).toBe(
    true,
  );
});
