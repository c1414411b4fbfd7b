import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';
import { peopleOf } from '../naive-coverage.ts';
import { marginOfPeople } from '../naive-margin.ts';
import { blockAt, type NaiveBlock, type NaiveReaches, readNaiveReach } from '../naive-release.ts';
import type { ProblemSlug } from '../problems.ts';

const demo = demoOfTests();
let reaches: NaiveReaches;
beforeAll(async () => {
  reaches = await readNaiveReach(demo.api.proxy.releases.current, inject('demoStore'));
});

const PATH = '/v1/sites/coverage';

/**
 * At most the given number of blocks that are linked on foot and by bike, so that sites there are
 * not errors.
 */
const some = (most: number) =>
  fc.subarray(
    demo.release.blocks.filter(({ links }) => links.walk === 'linked' && links.bike === 'linked'),
    { minLength: 0, maxLength: most },
  );
const queries = () =>
  fc.record({
    sites: some(6),
    candidates: some(6),
    uncovered: fc.constantFrom(0, 1, 7, 1000),
    mode: fc.constantFrom(...demo.release.modes),
    direction: fc.constantFrom('from' as const, 'to' as const),
    minutes: fc
      .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 })
      .map((list) => list.sort((a, b) => a - b)),
  });

const sitesAt = (blocks: readonly NaiveBlock[]) =>
  blocks.map(({ geoid, lon, lat }) => ({ id: geoid, lon, lat }));

/** Minutes between a block and the block of a site by the matrices; infinite beyond an hour. */
function minutesTo(direction: 'from' | 'to', mode: string, site: string, block: string): number {
  const row = reaches[direction]
    .get(site)
    ?.find((one) => one.mode === mode && (direction === 'to' ? one.from : one.to) === block);
  return row?.minutes ?? Number.POSITIVE_INFINITY;
}

test('sums, catchments, overlaps, gains, gaps and choices are those by the rows between blocks', async () => {
  const { api, release } = demo;
  await forAll(10, queries(), async ({ sites, candidates, uncovered, ...how }) => {
    const { mode, direction, minutes } = how;
    fc.pre(sites.length + candidates.length > 0);
    const blocks = release.blocks.filter((_, i) => i % 3 === 0);
    const area = { blocks: blocks.map(({ geoid }) => geoid) };
    const [sent, offered] = [sitesAt(sites), sitesAt(candidates)];
    const body = expectOk(
      await api.post(PATH, {
        sites: sent,
        ...(offered.length > 0 && { candidates: offered, choose: 3 }),
        ...(uncovered > 0 && { uncovered }),
        area,
        ...how,
      }),
    );
    // A centre may lie outside its block.
    const placed = [...body.sites, ...body.gains] as { id: string; block: string }[];
    const blockOf = new Map(placed.map(({ id, block }) => [id, block]));
    expect(body.errors).toEqual([]);
    const nearest = (ids: readonly string[], block: string) =>
      Math.min(
        Number.POSITIVE_INFINITY,
        ...ids.map((id) => minutesTo(direction, mode, blockOf.get(id)!, block)),
      );
    const within = (ids: readonly string[], most: number) =>
      peopleOf(blocks.filter(({ geoid }) => nearest(ids, geoid) <= most));
    const byMinutes = (sum: (most: number) => number) =>
      Object.fromEntries(minutes.map((most) => [String(most), sum(most)]));
    const own = sent.map(({ id }) => id);
    const street = mode === 'bike' ? 'bike' : 'walk';
    const [total, no_data] = [
      peopleOf(blocks),
      peopleOf(blocks.filter(({ links }) => links[street] !== 'linked')),
    ];
    const inAll = byMinutes((most) => within(own, most));
    const beyond = total - no_data - inAll[String(minutes.at(-1))];
    expect(body.results).toEqual([
      { mode, weight: 'people', total, within: inAll, beyond, no_data },
    ]);
    expect(body.sites).toEqual(
      own.map((id) => ({
        id,
        block: blockOf.get(id),
        within: byMinutes((m) => within([id], m)),
        overlap: byMinutes((m) => {
          const others = own.filter((other) => other !== id);
          const isShared = ({ geoid }: NaiveBlock) =>
            nearest([id], geoid) <= m && nearest(others, geoid) <= m;
          return peopleOf(blocks.filter(isShared));
        }),
      })),
    );
    const gaps = blocks
      .filter(({ geoid, links }) => {
        return links[street] === 'linked' && nearest(own, geoid) > minutes.at(-1)!;
      })
      .map(({ geoid, lon, lat, population }) => {
        return { block: geoid, lon, lat, count: population ?? 0 };
      })
      .sort((a, b) => b.count - a.count || (a.block < b.block ? -1 : 1));
    expect(body.uncovered).toEqual(gaps.slice(0, uncovered));
    expect(body.gains).toEqual(
      offered.map(({ id }) => ({
        id,
        block: blockOf.get(id),
        gain: byMinutes((m) => within([...own, id], m) - within(own, m)),
      })),
    );
    let so = within(own, minutes[0]);
    const chosen: string[] = [];
    for (const { id, gain, total_within } of body.chosen) {
      chosen.push(id);
      expect(gain).toBeGreaterThan(0);
      expect(total_within).toBe(so + gain);
      expect(total_within).toBe(within([...own, ...chosen], minutes[0]));
      so = total_within;
    }
    const gains = body.gains.map((one: { gain: object }) => Object.values(one.gain)[0]);
    expect(body.chosen[0]?.gain ?? 0).toBe(Math.max(0, ...gains));
  });
});

