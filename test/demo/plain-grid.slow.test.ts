import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { PLAIN_GRID, PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { plainGridBlock, plainGridCorner, plainGridWalk } from '../support/plain-grid-oracle.ts';
import { releaseIn } from '../support/release-in.ts';
import { writtenCity } from './written-city.ts';

const CELLS = Array.from({ length: PLAIN_GRID.side ** 2 }, (_, i) => ({
  column: i % PLAIN_GRID.side,
  row: Math.floor(i / PLAIN_GRID.side),
}));

test('the plain grid is a grid of 120 m on the ellipsoid, to a centimetre or two', () => {
  const plan = planCity({ blocks: 5_000, seed: 11 });
  for (const { column, row } of CELLS) {
    const [lon, lat] = plainGridCorner(plan, column, row);
    const [east] = plainGridCorner(plan, column + 1, row);
    const [above, north] = plainGridCorner(plan, column, row + 1);
    const { perLon, perLat } = metresPerDegree((lat + north) / 2);
    expect((east - lon) * metresPerDegree(lat).perLon).toBeCloseTo(120, 1);
    const [dx, dy] = [(above - lon) * perLon, (north - lat) * perLat];
    expect(Math.abs(Math.hypot(dx, dy) - 120)).toBeLessThan(0.012);
  }
});

test.each([
  { blocks: 500, seed: 1 },
  { blocks: 2_000, seed: 99 },
])(
  'every walk in the plain grid takes the time worked out by hand ($blocks blocks, seed $seed)',
  async (options) => {
    const { out, files } = await writtenCity(options.blocks, options.seed);
    try {
      const plan = planCity(options);
      const store = new FolderStore(`${out}/store`);
      const request = { osm: [files.osm], blocks: files.blocks, counties: ['99001'] };
      await buildRelease({ ...request, release: 'grid', tiles: false }, store, silent);
      const release = await releaseIn(store);
      const county = release.manifest.counties['99001'];
      const index = await release.index(county);
      const pois = await release.pois(county);
      const places = PLAIN_GRID_PLACES.map((place) => {
        const target = Array.from(pois.matrix.targets.keys()).find(
          (ordinal) => pois.table.facts(ordinal).name === place.name,
        )!;
        const [lon, lat] = plainGridCorner(plan, place.column, place.row);
        expect(pois.table.facts(target).lon).toBeCloseTo(lon, 6);
        expect(pois.table.facts(target).lat).toBeCloseTo(lat, 6);
        return { ...place, target };
      });
      for (const cell of CELLS) {
        const ordinal = index.ordinalOf(plainGridBlock(plan, cell.column, cell.row).geoid);
        expect(index.link(ordinal, 'walk').snap).toBeCloseTo(PLAIN_GRID.snap, 1);
        const [walk] = await pois.matrix.row(ordinal);
        for (const place of places) {
          const at = walk.targets.indexOf(place.target);
          expect(at).not.toBe(-1);
          expect(walk.times[at] / 10).toBe(plainGridWalk(cell, place));
        }
      }
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  },
);

/**
 * Differentiates the geodetic to geocentric conversion numerically: no formula in common with the
 * code under test.
 */
function metresPerDegree(lat: number): { perLon: number; perLat: number } {
  const [a, b] = [6_378_137, 6_356_752.314245];
  const meridian = (degrees: number) => {
    const phi = (degrees * Math.PI) / 180;
    const n = (a * a) / Math.hypot(a * Math.cos(phi), b * Math.sin(phi));
    return [n * Math.cos(phi), ((b * b) / (a * a)) * n * Math.sin(phi)];
  };
  const step = 1e-3;
  const [below, above] = [meridian(lat - step), meridian(lat + step)];
  const perLat = Math.hypot(above[0] - below[0], above[1] - below[1]) / (2 * step);
  return { perLon: (meridian(lat)[0] * Math.PI) / 180, perLat };
}
