import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { gappedRelease } from '../../support/gapped-release.ts';
import type { TamperedRelease } from '../../support/tampered-release.ts';
import { Api, expectOk } from '../api.ts';
import { allPages } from '../paging.ts';

/** The row of one block, type and mode, with or without a time. */
interface Row {
  readonly geoid: string;
  readonly dest_type_id: number;
  readonly mode: string;
  readonly travel_time: number | null;
  readonly reason?: string;
  readonly population: number | null;
}

const TYPES = [101, 201, 401, 601];
const MODES = ['walk', 'bike', 'transit'];

let release: TamperedRelease;
let api: Api;
let rows: readonly Row[];
let area: { counties: string[] };
beforeAll(async () => {
  release = await gappedRelease(inject('demoStore'), { tiles: false });
  api = await Api.open({ store: release.folder });
  area = { counties: Object.keys(release.manifest.counties) };
  const [{ lon, lat }] = await allPages<{ lon: number; lat: number }>(api, {
    path: '/v1/pois',
    query: { bbox: '-75,30,-65,40', limit: 1000 },
  });
  const circle = { center: { lon, lat }, radius_m: 50_000 };
  const cells = { type: TYPES, include_population: true, include_missing: true };
  const body = { ...circle, ...cells, limit: 1000 };
  rows = await allPages<Row>(api, { method: 'POST', path: '/v1/blocks/query', body });
});
afterAll(async () => {
  await api?.close();
  await release?.remove();
});

const people = (some: readonly Row[]) =>
  some.reduce((sum, { population }) => sum + (population ?? 0), 0);

test('people whose times are not known are counted apart from those beyond half an hour', async () => {
  const { results } = expectOk(await api.post('/v1/coverage', { area, type: TYPES }));
  for (const { dest_type_id, mode, total, within, beyond, no_data } of results) {
    const own = rows.filter((row) => row.dest_type_id === dest_type_id && row.mode === mode);
    expect(total).toBe(people(own));
    expect(within['30']).toBe(people(own.filter(({ travel_time }) => travel_time !== null)));
    expect(beyond).toBe(people(own.filter(({ reason }) => reason === 'not-within-30')));
    expect(no_data).toBe(people(own.filter(({ reason }) => reason === 'no-data')));
    expect(no_data).toBeGreaterThan(0);
  }
});

test('a block with an unknown criterion counts as no_data unless another criterion fails', async () => {
  const byBlock = new Map<string, Row[]>();
  for (const row of rows) byBlock.set(row.geoid, [...(byBlock.get(row.geoid) ?? []), row]);
  const criterion = fc.record({
    type: fc.constantFrom(...TYPES),
    mode: fc.constantFrom(...MODES),
    max_minutes: fc.integer({ min: 10, max: 300 }).map((tenths) => tenths / 10),
  });
  const criteria = fc.array(criterion, { minLength: 1, maxLength: 6 });
  let notKnown = 0;
  await forAll(40, criteria, async (all_of) => {
    const met = new Array<number>(all_of.length + 1).fill(0);
    let no_data = 0;
    for (const own of byBlock.values()) {
      const outcomes = all_of.map(({ type, mode, max_minutes }) => {
        const row = own.find((one) => one.dest_type_id === type && one.mode === mode)!;
        if (row.reason === 'no-data') return null;
        return row.travel_time !== null && row.travel_time <= max_minutes;
      });
      const weight = own[0].population ?? 0;
      if (outcomes.includes(null) && !outcomes.includes(false)) no_data += weight;
      else met[outcomes.filter((one) => one === true).length] += weight;
    }
    const { basket } = expectOk(await api.post('/v1/coverage', { area, all_of }));
    expect(basket).toMatchObject({ met, no_data, with_all: met[all_of.length] });
    notKnown += no_data;
  });
  expect(notKnown).toBeGreaterThan(0);
});

interface AccessRow {
  readonly geoid: string;
  readonly mode: string;
  readonly count: number | null;
  readonly reason?: string;
  readonly total?: number;
  readonly no_data?: number;
}

/** All rows of the access of the area. */
const accessOf = (asked: object) => {
  const body = { area, of: ['jobs'], minutes: [30], limit: 1000, ...asked };
  return allPages<AccessRow>(api, { method: 'POST', path: '/v1/access', body });
};

test('access by block leaves out blocks without the mode, which include_missing returns', async () => {
  const known = await accessOf({});
  const all = await accessOf({ include_missing: true });
  expect(all.filter(({ count }) => count !== null)).toEqual(known);
  const missing = all.filter(({ count }) => count === null);
  expect(new Set(missing.map(({ reason }) => reason))).toEqual(new Set(['no-data']));
  const key = (row: { geoid: string; mode: string }) => `${row.geoid} ${row.mode}`;
  const unknown = rows.filter(({ reason }) => reason === 'no-data').map(key);
  expect(missing.map(key).sort()).toEqual([...new Set(unknown)].sort());
  expect(missing.length).toBeGreaterThan(10);
});

test.each(['tract', 'place', 'county'])('averages by %s say whom they leave out', async (by) => {
  const [averages, byBlock] = [await accessOf({ by }), await accessOf({ include_missing: true })];
  const peopleOf = new Map(rows.map(({ geoid, population }) => [geoid, population ?? 0]));
  let left = 0;
  for (const average of averages) {
    const { geoid, mode, total, no_data } = average;
    const named = { place: { places: [geoid] }, county: { counties: [geoid] } }[by];
    const own = byBlock.filter((row) => row.geoid.startsWith(geoid) && row.mode === mode);
    const inside = named ?? { blocks: own.map((row) => row.geoid) };
    const body = { area: inside, type: [101], mode: [mode] };
    const [sums] = expectOk(await api.post('/v1/coverage', body)).results;
    expect([geoid, mode, total, no_data]).toEqual([geoid, mode, sums.total, sums.no_data]);
    left += sums.no_data;
    if (named) continue;
    let [sum, of] = [0, 0];
    for (const { geoid, count } of own.filter((row) => row.count !== null)) {
      sum += peopleOf.get(geoid)! * count!;
      of += peopleOf.get(geoid)!;
    }
    expect(average.count).toBe(Math.round((10 * sum) / of) / 10);
  }
  expect(left).toBeGreaterThan(0);
});

test('an average of which nobody is known has a row only if it is asked for, with the reason', async () => {
  const walked = (await accessOf({ include_missing: true })).filter(({ mode }) => mode === 'walk');
  const unlinked = walked.filter(({ count }) => count === null).map(({ geoid }) => geoid);
  const peopled = unlinked.filter((geoid) =>
    rows.some((row) => row.geoid === geoid && (row.population ?? 0) > 0),
  );
  const asked = { area: { blocks: peopled }, mode: ['walk'], by: 'county' };
  expect(await accessOf(asked)).toEqual([]);
  const missing = await accessOf({ ...asked, include_missing: true });
  expect(missing.length).toBeGreaterThan(0);
  for (const row of missing) {
    expect(row).toMatchObject({ count: null, reason: 'no-data' });
    expect(row.no_data).toBe(row.total);
  }
  const empty = rows.filter(({ population }) => population === 0).map(({ geoid }) => geoid);
  const nobody = { area: { blocks: [...new Set(empty)] }, mode: ['bike'], by: 'county' };
  expect(await accessOf(nobody)).toEqual([]);
  for (const row of await accessOf({ ...nobody, include_missing: true })) {
    expect(row).toMatchObject({ count: null, reason: 'no-weight', total: 0, no_data: 0 });
  }
});