test('without an area, everyone whom any site or candidate reaches counts, in any county', async () => {
  const { api, release } = demo;
  const byId = new Map(release.blocks.map((block) => [block.geoid, block]));
  await forAll(10, queries(), async ({ sites, candidates, mode, direction, minutes }) => {
    const how = { mode, direction, minutes };
    fc.pre(sites.length + candidates.length > 0);
    const offered = candidates.length > 0 && { candidates: sitesAt(candidates) };
    const body = expectOk(await api.post(PATH, { sites: sitesAt(sites), ...offered, ...how }));
    expect(body.errors).toEqual([]);
    const reachedOf = (placed: readonly { block: string }[]) =>
      new Set(
        placed.flatMap(({ block }) =>
          (reaches[direction].get(block) ?? [])
            .filter((row) => row.mode === mode && row.minutes <= minutes.at(-1)!)
            .map(({ from, to }) => (direction === 'to' ? from : to)),
        ),
      );
    const blocksOf = (geoids: Iterable<string>) => [...geoids].map((geoid) => byId.get(geoid)!);
    const peopleAt = (geoids: Iterable<string>) => peopleOf(blocksOf(geoids));
    const counted = reachedOf([...body.sites, ...body.gains]);
    const covered = reachedOf(body.sites);
    expect(body.area).toEqual({
      blocks: counted.size,
      land_area_m2: expect.any(Number),
      margin: { people: marginOfPeople(demo.release, blocksOf(counted)) },
      counties: [...new Set([...counted].map((geoid) => geoid.slice(0, 5)))].sort(),
    });
    const [{ total, within, beyond, no_data }] = body.results;
    expect([total, within[minutes.at(-1)!], beyond, no_data]).toEqual([
      peopleAt(counted),
      peopleAt(covered),
      peopleAt(counted) - peopleAt(covered),
      0,
    ]);
    for (const { block, gain } of body.gains) {
      const added = [...reachedOf([{ block }])].filter((geoid) => !covered.has(geoid));
      expect(gain[minutes.at(-1)!]).toBe(peopleAt(added));
    }
  });
});

