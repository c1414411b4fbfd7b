import { expect, test } from 'vitest';
import { expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { marginOfPeople } from '../naive-margin.ts';

const demo = demoOfTests();
const COUNTY = '99001';

test('every area states by how much the noise of the census may have changed its sums', async () => {
  const area = { counties: [COUNTY] };
  const inCounty = demo.release.blocks.filter(({ geoid }) => geoid.startsWith(COUNTY));
  const people = marginOfPeople(demo.release, inCounty);
  const { lon, lat } = demo.block;
  const sites = [{ id: 1, lon, lat }];
  const { releases } = expectOk(await demo.api.get('/v1/meta/releases', {}, { as: null }));
  const [from, to] = [releases[0].version, releases[0].version];
  const weight = ['people', 'hispanic', 'jobs'];
  for (const [path, body] of [
    ['/v1/coverage', { area, type: [101], weight }],
    ['/v1/sites/coverage', { area, sites, mode: 'walk', weight }],
    ['/v1/changes', { area, type: [101], from, to, weight }],
  ] as const) {
    const { margin } = expectOk(await demo.api.post(path, body)).area;
    expect([path, Object.keys(margin)]).toEqual([path, weight]);
    expect([path, margin.people, margin.jobs]).toEqual([path, people, null]);
    expect(margin.hispanic).toBeGreaterThan(0);
    expect(margin.hispanic).toBeLessThan(people);
  }
  const supply = { area, sites, mode: 'walk', by: 'county' };
  expect(expectOk(await demo.api.post('/v1/sites/supply', supply)).area.margin).toEqual({ people });
  const csv = await demo.api.post(
    '/v1/coverage',
    { area, type: [101] },
    { headers: { accept: 'text/csv' } },
  );
  expect(JSON.parse(String(csv.headers['x-area'])).margin).toEqual({ people });
});

test('the margin of access is that of its largest count, of as many blocks as that has on average', async () => {
  const query = { of: ['people', 'jobs'], mode: ['walk'], limit: 500 };
  const { area, results } = expectOk(await demo.api.get(`/v1/counties/${COUNTY}/access`, query));
  const largest = Math.max(
    ...results.map(({ of, count }: { of: string; count: number }) => (of === 'people' ? count : 0)),
  );
  const blocks = demo.release.blocks.filter(({ geoid }) => geoid.startsWith(COUNTY));
  expect(area.blocks).toBe(blocks.length);
  expect(area.margin).toEqual({ people: marginOfCount(largest), jobs: null });
});

test('the margin of access is that of the county, however many people the blocks of the area have', async () => {
  const inCounty = demo.release.blocks.filter(({ geoid }) => geoid.startsWith(COUNTY));
  const [most] = [...inCounty].sort((a, b) => (b.population ?? 0) - (a.population ?? 0));
  const body = { area: { blocks: [most.geoid] }, mode: ['walk'], minutes: [60] };
  const { area, results } = expectOk(await demo.api.post('/v1/access', body));
  expect(area.margin).toEqual({ people: marginOfCount(results[0].count) });
});

test('a page of access has the margins of the weights that it counts', async () => {
  const query = { of: ['people', 'jobs'], mode: ['walk'], limit: 3 };
  const { area, results } = expectOk(await demo.api.get(`/v1/counties/${COUNTY}/access`, query));
  expect(new Set(results.map(({ of }: { of: string }) => of))).toEqual(new Set(['jobs']));
  expect(area.margin).toEqual({ jobs: null });
});

/** The margin of a count of people: of as many blocks as that has at the average of the county. */
function marginOfCount(count: number): number {
  const people = demo.release.blocks
    .filter(({ geoid }) => geoid.startsWith(COUNTY))
    .map(({ population }) => population ?? 0)
    .filter((own) => own > 0);
  const mean = people.reduce((sum, own) => sum + own, 0) / people.length;
  return Math.ceil(1.645 * 3.17692 * Math.sqrt((6 * count) / mean));
}

test('one block has the margin of its own noise, and a block without people none', async () => {
  const marginAt = async (geoid: string) => {
    const body = { area: { blocks: [geoid] }, type: [101] };
    return expectOk(await demo.api.post('/v1/coverage', body)).area.margin.people;
  };
  expect(await marginAt(demo.block.geoid)).toBe(marginOfPeople(demo.release, [demo.block]));
  expect(await marginAt(demo.water.geoid)).toBe(0);
});
