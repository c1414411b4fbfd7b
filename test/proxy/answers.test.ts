import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { PLAIN_GRID, PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import { plainGridBlock, plainGridWalk } from '../../infra/demo/plain-grid-oracle.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let key: string;
let geoids: string[];

beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  ({ key } = await proxy.customer({ tokens: 1e9 }));
  const release = proxy.releases.current;
  geoids = [];
  for (const county of Object.values(release.manifest.counties)) {
    geoids.push(...Array.from((await release.index(county)).geoids, geoidFromNumber));
  }
});
afterAll(() => proxy.close());

interface PoiRow {
  dest_id: number;
  mode: string;
  travel_time: number;
}

const summaryOf = async (geoid: string, query = '') =>
  (await proxy.get(`/v1/blocks/${geoid}/summary${query}`, key)).json();

async function allPois(geoid: string, query = 'limit=1000') {
  const rows: PoiRow[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const url = `/v1/blocks/${geoid}/pois?${query}${next}`;
    const page: { results: PoiRow[]; next_cursor: string | null } = (
      await proxy.get(url, key)
    ).json();
    rows.push(...page.results);
    cursor = page.next_cursor;
    pages++;
  }
  return { rows, pages };
}

const sample = (every: number) => geoids.filter((_, i) => i % every === 0);
const modeRank = (mode: string) => ['walk', 'bike', 'transit'].indexOf(mode);
const inOrder = (rows: PoiRow[]) =>
  rows.every((row, i) => {
    const before = rows[i - 1];
    if (!before) return true;
    const rank = modeRank(row.mode) - modeRank(before.mode);
    return rank > 0 || (rank === 0 && row.dest_id > before.dest_id);
  });

describe('times', () => {
  test('on the plain grid are those worked out by hand, for every block and place', async () => {
    const plan = planCity(DEMO_CITY);
    let compared = 0;
    for (let column = 0; column < PLAIN_GRID.side; column++) {
      for (let row = 0; row < PLAIN_GRID.side; row++) {
        const { geoid } = plainGridBlock(plan, column, row);
        const { results } = await summaryOf(geoid, '?mode=walk');
        for (const place of PLAIN_GRID_PLACES) {
          const type = TAXONOMY.find((entry) => entry.label === place.label)!.dest_type_id;
          const said = results.find((r: { dest_type_id: number }) => r.dest_type_id === type);
          const minutes = plainGridWalk({ column, row }, place);
          // Half a tenth of rounding, and what 10⁻⁷ degrees of the map's coordinates come to.
          expect(Math.abs(said.travel_time - minutes)).toBeLessThan(0.052);
          compared++;
        }
      }
    }
    expect(compared).toBe(PLAIN_GRID.side ** 2 * PLAIN_GRID_PLACES.length);
  });

  test('are 1.0 to 30.0 in tenths, in the order promised, and the bike is never slower by foot', async () => {
    for (const geoid of sample(10)) {
      const { results } = await summaryOf(geoid);
      const walk = new Map<number, number>();
      for (const { dest_type_id, mode, travel_time } of results) {
        expect(travel_time).toBeGreaterThanOrEqual(1);
        expect(travel_time).toBeLessThanOrEqual(30);
        expect(String(travel_time)).toMatch(/^\d{1,2}(\.\d)?$/);
        if (mode === 'walk') walk.set(dest_type_id, travel_time);
        else expect(travel_time).toBeLessThanOrEqual(walk.get(dest_type_id) ?? 30);
      }
      const sorted = [...results].sort(
        (a, b) => modeRank(a.mode) - modeRank(b.mode) || a.dest_type_id - b.dest_type_id,
      );
      expect(results).toEqual(sorted);
    }
  });

  test('to the nearest of a type are the least of the places of that type', async () => {
    const types = TAXONOMY.filter((entry) => entry.osm);
    for (const geoid of sample(60)) {
      const { results } = await summaryOf(geoid);
      for (const { dest_type_id } of types) {
        const { rows } = await allPois(geoid, `limit=1000&type=${dest_type_id}`);
        for (const mode of ['walk', 'bike']) {
          const times = rows.filter((row) => row.mode === mode).map((row) => row.travel_time);
          const nearest = results.find(
            (r: { dest_type_id: number; mode: string }) =>
              r.dest_type_id === dest_type_id && r.mode === mode,
          );
          expect(nearest?.travel_time ?? Infinity).toBe(Math.min(Infinity, ...times));
        }
      }
    }
  });
});

