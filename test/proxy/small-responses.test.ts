import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Mode } from '../../shards/modes.ts';
import { MAX_DEST_ID } from '../../shards/units.ts';
import { forAll } from '../support/for-all.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { SMALL_LEAVES, smallReleaseOfTests } from '../support/small-release.ts';
import { SMALL_MODES, type SmallBlock, smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 20261121, blocks: 40, pois: 120 });
/** Leaves of every type of the small taxonomy, written out independently of the service's code. */
const LEAVES_OF: Readonly<Record<number, readonly number[]>> = {
  100: [101, 102],
  101: [101],
  102: [102],
  201: [201],
  300: [311, 312, 320],
  310: [311, 312],
  311: [311],
  312: [312],
  320: [320],
};

const proxy = proxyOfTests({ store: smallReleaseOfTests(county) });

interface Row {
  readonly dest_id: number;
  readonly mode: Mode;
  readonly travel_time: number;
}

interface Page {
  readonly block_geoid: string;
  readonly results: Row[];
  readonly next_cursor: string | null;
  readonly unrouted?: readonly object[];
}

/** Rows of the POIs that a block reaches, in the order and form of the contract. */
function naivePois(block: SmallBlock): (Row & { readonly types: readonly number[] })[] {
  return SMALL_MODES.flatMap((mode) =>
    county.pois.flatMap(({ destId, name, lon, lat, address, types }) => {
      const tenths = block.tenths[mode]?.get(destId);
      if (tenths === undefined) return [];
      const travel_time = Number((tenths / 10).toFixed(1));
      return [{ dest_id: destId, mode, travel_time, name, lon, lat, address, types }];
    }),
  );
}

function naiveSummary(block: SmallBlock, modes: readonly Mode[], leaves: readonly number[]) {
  const reached = naivePois(block);
  return modes.flatMap((mode) =>
    leaves.flatMap((leaf) => {
      const times = reached
        .filter((row) => row.mode === mode && row.types.includes(leaf))
        .map((row) => row.travel_time);
      if (times.length === 0) return [];
      return [{ dest_type_id: leaf, mode, travel_time: Math.min(...times) }];
    }),
  );
}

/** The modes that could not be routed; transit begins on foot. */
function naiveUnrouted({ links }: SmallBlock, modes: readonly Mode[]) {
  const unrouted = modes
    .map((mode) => ({ mode, reason: mode === 'bike' ? links.bike : links.walk }))
    .filter(({ reason }) => reason !== 'linked');
  return unrouted.length === 0 ? {} : { unrouted };
}

const query = (parameters: Record<string, readonly (string | number)[]>) =>
  Object.entries(parameters)
    .flatMap(([name, values]) => values.map((value) => `${name}=${encodeURIComponent(value)}`))
    .join('&');
const leavesOf = (types: readonly number[]) =>
  SMALL_LEAVES.filter((leaf) => types.some((type) => LEAVES_OF[type].includes(leaf)));
const modesOf = (asked: readonly Mode[]) =>
  asked.length === 0 ? SMALL_MODES : SMALL_MODES.filter((mode) => asked.includes(mode));

const anyBlock = fc.constantFrom(...county.blocks);
const anyModes = fc.array(fc.constantFrom(...SMALL_MODES), { maxLength: 4 });
const anyTypes = fc.array(fc.constantFrom(...Object.keys(LEAVES_OF).map(Number)), { maxLength: 4 });

test('a summary matches the plain data, for any block, modes and types', () =>
  forAll(300, anyBlock, anyModes, anyTypes, async (block, mode, type) => {
    const url = `/v1/blocks/${block.geoid}/summary?${query({ mode, type })}`;
    const response = await proxy.get(url, proxy.key);
    const results = naiveSummary(
      block,
      modesOf(mode),
      type.length === 0 ? SMALL_LEAVES : leavesOf(type),
    );
    const { geoid, population, landArea } = block;
    expect(response.json()).toEqual({
      block: { geoid, population, land_area_m2: landArea },
      results,
      ...naiveUnrouted(block, modesOf(mode)),
    });
    expect(response.headers['x-tokens-charged']).toBe(String(Math.max(1, results.length)));
  }));

test('a batch has an error for a block only if no requested mode could be routed from it', async () => {
  const origins = county.blocks.slice(0, 5).map(({ geoid }) => geoid);
  for (const route of ['/v1/blocks/summary', '/v1/blocks/pois']) {
    for (const modes of [['walk'], ['bike'], ['transit'], ['bike', 'transit'], []] as Mode[][]) {
      const body = { origins, ...(modes.length > 0 && { mode: modes }) };
      const response = await proxy.post(route, proxy.key, body);
      const expected = county.blocks
        .slice(0, 5)
        .filter((block) => {
          const { unrouted = [] } = naiveUnrouted(block, modesOf(modes));
          return unrouted.length === modesOf(modes).length;
        })
        .map(({ geoid }) => geoid);
      const { errors } = response.json();
      expect(errors.map((error: { geoid: string }) => error.geoid)).toEqual(expected);
      expect(errors[0].detail).toContain('no street is near its centre');
      for (const { type } of errors) expect(type).toBe('no-block-data');
    }
  }
});