test('the better candidate is chosen, whichever side of a county line it lies on', async () => {
  const { api, release } = demo;
  const countyOf = ({ geoid }: NaiveBlock) => geoid.slice(0, 5);
  const byId = new Map(release.blocks.map((block) => [block.geoid, block]));
  const linked = release.blocks.filter(({ links }) => links.walk === 'linked');
  const [home, other] = new Set(linked.map(countyOf));
  const weighed = linked.map((block) => {
    const rows = reaches.to.get(block.geoid) ?? [];
    const near = rows
      .filter(({ mode, minutes }) => mode === 'walk' && minutes <= 15)
      .map(({ from }) => byId.get(from)!);
    const atHome = peopleOf(near.filter((one) => countyOf(one) === home));
    return { block, near, atHome, all: peopleOf(near) };
  });
  const [site] = weighed.filter(({ block }) => countyOf(block) === home);
  const candidates = weighed.filter(({ near }) => !near.some((one) => site.near.includes(one)));
  // Neither adds anyone whom the site has. The better is over the line, and adds less at home.
  const pairs = candidates.flatMap((over) =>
    candidates
      .filter(({ block }) => countyOf(block) === home && countyOf(over.block) === other)
      .map((own) => ({ over, own })),
  );
  const { over, own } = pairs.find(
    ({ over, own }) => over.atHome > 0 && own.atHome > over.atHome && over.all > own.all,
  )!;
  const how = { choose: 1, mode: 'walk', minutes: [15] };
  const offered = sitesAt([own.block, over.block]);
  const body = expectOk(
    await api.post(PATH, { sites: sitesAt([site.block]), candidates: offered, ...how }),
  );
  expect(body.area.counties).toEqual([home, other]);
  expect(body.gains.map(({ gain }: { gain: object }) => gain)).toEqual([
    { 15: own.all },
    { 15: over.all },
  ]);
  expect(body.chosen).toMatchObject([{ id: over.block.geoid, gain: over.all }]);
});

test('sites as CSV or GeoJSON get the response of a list of sites', async () => {
  const { api, release } = demo;
  const linked = release.blocks.filter(({ links }) => links.walk === 'linked');
  const [sites, candidates] = [sitesAt(linked.slice(0, 3)), sitesAt(linked.slice(40, 42))];
  const how = { mode: 'walk', choose: 1, uncovered: 5 };
  const listed = expectOk(await api.post(PATH, { sites, candidates, ...how }));
  const lines = sites.map(({ id, lon, lat }) => `"Clinic, ${id}",${lat} ,${id},${lon}`);
  const csv = `\ufeffName,Lat,ID,lon\r\n${lines.join('\r\n')}\r\n\r\n`;
  const features = candidates.map(({ id, lon, lat }, i) => ({
    type: 'Feature',
    ...(i === 0 ? { id, properties: null } : { properties: { id, name: 'second' } }),
    geometry: { type: 'Point', coordinates: [lon, lat] },
  }));
  const geojson = { type: 'FeatureCollection', name: 'offers', features };
  const body = expectOk(await api.post(PATH, { sites: csv, candidates: geojson, ...how }));
  expect(body).toEqual(listed);
});

