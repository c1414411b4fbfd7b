import { beforeAll, describe, expect, inject, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { PLAIN_GRID, PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import type { Release } from '../../shards/release/release.ts';
import { CLOSED_CINEMA, changedDemo } from '../support/changed-demo.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { exportedLines } from '../support/exported-lines.ts';
import { plainGridBlock, plainGridWalk } from '../support/plain-grid-oracle.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

const PATH = '/v1/changes';
const STEPS = [1, 2, 5, 10];
const CINEMAS = 'cinemas';

let proxy: ProxyHarness;
let key: string;
let release: { before: Release; after: Release };

beforeAll(async () => {
  proxy = await openProxy(await changedDemo(inject('demoCity')));
  ({ key } = await proxy.customer({ tokens: 1e9 }));
  release = {
    before: await proxy.releases.find('before'),
    after: await proxy.releases.find('after'),
  };
  return () => proxy.close();
});

interface Row {
  readonly geoid?: string;
  readonly mode: string;
  readonly type?: number;
  readonly of?: string;
  readonly minutes?: number;
  readonly weight: string;
  readonly total: number;
  readonly gained: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
  readonly unchanged: number;
  readonly newly_within?: number;
  readonly no_longer_within?: number;
  readonly mean_before: number | null;
  readonly mean_after: number | null;
  readonly no_data: number;
}

async function rowsOf(body: object): Promise<Row[]> {
  const response = await proxy.post(PATH, key, { from: 'before', to: 'after', ...body });
  expect(response.json(), response.body.slice(0, 300)).toHaveProperty('results');
  return response.json().results;
}

test('a cinema closed on the plain grid lengthens walks as worked out by hand', async () => {
  const plan = planCity(DEMO_CITY);
  const cells = Array.from({ length: PLAIN_GRID.side ** 2 }, (_, i) => ({
    column: i % PLAIN_GRID.side,
    row: Math.floor(i / PLAIN_GRID.side),
  }));
  const open = PLAIN_GRID_PLACES.find(({ label }) => label === CINEMAS)!;
  const people = new Map<string, number>();
  for (const { geoid, population } of (await exportedLines(release.after, ['blocks'])).get(
    'blocks',
  )!) {
    people.set(geoid, Number(population));
  }
  const blocks = cells.map((cell) => {
    const { geoid } = plainGridBlock(plan, cell.column, cell.row);
    const tenths = (minutes: number) => Math.round(10 * minutes);
    const after = tenths(plainGridWalk(cell, open));
    return {
      geoid,
      people: people.get(geoid)!,
      before: Math.min(after, tenths(plainGridWalk(cell, CLOSED_CINEMA))),
      after,
    };
  });
  const [row] = await rowsOf({
    area: { blocks: blocks.map(({ geoid }) => geoid) },
    type: [CINEMAS],
    mode: ['walk'],
  });
  const sum = (of: (block: (typeof blocks)[number]) => boolean) =>
    blocks.reduce((all, block) => all + (of(block) ? block.people : 0), 0);
  expect(sum(({ before, after }) => after - before >= 100)).toBeGreaterThan(0);
  expect(row).toMatchObject({
    mode: 'walk',
    total: sum(() => true),
    gained: { 1: 0, 2: 0, 5: 0, 10: 0 },
    no_data: 0,
    newly_within: 0,
    no_longer_within: 0,
  });
  for (const step of STEPS) {
    expect(row.lost[step], `${step}`).toBe(sum(({ before, after }) => after - before >= 10 * step));
  }
  expect(row.unchanged).toBe(sum(({ before, after }) => after - before < 10));
  const mean = (side: 'before' | 'after') =>
    blocks.reduce((all, block) => all + block[side] * block.people, 0) / sum(() => true) / 10;
  expect(Math.abs(row.mean_before! - mean('before'))).toBeLessThan(0.0051);
  expect(Math.abs(row.mean_after! - mean('after'))).toBeLessThan(0.0051);
});

/** The values of every block in an exported release. */
async function linesOf(one: Release) {
  const tables = await exportedLines(one, ['nearest', 'access', 'blocks', 'weights']);
  const times = new Map<string, number>();
  for (const { geoid, mode, dest_type_id, minutes } of tables.get('nearest')!) {
    times.set(`${geoid} ${mode} ${dest_type_id}`, Number(minutes));
  }
  const counts = new Map<string, number>();
  for (const { geoid, of, direction, mode, minutes, count } of tables.get('access')!) {
    if (direction === 'from') counts.set(`${geoid} ${mode} ${of} ${minutes}`, Number(count));
  }
  const linked = new Map<string, boolean>();
  for (const { geoid, walk_linked, bike_linked } of tables.get('blocks')!) {
    for (const mode of ['walk', 'transit']) linked.set(`${geoid} ${mode}`, walk_linked === 'true');
    linked.set(`${geoid} bike`, bike_linked === 'true');
  }
  return { times, counts, linked, weights: tables.get('weights')! };
}

describe('sums of all types, modes and groups of a county', () => {
  let lines: Record<'before' | 'after', Awaited<ReturnType<typeof linesOf>>>;
  beforeAll(async () => {
    lines = { before: await linesOf(release.before), after: await linesOf(release.after) };
  });

  /** The sums of plain rows: a block has a value, nothing, or is not routed. */
  function bruteSums(
    blocks: readonly Readonly<Record<string, string>>[],
    { mode, type, of, minutes, weight }: Row,
  ) {
    const value = (side: 'before' | 'after', geoid: string): number | null => {
      const { times, counts, linked } = lines[side];
      if (!linked.get(`${geoid} ${mode}`)) return null;
      if (of !== undefined) return counts.get(`${geoid} ${mode} ${of} ${minutes}`)!;
      return times.get(`${geoid} ${mode} ${type}`) ?? Number.POSITIVE_INFINITY;
    };
    const found = {
      total: 0,
      gained: { 1: 0, 2: 0, 5: 0, 10: 0 } as Record<number, number>,
      lost: { 1: 0, 2: 0, 5: 0, 10: 0 } as Record<number, number>,
      unchanged: 0,
      newly_within: 0,
      no_longer_within: 0,
      no_data: 0,
    };
    for (const block of blocks) {
      const count = Number(block[weight]);
      const [was, is] = [value('before', block.geoid), value('after', block.geoid)];
      found.total += count;
      if (was === null || is === null) {
        found.no_data += count;
        continue;
      }
      const [a, b] = [Math.min(was, of ? was : 30), Math.min(is, of ? is : 30)];
      // Tenths, since minutes have no exact difference.
      const better = of ? b - a : Math.round(10 * (a - b)) / 10;
      const size = of === undefined ? Math.abs(better) : (100 * Math.abs(better)) / (a || 1e-9);
      for (const step of STEPS) {
        if (better > 0 && size >= step) found.gained[step] += count;
        if (better < 0 && size >= step) found.lost[step] += count;
      }
      if (size < 1) found.unchanged += count;
      if (of === undefined && was > 30 && is <= 30) found.newly_within += count;
      if (of === undefined && was <= 30 && is > 30) found.no_longer_within += count;
    }
    return found;
  }

  test('equal brute sums over the exported rows of both releases', async () => {
    const [{ fips }] = release.after.counties;
    const area = { counties: [fips] };
    const blocks = lines.after.weights.filter(({ geoid }) => geoid.startsWith(fips));
    const by = ['hispanic'];
    const times = await rowsOf({ area, by });
    const counts = await rowsOf({ area, by, of: ['type:libraries', 'people', 'jobs'] });
    expect(times.length).toBe(2 * 3 * release.after.taxonomy.leafIds.length);
    expect(counts.length).toBe(2 * 3 * (2 * 4 + 2));
    for (const row of [...times, ...counts]) {
      const { newly_within, no_longer_within, ...expected } = bruteSums(blocks, row);
      expect(row).toMatchObject(
        row.of ? expected : { ...expected, newly_within, no_longer_within },
      );
    }
    const libraries = counts.filter(({ of }) => of?.startsWith('type:'));
    const id = release.after.taxonomy.idOf('libraries');
    expect(libraries.map(({ of, minutes }) => [of, minutes])).toEqual(
      Array.from({ length: 12 }, (_, i) => [`type:${id}`, Math.floor(i / 2) % 2 ? 30 : 15]),
    );
    expect(libraries.some(({ lost }) => lost[10] > 0)).toBe(true);
    const walks = times.filter(
      ({ mode, type }) => mode !== 'transit' && type !== release.after.taxonomy.idOf(CINEMAS),
    );
    const ids = release.after.taxonomy;
    const stops = [ids.idOf('frequent_transit'), ids.idOf('transit_stops')];
    for (const row of walks.filter(({ type }) => !stops.includes(type))) {
      expect(row.unchanged + row.no_data).toBe(row.total);
      expect(row.mean_after).toBe(row.mean_before);
    }
    const rides = times.filter(({ mode }) => mode === 'transit');
    expect(rides.some(({ lost }) => lost[5] > 0)).toBe(true);
  });

  test.each(['tract', 'place', 'county'] as const)('by %s equal sums of its blocks', async (by) => {
    const counties = release.after.counties.map(({ fips }) => fips);
    const rows = await rowsOf({ area: { counties }, type: [CINEMAS], by: [by] });
    const areas = [...new Set(rows.map(({ geoid }) => geoid!))];
    expect(areas).toEqual([...areas].sort());
    expect(rows.length).toBe(3 * areas.length);
    for (const geoid of areas) {
      const alone =
        by === 'place'
          ? { places: [geoid] }
          : {
              blocks: lines.after.weights
                .map((block) => block.geoid)
                .filter((block) => block.startsWith(geoid)),
            };
      const expected = await rowsOf({ area: alone, type: [CINEMAS] });
      expect(rows.filter((row) => row.geoid === geoid)).toEqual(
        expected.map((row) => ({ geoid, ...row })),
      );
    }
  });

  test('of a release and itself are exactly none', async () => {
    const [{ fips }] = release.after.counties;
    const body = { from: 'after', to: release.after.version, area: { counties: [fips] } };
    for (const more of [{}, { of: ['jobs'] }]) {
      for (const row of await rowsOf({ ...body, ...more })) {
        expect(row.unchanged + row.no_data).toBe(row.total);
        expect(
          [...Object.values(row.gained), ...Object.values(row.lost)].every((n) => n === 0),
        ).toBe(true);
        expect(row.mean_after).toBe(row.mean_before);
      }
    }
  });

  test('backwards exchange gains and losses of times', async () => {
    const [{ fips }] = release.after.counties;
    const area = { counties: [fips] };
    const forth = await rowsOf({ area, mode: ['transit'] });
    const back = await rowsOf({ area, mode: ['transit'], from: 'after', to: 'before' });
    const turned = forth.map((row) => ({
      ...row,
      gained: row.lost,
      lost: row.gained,
      newly_within: row.no_longer_within,
      no_longer_within: row.newly_within,
      mean_before: row.mean_after,
      mean_after: row.mean_before,
    }));
    expect(back).toEqual(turned);
  });
});

test('costs ten tokens, and one a row; names of releases are labels, versions and manifests', async () => {
  const { id, key: poor } = await proxy.customer({ tokens: 40 });
  const [{ fips }] = release.after.counties;
  const stem = release.before.latest.manifest.replace(/^manifests\/|\.json$/g, '');
  for (const from of ['before', release.before.version, stem]) {
    const body = { from, to: 'after', area: { counties: [fips] }, type: [CINEMAS], mode: ['walk'] };
    const response = await proxy.post(PATH, poor, body);
    expect(response.json()).toMatchObject({
      from: release.before.version,
      to: release.after.version,
      noise: { people: { method: expect.stringContaining('census of 2020') } },
    });
    expect(response.headers['x-tokens-charged']).toBe('11');
  }
  const body = {
    from: 'before',
    to: 'after',
    area: { counties: [fips] },
    type: [CINEMAS],
    mode: ['walk'],
  };
  const refused = await proxy.post(PATH, poor, body);
  expect(refused.json()).toMatchObject({ tokens_remaining: 7, tokens_required: 11 });
  expect(await proxy.balance(id)).toBe(7);
});

test('an unknown release is refused with the names of those there are, uncharged', async () => {
  const { id, key: own } = await proxy.customer({ tokens: 40 });
  const [{ fips }] = release.after.counties;
  const response = await proxy.post(PATH, own, {
    from: 'befor',
    to: 'after',
    area: { counties: [fips] },
  });
  const problem = response.json();
  expect([response.statusCode, problem.errors[0].type]).toEqual([400, 'unknown_release']);
  expect(problem.errors[0].msg).toContain('before-');
  expect(problem.errors[0].msg).toContain('after-');
  expect(await proxy.balance(id)).toBe(40);
});

test('rows are CSV and NDJSON, and a POST is charged once by its key', async () => {
  const [{ fips }] = release.after.counties;
  const body = {
    from: 'before',
    to: 'after',
    area: { counties: [fips] },
    of: ['jobs'],
    mode: ['transit'],
  };
  const csv = await proxy.post(PATH, key, body, { accept: 'text/csv' });
  const [head] = csv.body.split('\r\n');
  expect(head).toBe(
    'mode,of,minutes,weight,total,gained_1,gained_2,gained_5,gained_10,lost_1,lost_2,lost_5,lost_10,unchanged,mean_before,mean_after,no_data',
  );
  const lines = await proxy.post(PATH, key, body, { accept: 'application/x-ndjson' });
  const { results: rows, from, to, noise } = (await proxy.post(PATH, key, body)).json();
  for (const { headers } of [csv, lines]) {
    expect(headers).toMatchObject({ 'x-from': from, 'x-to': to });
    expect(JSON.parse(String(headers['x-noise']))).toEqual(noise);
  }
  expect(
    lines.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(rows);
  const { id, key: own } = await proxy.customer({ tokens: 30 });
  for (const _ of [1, 2, 3]) {
    const again = await proxy.post(PATH, own, body, { 'idempotency-key': 'once' });
    expect(again.json().results.length).toBe(4);
  }
  expect(await proxy.balance(id)).toBe(16);
});

test('the noise of many weights exceeds a header, which then says where it is', async () => {
  const { weights } = (await proxy.get('/v1/meta/weights')).json();
  const body = {
    from: 'before',
    to: 'after',
    area: { counties: [release.after.counties[0].fips] },
    type: [CINEMAS],
    mode: ['walk'],
    weight: weights.map(({ weight }: { weight: string }) => weight),
  };
  const { noise } = (await proxy.post(PATH, key, body)).json();
  expect(JSON.stringify(noise).length).toBeGreaterThan(4_096);
  const csv = await proxy.post(PATH, key, body, { accept: 'text/csv' });
  const lines = await proxy.post(PATH, key, body, { accept: 'application/x-ndjson' });
  for (const { headers } of [csv, lines]) {
    expect(JSON.parse(String(headers['x-noise']))).toBe('/v1/meta/weights');
  }
  const last = lines.body.trimEnd().split('\n').at(-1)!;
  expect(JSON.parse(last).noise).toEqual(noise);
});

test('a release is named by its label, its version, or the name of its manifest', async () => {
  const { manifest: name } = release.before.latest;
  const version = name.slice('manifests/'.length, -'.json'.length);
  for (const from of ['before', version, `${version}.json`, name]) {
    const [row] = await rowsOf({
      from,
      area: { counties: [release.after.counties[0].fips] },
      type: [CINEMAS],
      mode: ['walk'],
    });
    expect(row.mode).toBe('walk');
  }
});

test('what one of the releases lacks, or does not go together, is refused by name', async () => {
  const [{ fips }] = release.after.counties;
  const refused: [object, string, string][] = [
    [{ type: [CINEMAS], of: ['jobs'] }, 'of', 'does not go with type'],
    [{ minutes: [30] }, 'minutes', 'applies only with of'],
    [{ of: ['jobs'], minutes: [20] }, 'minutes', 'must be some of 15, 30, 45, 60'],
    [{ of: ['hispanic'] }, 'of', 'hispanic is not counted within reach in before-'],
    [{ of: ['type:cinemas'] }, 'of', 'type:cinemas is not counted within reach in before-'],
    [{ of: ['type:cows'] }, 'of', 'no destination type cows'],
    [{ of: ['jobs', 'type:libraries'], minutes: [45] }, 'minutes', 'known up to 30 minutes'],
    [{ by: ['tract', 'place'] }, 'by', 'names tract and place'],
    [{ weight: ['cows'] }, 'weight', 'has no weight cows'],
    [{ type: ['cows'] }, 'type', 'no destination type cows'],
    [{ by: ['cows'] }, 'by', 'has no weight cows'],
  ];
  for (const [more, member, words] of refused) {
    const body = { from: 'before', to: 'after', area: { counties: [fips] }, ...more };
    const { errors } = (await proxy.post(PATH, key, body)).json();
    expect(errors[0]).toMatchObject({ loc: ['body', member], msg: expect.stringContaining(words) });
  }
  const unknown = { from: 'before', to: 'after', area: { counties: ['01001'] } };
  expect((await proxy.post(PATH, key, unknown)).json().type).toContain('county-not-found');
});

test('means of a group of fewer than a hundred are null, unless asked for', async () => {
  const { blocks } = Object.fromEntries(await exportedLines(release.after, ['weights', 'blocks']));
  const [{ geoid }] = blocks.filter(({ population }) => Number(population) > 0);
  const body = { area: { blocks: [geoid] }, type: [CINEMAS], mode: ['bike'], by: ['hispanic'] };
  const [people, group] = await rowsOf(body);
  const [, stated] = await rowsOf({ ...body, small: true });
  expect(people.mean_before).not.toBeNull();
  expect([group.weight, group.mean_before, group.mean_after]).toEqual(['hispanic', null, null]);
  expect(stated.total).toBe(group.total);
  if (stated.total > 0) expect(stated.mean_before).toBe(people.mean_before);
});

test('more rows than a batch may have are refused before anything is summed', async () => {
  const small = await openProxy(await changedDemo(inject('demoCity')), {
    config: { batchRowBudget: 10 },
  });
  const customer = await small.customer({ tokens: 1_000 });
  const [{ fips }] = release.after.counties;
  const body = { from: 'before', to: 'after', area: { counties: [fips] } };
  const { errors } = (await small.post(PATH, customer.key, body)).json();
  expect(errors[0].msg).toMatch(/would have \d+ rows, and at most 10 are allowed/);
  expect(await small.balance(customer.id)).toBe(1_000);
  await small.close();
});