describe('pages of places', () => {
  test('never repeat or skip a row, whatever their size', async () => {
    const [geoid] = geoids;
    const whole = await allPois(geoid);
    expect(whole.rows.length).toBeGreaterThan(300);
    expect(inOrder(whole.rows)).toBe(true);
    for (const limit of [17, 100, 333]) {
      const paged = await allPois(geoid, `limit=${limit}`);
      expect(paged.rows).toEqual(whole.rows);
      expect(paged.pages).toBe(Math.ceil(whole.rows.length / limit));
    }
  });

  test('filters leave exactly what they say', async () => {
    for (const geoid of sample(150)) {
      const { rows } = await allPois(geoid);
      const near = (await allPois(geoid, 'limit=1000&max_minutes=12.3&mode=walk')).rows;
      expect(near).toEqual(rows.filter((r) => r.mode === 'walk' && r.travel_time <= 12.3));
      const ids = rows.slice(5, 8).map((row) => row.dest_id);
      const query = ids.map((id) => `dest_id=${id}`).join('&');
      expect((await allPois(geoid, query)).rows).toEqual(
        rows.filter((row) => ids.includes(row.dest_id)),
      );
    }
  });

  test('a cursor with any character changed, of another block or another query, is refused', async () => {
    const url = (geoid: string, cursor: string, query = 'limit=5') =>
      `/v1/blocks/${geoid}/pois?${query}&cursor=${encodeURIComponent(cursor)}`;
    const first = await proxy.get(`/v1/blocks/${geoids[0]}/pois?limit=5`, key);
    const cursor: string = first.json().next_cursor;
    expect((await proxy.get(url(geoids[0], cursor), key)).statusCode).toBe(200);
    const wrong = [...cursor].map((character, i) => {
      const other = character === 'A' ? 'B' : 'A';
      return url(geoids[0], cursor.slice(0, i) + other + cursor.slice(i + 1));
    });
    wrong.push(
      url(geoids[0], `${cursor}A`),
      url(geoids[0], cursor.slice(1)),
      url(geoids[0], `${cursor}=`),
      url(geoids[1], cursor),
      url(geoids[0], cursor, 'limit=5&mode=walk'),
    );
    for (const each of wrong) {
      const answer = await proxy.get(each, key);
      expect([each, answer.json().type]).toEqual([each, expect.stringMatching(/invalid-cursor$/)]);
    }
  });

  test('cursors of the secret before are good after a rotation', async () => {
    const [old, fresh] = ['the secret of last month', 'the secret of this month'];
    const open = (cursorSecrets: string[]) =>
      openProxy(inject('demoStore'), { config: { cursorSecrets } });
    const [before, after, later] = await Promise.all([
      open([old]),
      open([fresh, old]),
      open([fresh]),
    ]);
    try {
      const page = async (at: ProxyHarness, query: string) =>
        at.get(`/v1/blocks/${geoids[0]}/pois?limit=5${query}`, (await at.customer()).key);
      const cursor = (await page(before, '')).json().next_cursor;
      const next = (await page(before, `&cursor=${cursor}`)).json();
      expect((await page(after, `&cursor=${cursor}`)).json().results).toEqual(next.results);
      expect((await page(later, `&cursor=${cursor}`)).statusCode).toBe(400);
    } finally {
      await Promise.all([before.close(), after.close(), later.close()]);
    }
  });

  test('a place is told as the map has it', async () => {
    const { results } = (await proxy.get(`/v1/blocks/${geoids[0]}/pois?limit=1000`, key)).json();
    const hall = results.find((r: { name: string }) => r.name === PLAIN_GRID_PLACES[0].name);
    expect(hall).toMatchObject({ name: 'Port Meridian Town Hall', lon: expect.any(Number) });
    expect(Object.keys(hall.address)).toEqual(['street', 'city', 'state', 'zip']);
  });
});

describe('the catalogue', () => {
  test('tells modes, types, versions, prices and the release', async () => {
    const body = async (url: string) => (await proxy.get(url)).json();
    const { modes } = await body('/v1/meta/modes');
    expect(modes.map((m: { mode_id: number; mode: string }) => [m.mode_id, m.mode])).toEqual([
      [1, 'walk'],
      [2, 'bike'],
      [3, 'transit'],
    ]);
    const { destination_types: types } = await body('/v1/meta/destination-types');
    expect(types).toHaveLength(TAXONOMY.length);
    const byLabel = (label: string) => types.find((t: { label: string }) => t.label === label);
    expect(byLabel('grocery_stores')).toMatchObject({ is_leaf: true, parent_id: 100 });
    expect(byLabel('parks')).toMatchObject({ is_leaf: false, leaf_ids: [511, 512, 513] });
    const { components } = await body('/v1/meta/vintage');
    expect(components.map((c: { component: string }) => c.component)).toContain('road_network');
    expect((await body('/v1/plans')).free_grant).toEqual({ tokens: 5000 });
    const latest = JSON.parse(
      await readFile(path.join(inject('demoStore'), 'latest.json'), 'utf8'),
    );
    expect(await body('/v1/last-updated')).toEqual({
      last_updated: latest.published_at,
      release: 'demo',
    });
  });

  test('is cached with an ETag that gives 304, and needs no key', async () => {
    for (const url of ['/v1/meta/modes', '/v1/plans', '/v1/last-updated', '/openapi.json']) {
      const answer = await proxy.get(url);
      expect(answer.headers['cache-control']).toContain('max-age=300');
      const again = await proxy.get(url, undefined, { 'if-none-match': answer.headers.etag! });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  test('is limited by address, with all else that needs no key; what has one is not', async () => {
    const limited = await openProxy(inject('demoStore'), { config: { freeRateLimitPerMinute: 4 } });
    try {
      const statuses = async (urls: readonly string[]) => {
        const answers = await Promise.all(urls.map((url) => limited.get(url)));
        return answers.map(({ statusCode }) => statusCode);
      };
      const free = ['/v1/plans', '/openapi.json', '/docs', '/nothing'];
      expect(await statuses(free)).toEqual([200, 200, 200, 404]);
      const more = [...free, '/problems/not-found', '/v1/places/%zz/boundary'];
      expect(new Set(await statuses(more))).toEqual(new Set([429]));
      // Balancers, which may share an address with clients, are counted apart.
      expect(await statuses(['/v1/health', '/v1/ready'])).toEqual([200, 200]);
      await statuses(['/v1/health', '/v1/health']);
      expect(await statuses(['/v1/health', '/v1/ready'])).toEqual([429, 429]);
      const refused = await limited.get('/openapi.json');
      expect(refused.json().type).toMatch(/\/rate-limited$/);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      const { key } = await limited.customer();
      expect((await limited.get('/v1/tokens', key)).statusCode).toBe(200);
      const preflight = await limited.app.inject({ method: 'OPTIONS', url: '/v1/tokens' });
      expect(preflight.statusCode).toBe(204);
    } finally {
      await limited.close();
    }
  });
});
