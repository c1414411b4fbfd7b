import { beforeAll, describe, expect, inject, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';
import { type NaiveReaches, readNaiveReach } from '../naive-release.ts';

const demo = demoOfTests();
const PATH = '/v1/sites/supply';
const COUNTY = '99001';
let reaches: NaiveReaches;
beforeAll(async () => {
  reaches = await readNaiveReach(demo.api.proxy.releases.current, inject('demoStore'));
});

interface Site {
  readonly id: number;
  readonly lon: number;
  readonly lat: number;
  readonly capacity?: number;
}

/** Blocks that sites are put in the middle of, as many as there are capacities. */
const blocks = (count: number) =>
  demo.release.blocks
    .filter(({ isRoutable }) => isRoutable)
    .filter((_, i) => i % 37 === 5)
    .slice(0, count);

const sitesIn = (capacities: readonly (number | undefined)[]): Site[] =>
  blocks(capacities.length).map(({ lon, lat }, id) => {
    const capacity = capacities[id];
    return { id, lon, lat, ...(capacity !== undefined && { capacity }) };
  });

const peopleOf = () => new Map(demo.release.blocks.map((one) => [one.geoid, one.population ?? 0]));

/** Both steps by their definition, over all pairs of blocks. */
function bruteForce(
  capacities: readonly (number | undefined)[],
  {
    mode,
    direction,
    minutes,
    f,
  }: {
    readonly mode: string;
    readonly direction: 'from' | 'to';
    readonly minutes: number;
    readonly f: (minutes: number) => number;
  },
) {
  const people = peopleOf();
  const supply = new Map<string, number>();
  const sites = blocks(capacities.length).map(({ geoid }, i) => {
    const rows = (reaches[direction].get(geoid) ?? []).filter(
      (row) => row.mode === mode && row.minutes <= minutes,
    );
    const pairs = rows.map((row) => {
      return { block: direction === 'to' ? row.from : row.to, weight: f(row.minutes) };
    });
    const demand = pairs.reduce((sum, { block, weight }) => sum + weight * people.get(block)!, 0);
    const ratio = (1000 * (capacities[i] ?? 1)) / demand;
    for (const { block, weight } of pairs) {
      supply.set(block, (supply.get(block) ?? 0) + ratio * weight);
    }
    return { demand, ratio };
  });
  return { sites, supply };
}

const near = (value: number, expected: number) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-5 * expected);

const CAPACITIES = [3, 1, undefined, 12.5, 0, 7, undefined, 2];

