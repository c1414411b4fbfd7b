import { describe, expect, test } from 'vitest';
import { drawnArea } from '../../proxy/queries/areas/drawn-area.ts';
import { blocksIn } from '../../proxy/queries/areas/drawn-blocks.ts';
import { circleArea, type SearchedArea } from '../../proxy/queries/searched-area.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { boxRing, positions } from '../support/rings.ts';
import { type WideCounty, wholeCountry, wideRelease } from '../support/wide-release.ts';

/** Codes of the counties with blocks in an area, and of those examined, and the number of pages. */
async function search(counties: readonly WideCounty[], area: SearchedArea) {
  const { release, read } = wideRelease(counties);
  const found: string[] = [];
  let pages = 0;
  for (let from: number | null = 0; from !== null; pages++) {
    const { counties, beyond } = await blocksIn(release, area, from);
    for await (const { index, ordinals } of counties) {
      for (const i of ordinals) found.push(String(Math.floor(index.geoids[i] / 1e10)));
    }
    from = beyond;
  }
  return { found, read, pages };
}

async function problemOf(polygons: readonly Polygon[]): Promise<string> {
  try {
    await drawnArea(polygons, Turns.SHARED);
    return 'none';
  } catch (error) {
    return `${(error as { slug?: string }).slug}: ${(error as Error).message}`;
  }
}

describe('the area limit cannot be bypassed', () => {
  const country = boxRing(-100, 30, -80, 40);

  test('by holes outside the shell, or twice in the same place', async () => {
    const away = [boxRing(100, 30, 120, 40), boxRing(-140, 30, -121, 40)];
    expect(await problemOf([[country, ...away]])).toMatch(/^invalid-geometry: .*hole/);
    const hole = boxRing(-99, 31, -81, 39);
    expect(await problemOf([[country, hole, hole]])).toMatch(/^invalid-geometry/);
    const slid = boxRing(-98.9, 31.1, -80.9, 39.1);
    expect(await problemOf([[country, hole, slid]])).toMatch(/^invalid-geometry/);
  });

  test('by overlapping polygons', async () => {
    const [a, b] = [boxRing(-100, 30, -99.9, 30.1), boxRing(-99.95, 30.05, -99.8, 30.2)];
    expect(await problemOf([[a], [b]])).toMatch(/^invalid-geometry: .*overlap/);
    expect(await problemOf([[a], [a]])).toMatch(/^invalid-geometry: .*overlap/);
    expect(await problemOf([[a], [boxRing(-99.9, 30, -99.8, 30.1)]])).toBe('none');
  });

  test('the space between two hundred small rings counts', async () => {
    const holes = Array.from({ length: 200 }, (_, i) => {
      const [west, south] = [-99 + (i % 20) * 0.9, 31 + Math.floor(i / 20) * 0.8];
      return boxRing(west, south, west + 0.1, south + 0.1);
    });
    expect(await problemOf([[country, ...holes]])).toMatch(/^polygon-too-complex: .*km²/);
  });
});

describe('a search examines only counties that the area touches', () => {
  test('and none between two polygons far apart', async () => {
    const area = await drawnArea(
      [[boxRing(-99.9, 30.1, -99.8, 30.2)], [boxRing(-80.2, 39.8, -80.1, 39.9)]],
      Turns.SHARED,
    );
    const { found, read } = await search(wholeCountry(), area);
    expect(read).toEqual(['10001', '13200']);
    expect(found).toEqual(['10001', '13200']);
  });

  test('and none around a sliver across the country', async () => {
    const sliver: Ring = positions('-99.9 30.01, -80.1 39.99, -80.1 39.99001, -99.9 30.01');
    const { read, pages } = await search(wholeCountry(), await drawnArea([[sliver]], Turns.SHARED));
    // The sliver runs from corner to corner through 80 columns and 40 rows.
    expect(read.length).toBeLessThanOrEqual(120);
    expect(read.length).toBeGreaterThanOrEqual(80);
    expect(pages).toBe(Math.ceil(read.length / 64));
  });

  test('and finds a county without a corner in the area, and an area within a county', async () => {
    const centres = [[-99.5, 30.5]] as const;
    const county = { fips: '10001', box: [-100, 30, -99, 31] as const, centres };
    const inside = await drawnArea([[boxRing(-99.6, 30.4, -99.4, 30.6)]], Turns.SHARED);
    expect((await search([county], inside)).found).toEqual(['10001']);
    const small = { ...county, box: [-99.51, 30.49, -99.49, 30.51] as const };
    expect((await search([small], inside)).found).toEqual(['10001']);
    const across = await drawnArea([[boxRing(-101, 30.49, -98, 30.51)]], Turns.SHARED);
    expect((await search([county], across)).found).toEqual(['10001']);
  });

  test('and 64 of them per page, all of them over all pages', async () => {
    const teeth = Array.from({ length: 30 }, (_, i): [number, number][] => {
      const y = 30.1 + i * 0.3;
      return [
        [-99.7, y],
        [-80.3, y],
        [-80.3, y + 1e-5],
        [-99.7, y + 1e-5],
      ];
    });
    const spine: Ring = positions('-99.70001 38.8, -99.70001 30.1, -99.7 30.1');
    const area = await drawnArea([[[...teeth.flat(), ...spine]]], Turns.SHARED);
    const { read, pages } = await search(wholeCountry(), area);
    expect(new Set(read).size).toBe(read.length);
    expect(pages).toBe(Math.ceil(read.length / 64));
    expect(read.length).toBeGreaterThan(1_000);
  });
});

describe('a circle across the antimeridian', () => {
  const aleutians: WideCounty = {
    fips: '02016',
    box: [-180, 51, 180, 54],
    centres: positions('179.9 52, -179.9 52, -170 52'),
  };

  test.each([[179.99], [-179.99], [180], [-180]])('around %s contains both sides', async (lon) => {
    const { release } = wideRelease([aleutians]);
    const { counties } = await blocksIn(release, circleArea(lon, 52, 20_000), 0);
    const blocks: number[] = [];
    for await (const { index, ordinals } of counties) {
      for (const i of ordinals) blocks.push(index.geoids[i]);
    }
    expect(blocks).toEqual([2016e10, 2016e10 + 1]);
  });
});
