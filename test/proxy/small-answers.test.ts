import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mode } from '../../shards/modes.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease, SMALL_LEAVES } from '../support/small-release.ts';
import { SMALL_MODES, type SmallBlock, smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 20261121, blocks: 40, pois: 120 });
/** Every type of the small taxonomy and its leaves, written out: no code of the service is asked. */
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

let folder: string;
let proxy: ProxyHarness;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-small-'));
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
  ({ key } = await proxy.customer({ tokens: 1e9 }));
});
afterAll(async () => {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

interface Row {
  readonly dest_id: number;
  readonly mode: Mode;
  readonly travel_time: number;
}

/** All that a block reaches, ordered and told as the contract has it. */
function naivePois(block: SmallBlock): (Row & { readonly types: readonly number[] })[] {
  return SMALL_MODES.flatMap((mode) =>
    county.pois.flatMap(({ destId, name, lon, lat, address, types }) => {
      const tenths = block.tenths[mode].get(destId);
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

test('a summary is what the plain data says, for any block, modes and types', async () => {
  await fc.assert(
    fc.asyncProperty(anyBlock, anyModes, anyTypes, async (block, mode, type) => {
      const url = `/v1/blocks/${block.geoid}/summary?${query({ mode, type })}`;
      const answer = await proxy.get(url, key);
      const results = naiveSummary(
        block,
        modesOf(mode),
        type.length === 0 ? SMALL_LEAVES : leavesOf(type),
      );
      const { geoid, population, landArea } = block;
      expect(answer.json()).toEqual({
        block: { geoid, population, land_area_m2: landArea },
        results,
      });
      expect(answer.headers['x-tokens-charged']).toBe(String(Math.max(1, results.length)));
    }),
    { numRuns: 300 },
  );
});

test('the pages of a block joined are what the plain data says, for any filter and page size', async () => {
  const anyDestIds = fc.array(fc.constantFrom(12_345, ...county.pois.map(({ destId }) => destId)), {
    maxLength: 20,
  });
  const anyMinutes = fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined });
  const shape = fc.record({
    block: anyBlock,
    mode: anyModes,
    type: anyTypes,
    destIds: anyDestIds,
    // Hundredths, so that limits between two tenths are met too.
    hundredths: anyMinutes,
    limit: fc.oneof(fc.integer({ min: 3, max: 40 }), fc.constant(1000)),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ block, mode, type, destIds, hundredths, limit }) => {
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
        const answer = await proxy.get(`/v1/blocks/${block.geoid}/pois?${asked}${next}`, key);
        const page: { block_geoid: string; results: Row[]; next_cursor: string | null } =
          answer.json();
        expect(page.block_geoid).toBe(block.geoid);
        expect(answer.headers['x-tokens-charged']).toBe(String(Math.max(1, page.results.length)));
        rows.push(...page.results);
        if (page.next_cursor !== null) expect(page.results).toHaveLength(limit);
        next = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
      } while (next !== '');
      expect(rows).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
});

test('the least and the greatest dest_id, 1.0 and 30.0 come through exactly', async () => {
  const everything = county.blocks[3];
  const url = `/v1/blocks/${everything.geoid}/pois?mode=walk&limit=1000`;
  const { body } = await proxy.get(url, key);
  expect(body).toContain('"dest_id":0,');
  expect(body).toContain(`"dest_id":${Number.MAX_SAFE_INTEGER},`);
  const times = [...body.matchAll(/"travel_time":([^,]+),/g)].map(([, text]) => text);
  expect(new Set(times)).toEqual(new Set(['1', '30']));
});

test('a block that cannot be routed, and one that reaches nothing, are known and empty', async () => {
  for (const { geoid } of county.blocks.slice(0, 3)) {
    for (const route of ['summary', 'pois']) {
      const answer = await proxy.get(`/v1/blocks/${geoid}/${route}`, key);
      expect([answer.statusCode, answer.json().results]).toEqual([200, []]);
      expect(answer.headers['x-tokens-charged']).toBe('1');
    }
  }
});