describe('POST /v1/sites/supply', () => {
  test.each([
    ['walk', 'to', 20, 'step', () => 1],
    ['bike', 'from', 15, 'linear:20', (t: number) => 1 - t / 20],
    ['transit', 'to', 30, 'exponential:10', (t: number) => 2 ** (-t / 10)],
  ] as const)(
    'by %s, %s, within %s minutes, %s: as over all pairs of blocks',
    async (mode, direction, minutes, decay, f) => {
      const sent = { sites: sitesIn(CAPACITIES), mode, direction, minutes, decay };
      const response = await demo.api.post(PATH, sent);
      const body = expectOk(response);
      const expected = bruteForce(CAPACITIES, { mode, direction, minutes, f });
      for (const [i, { demand, ratio, capacity }] of body.sites.entries()) {
        near(demand, expected.sites[i].demand);
        near(ratio, expected.sites[i].ratio);
        expect(capacity).toBe(CAPACITIES[i] ?? 1);
      }
      expect(body.formula).toMatchObject({ minutes, decay, per: 1000, capacity_assumed: 2 });
      const geoids = body.results.map(({ geoid }: { geoid: string }) => geoid);
      expect(geoids).toEqual([...expected.supply.keys()].sort());
      for (const { geoid, supply } of body.results) near(supply, expected.supply.get(geoid)!);
      // Summed over people, supply is the capacity of the sites.
      const people = peopleOf();
      const total = body.results.reduce(
        (sum: number, row: { geoid: string; supply: number }) =>
          sum + (row.supply * people.get(row.geoid)!) / 1000,
        0,
      );
      near(
        total,
        CAPACITIES.reduce<number>((sum, capacity) => sum + (capacity ?? 1), 0),
      );
      expect(response.headers['x-tokens-charged']).toBe(String(10 + geoids.length));
    },
  );

  test('a group of fewer than 100 has no average unless it is asked for; people always have', async () => {
    const sent = { sites: sitesIn([3, 1]), area: { counties: [COUNTY] }, mode: 'walk' };
    const rows = async (more: object) => {
      return expectOk(await demo.api.post(PATH, { ...sent, ...more })).results;
    };
    const weight = 'american_indian';
    const tracts = await rows({ by: 'tract', weight, small: true });
    const known = tracts.map((row: { total: number; no_data: number }) => row.total - row.no_data);
    expect(Math.max(...known)).toBeLessThan(100);
    expect(await rows({ by: 'tract', weight })).toEqual([]);
    const [county] = await rows({ by: 'county', weight });
    expect(county.total - county.no_data).toBe(
      known.reduce((sum: number, one: number) => sum + one, 0),
    );
    expect(await rows({ by: 'tract', small: true })).toEqual(await rows({ by: 'tract' }));
  });

  test('an area chooses the rows, not the demand; by tract and county they are averages of people', async () => {
    const sent = { sites: sitesIn(CAPACITIES), mode: 'walk', minutes: 20 };
    const { sites, supply } = bruteForce(CAPACITIES, {
      mode: 'walk',
      direction: 'to',
      minutes: 20,
      f: () => 1,
    });
    const area = { counties: [COUNTY] };
    const rows = expectOk(await demo.api.post(PATH, { ...sent, area }));
    expect(rows.sites.map((one: { demand: number }) => one.demand)).toEqual(
      sites.map(({ demand }) => demand),
    );
    const inArea = demo.release.blocks.filter(
      ({ geoid, links }) => links.walk === 'linked' && geoid.startsWith(COUNTY),
    );
    expect(rows.results.map(({ geoid }: { geoid: string }) => geoid)).toEqual(
      inArea.map(({ geoid }) => geoid).sort(),
    );
    for (const { geoid, supply: value } of rows.results) near(value, supply.get(geoid) ?? 0);
    const all = demo.release.blocks.filter(({ geoid }) => geoid.startsWith(COUNTY));
    for (const [by, digits] of [
      ['tract', 11],
      ['county', 5],
    ] as const) {
      const averages = new Map<string, [number, number]>();
      for (const { geoid, population } of inArea) {
        if (!population) continue;
        const [sum, people] = averages.get(geoid.slice(0, digits)) ?? [0, 0];
        const next = sum + population * (supply.get(geoid) ?? 0);
        averages.set(geoid.slice(0, digits), [next, people + population]);
      }
      const { results } = expectOk(await demo.api.post(PATH, { ...sent, area, by }));
      expect(results.map(({ geoid }: { geoid: string }) => geoid)).toEqual(
        [...averages.keys()].sort(),
      );
      for (const { geoid, supply: value } of results) {
        const [sum, people] = averages.get(geoid)!;
        near(value, sum / people);
      }
      for (const { geoid, total, no_data } of results) {
        const own = all.filter((block) => block.geoid.startsWith(geoid));
        const everyone = own.reduce((sum, { population }) => sum + (population ?? 0), 0);
        expect([total, no_data]).toEqual([everyone, everyone - averages.get(geoid)![1]]);
      }
      const csv = await demo.api.post(
        PATH,
        { ...sent, area, by },
        { headers: { accept: 'text/csv' } },
      );
      const [head] = csv.body.split('\r\n');
      expect(head).toMatch(/,geoid,supply,total,no_data,error_type,error_detail$/);
      const [{ total, no_data }] = results;
      expect(csv.body).toContain(`,${total},${no_data},,\r\n`);
    }
  });

  test('takes CSV and GeoJSON with a capacity, and POIs of a type; what has none counts as 1', async () => {
    const sites = sitesIn([3, undefined, 2.5]);
    const base = { mode: 'walk', minutes: 10, area: { counties: [COUNTY] }, by: 'county' };
    const listed = expectOk(await demo.api.post(PATH, { ...base, sites }));
    const lines = sites.map(({ id, lat, lon, capacity }) => [id, lat, lon, capacity ?? ''].join());
    const csv = ['id,lat,lon,Capacity', ...lines].join('\n');
    const features = sites.map(({ id, lon, lat, capacity = null }) => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { capacity },
    }));
    const values = ({ sites, results }: typeof listed) => [
      sites.map(({ id: _, ...rest }: { id: unknown }) => rest),
      results,
    ];
    const geojson = { type: 'FeatureCollection', features };
    for (const form of [csv, geojson]) {
      const body = expectOk(await demo.api.post(PATH, { ...base, sites: form }));
      expect(values(body)).toEqual(values(listed));
      expect(body.formula.capacity_assumed).toBe(1);
    }
    const ofType = expectOk(
      await demo.api.post(PATH, { ...base, sites: { type: 'grocery_stores' } }),
    );
    expect(ofType.sites.length).toBeGreaterThan(1);
    const coverage = { sites: { type: 'grocery_stores' }, mode: 'walk', area: base.area };
    for (const [path, body] of [
      [PATH, { ...base, sites: { type: 'grocery_stores' } }],
      ['/v1/sites/coverage', coverage],
    ] as const) {
      const { sites_from } = expectOk(await demo.api.post(path, body));
      const { headers } = await demo.api.post(path, body, { headers: { accept: 'text/csv' } });
      expect(sites_from).toMatchObject({ kind: 'near' });
      expect(JSON.parse(String(headers['x-sites-from']))).toEqual(sites_from);
    }
    expect(ofType.formula.capacity_assumed).toBe(ofType.sites.length);
    expect(ofType.sites.every(({ capacity }: { capacity: number }) => capacity === 1)).toBe(true);
  });

  test('in CSV the sites come before the rows; one that cannot be placed says why, and is free', async () => {
    const sent = { sites: [...sitesIn([4]), { id: 'sea', ...OPEN_SEA }], mode: 'walk', minutes: 5 };
    const json = expectOk(await demo.api.post(PATH, sent));
    expect(json.errors).toMatchObject([{ id: 'sea', list: 'sites', type: 'point-not-covered' }]);
    const csv = await demo.api.post(PATH, sent, { headers: { accept: 'text/csv' } });
    const [head, site, sea, ...rows] = csv.body.trimEnd().split('\r\n');
    expect(head).toBe('list,id,block,capacity,demand,ratio,geoid,supply,error_type,error_detail');
    const [{ block, demand, ratio }] = json.sites;
    expect(site).toBe(['sites', 0, block, 4, demand, ratio, '', '', '', ''].join());
    expect(sea).toMatch(/^sites,sea,,,,,,,point-not-covered,/);
    expect(rows).toEqual(
      json.results.map((row: { geoid: string; supply: number }) =>
        ['blocks', '', '', '', '', '', row.geoid, row.supply, '', ''].join(),
      ),
    );
    expect(csv.headers['x-tokens-charged']).toBe(String(10 + rows.length));
    expect(JSON.parse(String(csv.headers['x-formula']))).toEqual(json.formula);
    const ndjson = await demo.api.post(PATH, sent, { headers: { accept: 'application/x-ndjson' } });
    expect(JSON.parse(ndjson.body.trimEnd().split('\n').at(-1)!).formula).toEqual(json.formula);
  });

  test('refuses wrong capacities, averages without an area, and what an account cannot pay', async () => {
    const mode = 'walk';
    const [site] = sitesIn([1]);
    const invalid = async (body: object, member: string) =>
      expectInvalid(await demo.api.post(PATH, { sites: [site], mode, ...body }), member);
    await invalid({ sites: [{ ...site, capacity: -1 }] }, 'capacity');
    await invalid({ sites: [{ ...site, capacity: 'many' }] }, 'capacity');
    for (const wrong of ['many', '-1']) {
      const response = await demo.api.post(PATH, {
        sites: `id,lat,lon,Capacity (beds)\n1,36,-70,2\n2,36,-70,${wrong}`,
        mode,
      });
      expectInvalid(response, 'sites');
      expect(response.json().errors[0].msg).toMatch(
        new RegExp(`^line 3: capacity must be a number from 0 to .*, not ${wrong}$`),
      );
    }
    const twice = `id,lat,lon,Capacity (beds),Capacity (staff)\n1,${site.lat},${site.lon},many,2`;
    await invalid({ sites: twice }, 'sites');
    expectOk(await demo.api.post('/v1/sites/coverage', { sites: twice, mode }));
    await invalid({ sites: [] }, 'sites');
    await invalid({ by: 'tract' }, 'by');
    await invalid({ minutes: 61 }, 'minutes');
    await invalid({ decay: 'linear:0' }, 'decay');
    await invalid({ weight: 'cats' }, 'weight');
    const coverage = await demo.api.post('/v1/sites/coverage', { sites: [{ ...site }], mode });
    expectInvalid(coverage, 'capacity');
    const poor = await demo.api.newCustomer({ tokens: 12 });
    const refused = await demo.api.post(PATH, { sites: [site], mode }, { as: poor });
    expectProblem(refused, 'tokens-exhausted');
    expect(refused.json()).not.toHaveProperty('tokens_required');
  });

  test('a site whose demand rounds to 0 has no ratio, and supplies nothing', async () => {
    const sent = { sites: sitesIn([3]), mode: 'walk', minutes: 20, decay: 'exponential:0.01' };
    const { sites, results } = expectOk(await demo.api.post(PATH, sent));
    expect(sites).toMatchObject([{ demand: 0, ratio: null }]);
    expect(results.length).toBeGreaterThan(0);
    expect(results.every(({ supply }: { supply: number }) => supply === 0)).toBe(true);
  });

  test('rows that an account cannot pay are refused before any time is read, without a price', async () => {
    const sent = { sites: sitesIn([1]), mode: 'walk', minutes: 20, area: { counties: [COUNTY] } };
    const { results } = expectOk(await demo.api.post(PATH, sent));
    const by = expectOk(await demo.api.post(PATH, { ...sent, by: 'tract' }));
    for (const [body, rows] of [
      [sent, results.length],
      [{ ...sent, by: 'tract' }, by.results.length],
    ] as const) {
      const poor = await demo.api.newCustomer({ tokens: 10 + rows - 1 });
      const refused = await demo.api.post(PATH, body, { as: poor });
      expectProblem(refused, 'tokens-exhausted');
      const { detail, tokens_required } = refused.json();
      expect(detail).toMatch(/^the response costs more than the \d+ tokens left/);
      expect(tokens_required).toBeUndefined();
      const able = await demo.api.newCustomer({ tokens: 10 + rows });
      expectOk(await demo.api.post(PATH, body, { as: able }));
    }
  });
});
