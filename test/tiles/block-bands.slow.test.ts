import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { BlockBands, encodeBlockBands } from '../../shards/bands/block-bands.ts';
import { ShardError } from '../../shards/errors.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { forAll } from '../support/for-all.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { columnsByRanges } from './columns-by-ranges.ts';

const proxy = proxyOfTests();

interface Listed {
  readonly county: string;
  readonly bounds: readonly number[];
  readonly blocks: number;
  readonly population: number;
  readonly url: string;
  readonly bytes: number;
}

async function listed(query = ''): Promise<{ counties: Listed[]; counties_found: number }> {
  return (await proxy.get(`/v1/meta/block-bands${query}`)).json();
}

/** Reads block bands by ranges: the bands by mode and type, and the GEOIDs of the blocks. */
async function readByRanges(url: string) {
  const {
    head,
    columns: bands,
    end,
  } = await columnsByRanges(proxy, url, 'TTABAND1', ({ geoid_steps }) => geoid_steps.length);
  const types: readonly number[] = head.dest_type_ids;
  const names = head.modes.flatMap((mode: string) => types.map((type) => `${mode} ${type}`));
  const columns = new Map<string, number[]>(bands.map((column, i) => [names[i], column]));
  let geoid = 0;
  const geoids: string[] = head.geoid_steps.map((step: number) => {
    geoid += step;
    return String(geoid).padStart(15, '0');
  });
  return { head, columns, geoids, end };
}

test('block bands read by ranges class every third block by the minutes that the API returns', async () => {
  const { modes, taxonomy } = proxy.releases.current.manifest;
  const leaves = proxy.releases.current.taxonomy.leafIds;
  expect(taxonomy.types.length).toBeGreaterThan(leaves.length);
  const { counties } = await listed();
  const seen = new Map<number, number>();
  for (const { county, url, blocks, population, bytes } of counties) {
    const { head, columns, geoids, end } = await readByRanges(url);
    expect([head.county, geoids.length, end]).toEqual([county, blocks, bytes]);
    expect(head.population.reduce((sum: number, one: number | null) => sum + (one ?? 0), 0)).toBe(
      population,
    );
    for (const [i, geoid] of geoids.entries()) {
      if (i % 3 !== 0) continue;
      const response = await proxy.get(`/v1/blocks/${geoid}/summary`, proxy.key);
      const { block, results, unrouted = [] } = response.json();
      expect([geoid, block.population, block.land_area_m2 === 0]).toEqual([
        geoid,
        head.population[i],
        head.water.includes(i),
      ]);
      const without = new Set(unrouted.map(({ mode }: { mode: string }) => mode));
      const minutes = new Map<string, number>(
        results.map((row: { mode: string; dest_type_id: number; travel_time: number }) => [
          `${row.mode} ${row.dest_type_id}`,
          row.travel_time,
        ]),
      );
      for (const mode of modes) {
        for (const type of leaves) {
          const time = minutes.get(`${mode} ${type}`);
          const ends = [5, 10, 15, 20, 25, 30];
          const beyond = without.has(mode) ? 0 : 7;
          const wanted = time === undefined ? beyond : ends.filter((end) => time > end).length + 1;
          const found = columns.get(`${mode} ${type}`)![i];
          if (found !== wanted) expect([geoid, mode, type, time, found]).toBe(wanted);
          seen.set(found, (seen.get(found) ?? 0) + 1);
        }
      }
    }
  }
  expect([...seen.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('the list of block bands has the counties whose blocks are in the box', async () => {
  const all = (await listed()).counties;
  expect(all.map(({ county }) => county)).toEqual(
    Object.keys(proxy.releases.current.manifest.counties).sort(),
  );
  expect(all.length).toBeGreaterThan(1);
  const [[west, south, east, north]] = all.map(({ bounds }) => bounds);
  const lon = fc.double({ min: west - 0.1, max: east + 0.1, noNaN: true });
  const lat = fc.double({ min: south - 0.1, max: north + 0.1, noNaN: true });
  await forAll(40, lon, lat, lon, lat, async (a, b, c, d) => {
    const box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
    const text = box.map((degrees) => degrees.toFixed(6));
    const wanted = all.filter(({ bounds }) => {
      const [w, s, e, n] = text.map(Number);
      return bounds[0] <= e && bounds[2] >= w && bounds[1] <= n && bounds[3] >= s;
    });
    const found = await listed(`?bbox=${text}`);
    expect([found.counties, found.counties_found]).toEqual([wanted, wanted.length]);
  });
  const refused = await proxy.get('/v1/meta/block-bands?bbox=1,2,3');
  expect([refused.statusCode, refused.json().type]).toEqual([
    400,
    expect.stringMatching(/\/invalid-bbox$/),
  ]);
});

test('block bands are served as stored, to pages of any origin, and may be cached for ever', async () => {
  const [{ url, bytes }] = (await listed()).counties;
  const { pathname } = new URL(url);
  const whole = await proxy.get(pathname);
  const file = await readFile(path.join(inject('demoStore'), pathname));
  expect([whole.statusCode, whole.rawPayload.equals(file), file.length]).toEqual([
    200,
    true,
    bytes,
  ]);
  expect(whole.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  for (const name of ['block-bands-00000-0123456789abcdef.bands', 'block-bands-99001-.bands']) {
    const refused = await proxy.get(`/tiles/${name}`);
    expect([refused.statusCode, refused.json().detail]).toEqual([
      404,
      expect.stringContaining('/v1/meta/block-bands'),
    ]);
  }
});

test('any bands of any number of blocks are decoded as they were encoded; truncated ones are refused', async () => {
  const bands = fc.uint8Array({ min: 0, max: 7, maxLength: 400 });
  await forAll(100, bands, fc.nat(), async (walk, cut) => {
    const geoids = Array.from(walk, (_, i) => 240010001001000 + i * 7);
    const facts = {
      county: '24001',
      modes: ['walk', 'bike'] as const,
      leafIds: [101],
      geoids,
      lon: geoids.map((_, i) => -70_000_000 - i * 1_340),
      lat: geoids.map((_, i) => 39_000_000 + (i % 7) * 990),
      population: Array.from(walk, (band, i) => (band === 0 ? null : i)),
      water: [...walk.keys()].filter((i) => walk[i] === 7),
    };
    const bike = walk.toReversed();
    const bytes = await encodeBlockBands(facts, Uint8Array.from([...walk, ...bike]));
    const read = new BlockBands('tiles/x', bytes);
    expect([...read.geoids].map(geoidFromNumber)).toEqual(geoids.map(geoidFromNumber));
    expect([[...read.lon], [...read.lat]]).toEqual([facts.lon, facts.lat]);
    expect([read.county, read.modes, read.leafIds, read.population, read.water]).toEqual([
      '24001',
      ['walk', 'bike'],
      [101],
      facts.population,
      facts.water,
    ]);
    expect([read.column(0), read.column(1)]).toEqual([walk, bike]);
    const shorter = bytes.subarray(0, cut % bytes.length);
    expect(() => new BlockBands('tiles/x', shorter)).toThrow(ShardError);
  });
});