describe('the POIs of a type as sites, and blocks as candidates', () => {
  const GROCERIES = 'grocery_stores';
  const how = { mode: 'walk', minutes: [5, 15], choose: 2, uncovered: 7 };

  /** The POIs of a type whose block is one of the given, as points. */
  function poisIn(blocks: readonly NaiveBlock[], type: number) {
    const { pois, leavesOf } = demo.release;
    const leaves = leavesOf.get(type)!;
    const geoids = new Set(blocks.map(({ geoid }) => geoid));
    return pois
      .filter(({ types }) => types.some((id) => leaves.includes(id)))
      .filter(({ lon, lat }) => geoids.has(blockAt(demo.release, lon, lat)?.geoid ?? ''))
      .map(({ dest_id, lon, lat }) => ({ id: dest_id, lon, lat }));
  }

  /** A response with its lists by id, since the order of POIs is the service's own. */
  const byId = ({ sites, errors, ...rest }: { sites: Named[]; errors: Named[] }) => ({
    ...rest,
    sites: sites.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    errors: errors.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
  interface Named {
    readonly id: number;
  }

  /** The id of a type; every release of the demo city has it. */
  async function typeOf(label: string): Promise<number> {
    const { body } = await demo.api.get('/v1/meta/destination-types', {}, { as: null });
    const { destination_types } = JSON.parse(body) as {
      destination_types: { label: string; dest_type_id: number }[];
    };
    return destination_types.find((one) => one.label === label)!.dest_type_id;
  }

  test('are those in an area of their own, with the response of the points that they stand for', async () => {
    const { api, release } = demo;
    const type = await typeOf(GROCERIES);
    const county = '99003';
    const blocks = release.blocks.filter(({ geoid }) => geoid.startsWith(county));
    const sites = poisIn(blocks, type);
    expect(sites.length).toBeGreaterThan(2);
    const candidates = blocks.slice(0, 40).map(({ geoid, lon, lat }) => ({ id: geoid, lon, lat }));
    const area = { counties: [county] };
    const offered = { candidates: { blocks: candidates.map(({ id }) => id) }, area, ...how };
    const response = await api.post(PATH, { sites: { type: GROCERIES, area }, ...offered });
    const { sites_from, ...body } = expectOk(response);
    expect(sites_from).toEqual({ kind: 'area', counties: [county], outside: 0 });
    expect(body.gains.length).toBeGreaterThan(30);
    const inBlocks = new Map(body.gains.map((one: { id: string; block: string }) => [one.id, one]));
    for (const [id, { block }] of inBlocks as Map<string, { block: string }>)
      expect(block).toBe(id);
    const points = expectOk(await api.post(PATH, { sites, candidates, area, ...how }));
    // A centre may lie outside its block, where a point would be located in another.
    const moved = points.gains.filter(
      ({ id, block }: { id: string; block: string }) => id !== block,
    );
    expect(moved).toEqual([]);
    expect(byId(body)).toEqual(byId(points));
    const measured = body.sites.length + body.gains.length;
    expect(response.headers['x-tokens-charged']).toBe(String(measured));
    const again = expectOk(await api.post(PATH, { sites: { type, area }, ...offered }));
    expect(again).toEqual({ sites_from, ...body });
  });

  test('are, without an area of their own, all that are near the area, wherever they lie', async () => {
    const { api, release } = demo;
    const type = await typeOf(GROCERIES);
    const all = poisIn(release.blocks, type);
    const blockOf = new Map(
      all.map(({ id, lon, lat }) => [id, blockAt(release, lon, lat)!.geoid] as const),
    );
    const [first] = new Set(release.blocks.map(({ geoid }) => geoid.slice(0, 5)));
    const ofCounty = release.blocks.filter(({ geoid }) => geoid.startsWith(first));
    let outsideAny = 0;
    const areas = fc.oneof(
      fc.constant({ counties: [first] }),
      fc
        .subarray(ofCounty, { minLength: 1, maxLength: 12 })
        .map((some) => ({ blocks: some.map(({ geoid }) => geoid) })),
    );
    const ways = fc.record({
      area: areas,
      mode: fc.constantFrom(...release.modes),
      direction: fc.constantFrom('from' as const, 'to' as const),
      minutes: fc.constantFrom([5], [5, 15], [10, 30, 60]),
    });
    await forAll(10, ways, async ({ area, mode, direction, minutes }) => {
      const inArea = new Set('blocks' in area ? area.blocks : ofCounty.map(({ geoid }) => geoid));
      const isNear = (geoid: string) =>
        inArea.has(geoid) ||
        (reaches[direction].get(geoid) ?? []).some(
          (row) =>
            row.mode === mode &&
            row.minutes <= minutes.at(-1)! &&
            inArea.has(direction === 'to' ? row.from : row.to),
        );
      const sites = all.filter(({ id }) => isNear(blockOf.get(id)!));
      const asked = { area, mode, direction, minutes };
      const { sites_from, ...body } = expectOk(
        await api.post(PATH, { sites: { type: GROCERIES }, ...asked }),
      );
      const outside = body.sites.filter(({ block }: { block: string }) => !inArea.has(block));
      outsideAny += outside.length;
      expect(sites_from).toEqual({
        kind: 'near',
        counties: [
          ...new Set(body.sites.map(({ block }: { block: string }) => block.slice(0, 5))),
        ].sort(),
        outside: outside.length,
      });
      const ids = [...body.sites, ...body.errors].map(({ id }: Named) => id);
      expect(ids.sort()).toEqual(sites.map(({ id }) => id).sort());
      if (sites.length === 0) return;
      const points = await api.post(PATH, { sites, ...asked });
      if (body.sites.length > 0) expect(byId(body)).toEqual(byId(expectOk(points)));
      // POIs farther away change no share.
      const everywhere = {
        type: GROCERIES,
        area: { counties: [...new Set(release.blocks.map(({ geoid }) => geoid.slice(0, 5)))] },
      };
      const ofAll = expectOk(await api.post(PATH, { sites: everywhere, ...asked }));
      expect(body.results).toEqual(ofAll.results);
    });
    expect(outsideAny).toBeGreaterThan(0);
  });

  test('a block that is unknown, or that has no street, fails alone and is free, in every format', async () => {
    const { api, block, water } = demo;
    const unknown = '990019999999999';
    const body = {
      sites: [{ id: 'a', lon: block.lon, lat: block.lat }],
      candidates: { blocks: [unknown, water.geoid, block.geoid] },
      mode: 'walk',
    };
    const json = await api.post(PATH, body);
    expect(expectOk(json).gains.map(({ id }: { id: string }) => id)).toEqual([block.geoid]);
    const faults = [
      { id: water.geoid, list: 'candidates', type: 'no-block-data', detail: expect.any(String) },
      { id: unknown, list: 'candidates', type: 'block-not-found', detail: expect.any(String) },
    ];
    expect(json.json().errors).toEqual(expect.arrayContaining(faults));
    expect(json.json().errors).toHaveLength(2);
    const { headers, body: csv } = await api.post(PATH, body, { headers: { accept: 'text/csv' } });
    expect(headers['x-tokens-charged']).toBe('10');
    for (const { id, type } of faults) {
      expect(csv).toMatch(new RegExp(`^candidates,${id},.*,${type},`, 'm'));
    }
  });

  test('what there is nothing of, and what is too much, is told, uncharged', async () => {
    const { api, block } = demo;
    const at = [{ id: 'a', lon: block.lon, lat: block.lat }];
    const refused = async (slug: ProblemSlug, body: object, said: RegExp) => {
      const response = await api.post(PATH, { mode: 'walk', ...body });
      expect(expectProblem(response, slug).detail).toMatch(said);
      expect(response.headers['x-tokens-charged']).toBe('0');
    };
    await refused(
      'invalid-parameters',
      { sites: { type: 'grocery' } },
      /no destination type grocery/,
    );
    await refused('invalid-parameters', { sites: { type: GROCERIES } }, /need an area/);
    await refused('invalid-parameters', { sites: { type: {} } }, /id or label/);
    await refused('missing-area', { sites: at, candidates: {} }, /an area in candidates: one of/);
    await refused('missing-area', { sites: { type: GROCERIES, area: {} } }, /in sites\.area: one/);
    await refused('missing-area', { sites: at, area: {} }, /send an area in area: one of polygon/);
    await refused('county-not-found', { sites: at, candidates: { counties: ['01001'] } }, /01001/);
    const water = { blocks: [demo.water.geoid] };
    const nowhere = { sites: { type: GROCERIES, area: water } };
    await refused('poi-not-found', nowhere, /area of sites has no POI of the type/);
    const oneKilometre = { center: OPEN_SEA, radius_m: 1_000 };
    const empty = { sites: [], candidates: oneKilometre };
    await refused('point-not-covered', empty, /area of candidates has no block/);
    const none = expectOk(
      await api.post(PATH, { ...nowhere, mode: 'walk', area: { counties: ['99001'] } }),
    );
    expect(none.results[0].within).toEqual({ 15: 0, 30: 0, 45: 0, 60: 0 });
  });
});

describe('faults of sites', () => {
  test('a point outside the data, or on a block without streets, fails alone', async () => {
    const { api, block, water } = demo;
    const sites = [
      { id: 'here', lon: block.lon, lat: block.lat },
      { id: 'sea', ...OPEN_SEA },
      { id: 'water', lon: water.lon, lat: water.lat },
    ];
    const body = expectOk(await api.post(PATH, { sites, mode: 'walk' }));
    expect(body.sites.map(({ id }: { id: string }) => id)).toEqual(['here']);
    expect(body.errors).toEqual([
      {
        id: 'sea',
        list: 'sites',
        type: 'point-not-covered',
        detail: expect.stringContaining('30, -40'),
      },
      {
        id: 'water',
        list: 'sites',
        type: 'no-block-data',
        detail: expect.stringMatching(/on foot|street/),
      },
    ]);
  });

  test('a wrong body is refused with the location of its fault, uncharged', async () => {
    const { api, block } = demo;
    const at = { lon: block.lon, lat: block.lat };
    const one = { id: 'a', ...at };
    const refuse = async (body: object, ...loc: (string | number)[]) => {
      const problem = expectProblem(await api.post(PATH, body), 'invalid-parameters');
      expect(problem.errors[0].loc).toEqual(['body', ...loc]);
    };
    const mode = 'walk';
    await refuse({ sites: [one, one], mode }, 'sites', 1, 'id');
    await refuse({ sites: [{ ...one, lat: 91 }], mode }, 'sites', 0);
    await refuse({ sites: [{ ...one, name: 'x' }], mode }, 'sites', 0, 'name');
    await refuse({ sites: [], mode }, 'sites');
    await refuse({ sites: [one], mode, choose: 1 }, 'choose');
    await refuse({ sites: [one], mode, uncovered: 1001 }, 'uncovered');
    await refuse({ sites: [one], mode, minutes: [10, 5] }, 'minutes');
    await refuse({ sites: [one], mode, weight: ['nobody'] }, 'weight');
    const many = Array.from({ length: 1001 }, (_, id) => ({ id, ...at }));
    await refuse({ sites: many, mode }, 'sites');
    const rows = Array.from({ length: 1001 }, (_, id) => `${id},36,-70`).join('\n');
    await refuse({ sites: `id,lat,lon\n${rows}`, mode }, 'sites');
    const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });
    await refuse({ sites: collection(null), mode }, 'sites', 0);
    const point = { type: 'Point', coordinates: [at.lon, at.lat] };
    await refuse({ sites: collection({ geometry: point }), mode }, 'sites', 0, 'id');
    await refuse({ sites: { type: 'FeatureCollection', features: {} }, mode }, 'sites', 'features');
    await refuse({ sites: { type: 'Feature' }, mode }, 'sites', 'type');
    expectInvalid(await api.post(PATH, { sites: [one] }), 'mode');
  });
});

test('the price is a token per site or candidate, at least 10', async () => {
  const { api, release } = demo;
  const sites = sitesAt(release.blocks.slice(0, 17));
  for (const [count, tokens] of [
    [1, 10],
    [10, 10],
    [17, 17],
  ]) {
    const response = await api.post(PATH, { sites: sites.slice(0, count), mode: 'walk' });
    expectOk(response);
    expect(response.headers['x-tokens-charged']).toBe(String(tokens));
  }
});
