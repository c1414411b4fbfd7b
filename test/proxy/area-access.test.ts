import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { openProxy, type ProxyHarness, proxyOfTests } from '../support/proxy-harness.ts';
import { TamperedRelease } from '../support/tampered-release.ts';
import { ofThisTest } from '../support/test-resources.ts';

const proxy = proxyOfTests({ rateLimitPerMinute: 1e6 });

interface Row {
  readonly geoid: string;
  readonly of: string;
  readonly mode: string;
  readonly minutes: number;
  readonly count: number;
}

const COUNTY = '99003';
const CITY = '9957600';
const MODES = ['walk', 'bike', 'transit'];
const LEVELS = [15, 30, 45, 60];
const POI_LEVELS = [15, 30];
const seed = Math.floor(Math.random() * 2 ** 31);
const random = new Random(seed);

/** The GEOIDs of the blocks of a county, ascending, and their people. */
const people = new Map<string, number>();

beforeAll(async () => {
  const { current } = proxy.releases;
  const county = current.county(COUNTY)!;
  const index = await current.index(county);
  for (let i = 0; i < index.count; i++) {
    people.set(String(index.geoids[i]).padStart(15, '0'), index.population(i) ?? 0);
  }
});

/** All rows of a route, page by page. */
async function rowsOf(url: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ; ) {
    const response = await proxy.get(`${url}${cursor}`, proxy.key);
    expect(response.statusCode, `${url}: ${response.body.slice(0, 300)}`).toBe(200);
    const page = response.json();
    expect(Number(response.headers['x-tokens-charged'])).toBe(Math.max(1, page.results.length));
    rows.push(...page.results);
    if (page.next_cursor === null) return rows;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** The same counts, from the rows of reach that batches of origins are counted from. */
async function rowsOfOrigins(
  of: string,
  direction: string,
  modes = MODES,
  minutes = LEVELS,
): Promise<Row[]> {
  const rows: Row[] = [];
  const all = [...people.keys()];
  for (let first = 0; first < all.length; first += 250) {
    const origins = all.slice(first, first + 250);
    const body = { origins, of: [of], direction, mode: modes, minutes };
    const response = await proxy.post('/v1/access', proxy.key, body);
    expect(response.statusCode, response.body.slice(0, 300)).toBe(200);
    const { results, truncated } = response.json();
    expect(truncated).toEqual([]);
    rows.push(...results);
  }
  return rows;
}

describe(`with seed ${seed}`, () => {
  test.each([
    ['jobs', 'from', LEVELS],
    ['people', 'from', LEVELS],
    ['jobs_low_wage', 'to', LEVELS],
    ['type:grocery_stores', 'from', POI_LEVELS],
    ['type:200', 'from', POI_LEVELS],
  ])(
    '%s %s the blocks of a county are those that batches of origins count',
    async (of, direction, levels) => {
      const limit = 1 + random.below(1_000);
      const url = `/v1/counties/${COUNTY}/access?of=${of}&direction=${direction}&limit=${Math.max(limit, 50)}`;
      const rows = await rowsOf(url);
      expect(rows).toEqual(await rowsOfOrigins(of, direction, MODES, levels));
      expect(rows.filter(({ count }) => count > 0).length).toBeGreaterThan(rows.length / 2);
    },
  );

  test.each(['101', '200', '510'])(
    'type %s counts the POIs in the rows of a block',
    async (type) => {
      const rows = await rowsOf(`/v1/counties/${COUNTY}/access?of=type:${type}&limit=1000`);
      const all = [...people.keys()];
      for (let i = 0; i < 12; i++) {
        const geoid = all[random.below(all.length)];
        const pois: { dest_id: number; mode: string; travel_time: number }[] = [];
        for (let cursor = ''; ; ) {
          const url = `/v1/blocks/${geoid}/pois?type=${type}&limit=1000${cursor}`;
          const page = (await proxy.get(url, proxy.key)).json();
          pois.push(...page.results);
          if (page.next_cursor === null) break;
          cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
        }
        for (const { mode, minutes, count } of rows.filter((row) => row.geoid === geoid)) {
          const near = pois.filter((one) => one.mode === mode && one.travel_time <= minutes);
          expect([geoid, mode, minutes, count]).toEqual([
            geoid,
            mode,
            minutes,
            new Set(near.map((one) => one.dest_id)).size,
          ]);
        }
      }
    },
  );

  test('an average of a weight and a type has the rows of each', async () => {
    const url = (of: string) => `/v1/counties/${COUNTY}/access?${of}&mode=walk&by=tract`;
    const both = await rowsOf(url('of=type:101&of=jobs'));
    const inOrder = (rows: readonly Row[]) =>
      rows.map((row) => JSON.stringify(row)).sort((a, b) => (a < b ? -1 : 1));
    expect(inOrder(both)).toEqual(
      inOrder([...(await rowsOf(url('of=jobs'))), ...(await rowsOf(url('of=type:101')))]),
    );
    const known = both.filter(({ of }) => of === 'type:101');
    expect([...new Set(known.map(({ minutes }) => minutes))]).toEqual(POI_LEVELS);
    expect(known.some(({ count }) => count > 0)).toBe(true);
  });

  test('the average of a tract counts each block by its people', async () => {
    const byBlock = await rowsOfOrigins('jobs', 'from', ['bike']);
    const routed = new Set(byBlock.map(({ geoid }) => geoid));
    const lost = (tract: string) => {
      const inside = [...people].filter(([geoid]) => geoid.startsWith(tract));
      const sum = (of: typeof inside) => of.reduce((total, [, count]) => total + count, 0);
      return { total: sum(inside), no_data: sum(inside.filter(([geoid]) => !routed.has(geoid))) };
    };
    const expected = [...new Set(byBlock.map(({ geoid }) => geoid.slice(0, 11)))].flatMap(
      (tract) => {
        const inside = byBlock.filter(({ geoid }) => geoid.startsWith(tract));
        return LEVELS.flatMap((minutes) => {
          const rows = inside.filter((row) => row.minutes === minutes);
          const all = rows.reduce((sum, { geoid }) => sum + people.get(geoid)!, 0);
          const sum = rows.reduce((sum, { geoid, count }) => sum + people.get(geoid)! * count, 0);
          const average = Math.round((10 * sum) / all) / 10;
          return all === 0
            ? []
            : [{ geoid: tract, of: 'jobs', mode: 'bike', minutes, count: average, ...lost(tract) }];
        });
      },
    );
    const url = `/v1/counties/${COUNTY}/access?of=jobs&mode=bike&by=tract&limit=7`;
    expect(await rowsOf(url)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(LEVELS.length);
  });

  test('an average by place, by county and by another weight is that of the blocks in it', async () => {
    const common = 'of=jobs&mode=walk&minutes=30';
    const blocks = await rowsOf(`/v1/places/${CITY}/access?${common}&limit=1000`);
    const { current } = proxy.releases;
    let [sum, all] = [0, 0];
    for (const { fips, manifest } of current.counties) {
      const { geoids } = await current.index(manifest);
      const weights = await current.weightCounts(manifest, 'workers_low_wage');
      for (const { geoid, count } of blocks.filter((row) => row.geoid.startsWith(fips))) {
        const weight = weights[geoids.indexOf(Number(geoid))];
        sum += weight * count;
        all += weight;
      }
    }
    const average = Math.round((10 * sum) / all) / 10;
    const url = `/v1/places/${CITY}/access?${common}&by=place&weight=workers_low_wage`;
    expect(await rowsOf(url)).toEqual([
      {
        geoid: CITY,
        of: 'jobs',
        mode: 'walk',
        minutes: 30,
        count: average,
        total: all,
        no_data: 0,
      },
    ]);
    const byCounty = await rowsOf(`/v1/places/${CITY}/access?${common}&by=county`);
    expect(byCounty.map(({ geoid }) => geoid)).toEqual([
      ...new Set(blocks.map(({ geoid }) => geoid.slice(0, 5))),
    ]);
  });

  test('a group of fewer than 100 has no average unless it is asked for; people always have', async () => {
    const url = `/v1/counties/${COUNTY}/access?of=jobs&minutes=45&by=tract&limit=1000`;
    const ofGroup = `${url}&weight=workers_high_wage`;
    type Averaged = Row & { total: number; no_data: number; reason?: string };
    const isSmall = ({ total, no_data }: Averaged) => total - no_data < 100;
    const all = (await rowsOf(`${ofGroup}&small=true`)) as Averaged[];
    const stated = all.filter((row) => !isSmall(row));
    expect(stated.length).toBeGreaterThan(0);
    expect(stated.length).toBeLessThan(all.length);
    expect(await rowsOf(ofGroup)).toEqual(stated);
    const missing = (await rowsOf(`${ofGroup}&include_missing=true`)) as Averaged[];
    expect(missing.filter(({ reason }) => reason === 'small-group')).toEqual(
      all.filter(isSmall).map((row) => ({ ...row, count: null, reason: 'small-group' })),
    );
    expect(await rowsOf(`${url}&small=true`)).toEqual(await rowsOf(url));
  });

  test('a posted area has the rows of the county that it names, in pages and formats', async () => {
    const asked = { of: ['jobs'], mode: ['transit'], minutes: [45] };
    const area = { counties: [COUNTY] };
    const rows = await rowsOf(
      `/v1/counties/${COUNTY}/access?of=jobs&mode=transit&minutes=45&limit=1000`,
    );
    const posted: Row[] = [];
    for (let cursor: string | null = null; ; ) {
      const body: object = { area, ...asked, limit: 100, cursor };
      const page: { results: Row[]; next_cursor: string | null } = (
        await proxy.post('/v1/access', proxy.key, body)
      ).json();
      posted.push(...page.results);
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    expect(posted).toEqual(rows);
    const csv = await proxy.post(
      '/v1/access',
      proxy.key,
      { area, ...asked, limit: 1 },
      { accept: 'text/csv' },
    );
    const [{ geoid, count }] = rows;
    expect(csv.body.split('\r\n').slice(0, 2)).toEqual([
      'geoid,of,mode,minutes,count',
      `${geoid},jobs,transit,45,${count}`,
    ]);
  });
});

test.each([
  [{ area: { counties: [COUNTY] }, origins: ['990030001001000'] }, 'body.origins'],
  [{ area: { counties: [COUNTY] }, curve: true }, 'body.curve'],
  [{ area: { counties: [COUNTY] }, decay: 'linear:20' }, 'body.decay'],
  [{ area: { counties: [COUNTY] }, minutes: [20] }, 'must be some of 15, 30, 45, 60'],
  [{ area: { counties: [COUNTY] }, of: ['hispanic'] }, 'this release counts people, jobs'],
  [{ area: { counties: [COUNTY] }, of: ['type:9999'] }, 'no destination type 9999'],
  [{ area: { counties: [COUNTY] }, of: ['type:marketplaces'] }, 'this release counts people, jobs'],
  [{ area: { counties: [COUNTY] }, of: ['type:101'], minutes: [45] }, 'known up to 30 minutes'],
  [{ area: { counties: [COUNTY] }, of: ['type:101'], direction: 'to' }, 'no direction to'],
  [{ area: { counties: [COUNTY] }, weight: 'jobs' }, 'applies only with by'],
  [{ area: {} }, 'send an area'],
  [{ origins: ['990030001001000'], by: 'tract' }, 'body.by'],
  [{ area: null }, 'origins must list 1 to 250 origins'],
])('%j is refused, free, with what to do', async (body, words) => {
  const response = await proxy.post('/v1/access', proxy.key, body);
  expect(response.statusCode, response.body).toBe(400);
  expect(response.json().detail).toContain(words);
  expect(response.headers['x-tokens-charged'] ?? '0').toBe('0');
});

test('GeoJSON of an area is refused, free, with the formats that there are', async () => {
  const { key } = await proxy.customer({ tokens: 10 });
  const body = { area: { counties: [COUNTY] }, limit: 1 };
  const geoJson = { accept: 'application/geo+json' };
  const refused = await proxy.post('/v1/access', key, body, geoJson);
  expect([refused.statusCode, refused.headers['x-tokens-charged']]).toEqual([406, '0']);
  expect(refused.json().formats).toContain('text/csv');
  expect(refused.json().formats).not.toContain(geoJson.accept);
});

test.each(['', '&by=tract', '&of=jobs&limit=7&include_missing=true'])(
  'HEAD of an area%s states the price and the ETag of the GET, and reads no counts',
  async (query) => {
    const url = `/v1/counties/${COUNTY}/access?mode=walk${query}`;
    // A new proxy has nothing cached.
    const other = await ofThisTest(openProxy(inject('demoStore')));
    const { key } = await other.customer();
    const accepted: Record<string, string>[] = [
      {},
      { 'accept-encoding': 'gzip' },
      { accept: 'text/csv' },
    ];
    const heads = await Promise.all(
      accepted.map((headers) => other.get(url, key, headers, 'HEAD')),
    );
    expect(other.store.reads.filter((name) => name.startsWith('access/'))).toEqual([]);
    for (const [i, head] of heads.entries()) {
      expect([head.statusCode, head.headers['x-tokens-charged']]).toEqual([200, '1']);
      const got = await other.get(url, key, accepted[i]);
      expect(head.headers['x-tokens-cost']).toBe(got.headers['x-tokens-charged']);
      expect(head.headers.etag).toBe(got.headers.etag);
    }
  },
);

test('a release without places refuses rows by place, free', async () => {
  const release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  onTestFinished(() => release.remove());
  release.manifest.states = {};
  await release.publish();
  const without = await ofThisTest(openProxy(release.folder));
  const { key } = await without.customer();
  const area = { counties: [COUNTY] };
  const sites = [{ id: 1, lat: 36, lon: -70 }];
  const { version } = without.releases.current;
  const releases = { from: version, to: version };
  for (const response of [
    await without.get(`/v1/counties/${COUNTY}/access?by=place`, key),
    await without.post('/v1/access', key, { area, by: 'place' }),
    await without.post('/v1/sites/supply', key, { sites, mode: 'walk', area, by: 'place' }),
    await without.post('/v1/changes', key, { ...releases, area, by: ['place'] }),
  ]) {
    expect([response.statusCode, response.headers['x-tokens-charged']]).toEqual([400, '0']);
    expect(response.json().detail).toContain('by: this release has no places');
  }
});

test('a release without access by area says so, also in the documents', async () => {
  const release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  onTestFinished(() => release.remove());
  release.manifest.access.length = 0;
  for (const { objects } of Object.values(release.manifest.counties)) delete objects.access;
  await release.publish();
  const without = await ofThisTest(openProxy(release.folder));
  const { key } = await without.customer();
  const lacking =
    'this release has no access by area; its operator adds it with tta build --access';
  const refused = await without.get(`/v1/counties/${COUNTY}/access`, key);
  expect([refused.statusCode, refused.headers['x-tokens-charged']]).toEqual([400, '0']);
  expect(refused.json().detail).toContain(lacking);
  const descriptionOf = async ({ get }: Pick<ProxyHarness, 'get'>) =>
    (await get('/openapi.json')).json().paths['/v1/counties/{fips}/access'].get.description;
  expect(await descriptionOf(without)).toContain('**The current release:** ');
  expect(await descriptionOf(without)).toContain(lacking);
  expect((await without.get('/docs/getCountyAccess.md')).body).toContain(lacking);
  expect(await descriptionOf(proxy)).not.toContain('current release:');
});

test('an area without a block is refused, free, by every route that sums over one', async () => {
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const area = { center: { lon: -60, lat: 36 }, radius_m: 1_000 };
  const { version } = proxy.releases.current;
  const { geoids, lon, lat } = await proxy.releases.current.index(
    proxy.releases.current.county(COUNTY)!,
  );
  const at = Math.floor(geoids.length / 2);
  const sites = [{ id: 1, lon: lon[at] / 1e6, lat: lat[at] / 1e6 }];
  for (const [url, body] of [
    ['/v1/coverage', { area }],
    ['/v1/access', { area }],
    ['/v1/access', { area, by: 'county', include_missing: true }],
    ['/v1/sites/coverage', { area, sites, mode: 'walk' }],
    ['/v1/sites/supply', { area, sites, mode: 'walk' }],
    ['/v1/changes', { area, from: version, to: version }],
  ] as const) {
    const response = await proxy.post(url, key, body);
    expect([url, response.statusCode, response.json().detail]).toEqual([
      url,
      404,
      'no block of this release has its centre in the area',
    ]);
    expect(response.json().type).toMatch(/point-not-covered$/);
    expect(response.headers['x-tokens-charged']).toBe('0');
  }
  expect(await proxy.balance(id)).toBe(1_000);
});