test('the reason why a mode is unrouted is stated in the error of a batch and in a header of CSV', async () => {
  const [, odd, onFoot] = county.blocks;
  const response = await proxy.post('/v1/blocks/summary', proxy.key, { origins: [odd.geoid] });
  expect(response.json().errors[0].detail).toBe(
    `no requested mode can be routed from block ${odd.geoid}: on foot and by transit, its centre is outside ` +
      'the street data of the release; by bike, no street near its centre is part of the network of that mode',
  );
  const csv = await proxy.get(`/v1/blocks/${onFoot.geoid}/pois`, proxy.key, { accept: 'text/csv' });
  expect(csv.headers['x-unrouted']).toBe('bike=not-on-mode-network');
  const routed = await proxy.get(`/v1/blocks/${onFoot.geoid}/pois?mode=walk`, proxy.key);
  expect(routed.json()).not.toHaveProperty('unrouted');
  expect(routed.headers).not.toHaveProperty('x-unrouted');
});

test('include_missing distinguishes too far from unroutable, mode by mode', async () => {
  const area = { center: { lon: -76.6, lat: 39.3 }, radius_m: 10 };
  const body = { ...area, type: [101], limit: 1000, include_missing: true };
  const response = await proxy.post('/v1/blocks/query', proxy.key, body);
  const expected = county.blocks.flatMap((block) => {
    const unrouted = naiveUnrouted(block, SMALL_MODES).unrouted ?? [];
    return SMALL_MODES.map((mode, m) => {
      const known = naiveSummary(block, [mode], [101])[0]?.travel_time;
      const reason = unrouted.some((one) => one.mode === mode) ? 'no-data' : 'not-within-30';
      const time = known === undefined ? { travel_time: null, reason } : { travel_time: known };
      return { geoid: block.geoid, dest_type_id: 101, mode_id: m + 1, mode, ...time };
    });
  });
  expect(response.json().results).toEqual(expected);
});

test('the joined pages of a block match the plain data, for any filter and page size', async () => {
  const anyDestIds = fc.array(fc.constantFrom(12_345, ...county.pois.map(({ destId }) => destId)), {
    maxLength: 20,
  });
  const anyMinutes = fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined });
  const shape = fc.record({
    block: anyBlock,
    mode: anyModes,
    type: anyTypes,
    destIds: anyDestIds,
    // Hundredths, so that limits between two tenths are tested too.
    hundredths: anyMinutes,
    limit: fc.oneof(fc.integer({ min: 3, max: 40 }), fc.constant(1000)),
  });
  await forAll(200, shape, async ({ block, mode, type, destIds, hundredths, limit }) => {
    const asked = query({
      mode,
      type,
      dest_id: destIds,
      max_minutes: hundredths === undefined ? [] : [hundredths / 100],
      limit: [limit],
    });
    const wanted = naivePois(block)
      .filter((row) => modesOf(mode).includes(row.mode))
      .filter((row) => type.length === 0 || leavesOf(type).some((t) => row.types.includes(t)))
      .filter((row) => destIds.length === 0 || destIds.includes(row.dest_id))
      .filter((row) => Math.round(row.travel_time * 100) <= (hundredths ?? 3000))
      .map(({ types, ...row }) => row);
    const rows: Row[] = [];
    let next = '';
    do {
      const response = await proxy.get(`/v1/blocks/${block.geoid}/pois?${asked}${next}`, proxy.key);
      const { unrouted, ...page }: Page = response.json();
      expect({ ...(unrouted && { unrouted }) }).toEqual(naiveUnrouted(block, modesOf(mode)));
      expect(page.block_geoid).toBe(block.geoid);
      expect(response.headers['x-tokens-charged']).toBe(String(Math.max(1, page.results.length)));
      rows.push(...page.results);
      if (page.next_cursor !== null) expect(page.results).toHaveLength(limit);
      next = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (next !== '');
    expect(rows).toEqual(wanted);
  });
});

test('the least and the greatest dest_id, and the times 1.0 and 30.0, are returned exactly', async () => {
  const everything = county.blocks[3];
  const url = `/v1/blocks/${everything.geoid}/pois?mode=walk&limit=1000`;
  const { body } = await proxy.get(url, proxy.key);
  expect(body).toContain('"dest_id":1,');
  expect(body).toContain(`"dest_id":${MAX_DEST_ID},`);
  const times = [...body.matchAll(/"travel_time":([^,]+),/g)].map(([, text]) => text);
  expect(new Set(times)).toEqual(new Set(['1', '30']));
});

test('tiles of a release without map tiles are not found, with the reason', async () => {
  const response = await proxy.get('/v1/isochrone/tiles/walk/101.json');
  expect([response.statusCode, response.json().detail]).toEqual([
    404,
    'the release was built without map tiles',
  ]);
});
