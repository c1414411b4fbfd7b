import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { forAll } from '../support/for-all.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { type SmallCounty, type SmallPoi, smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const COUNTIES = ['24003', '24005', '24510'];

const folder = folderOfEachTest();
let proxy: ProxyHarness;
let key: string;
afterEach(() => proxy.close());

async function open(counties: readonly SmallCounty[]): Promise<void> {
  await publishSmallRelease(folder, 'first', counties);
  proxy = await openProxy(folder);
  ({ key } = await proxy.customer({ tokens: 1e9 }));
}

async function promote(release: string, counties: readonly SmallCounty[]): Promise<void> {
  await publishSmallRelease(folder, release, counties);
  await proxy.releases.refresh();
}

async function page(limit: number, cursor: string | null) {
  const query = `/v1/pois?bbox=-180,-90,180,90&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`;
  const response = await proxy.get(query, key);
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
    200,
    '',
  ]);
  const { results, next_cursor } = response.json();
  const ids: number[] = results.map(({ dest_id }: { dest_id: number }) => dest_id);
  return { ids, next: next_cursor as string | null };
}

async function allOf(limit: number, between: (pages: number) => Promise<void>) {
  const ids: number[] = [];
  for (let cursor: string | null = null, pages = 1; ; pages++) {
    const { ids: some, next }: Awaited<ReturnType<typeof page>> = await page(limit, cursor);
    ids.push(...some);
    if (next === null) return ids;
    await between(pages);
    cursor = next;
  }
}

/** A county whose POIs have ids unique to it. */
function county(number: number, seed: number): SmallCounty {
  const made = smallCounty({ fips: COUNTIES[number], seed, blocks: 5, pois: 120 });
  return {
    ...made,
    pois: made.pois.filter(({ destId }) => destId % COUNTIES.length === number),
  };
}

/** The county with some POIs gone, some new, and many under a different name. */
function changed({ pois, ...rest }: SmallCounty, seed: number, gone: number): SmallCounty {
  const kept = pois.filter((_, i) => (i * 7919 + seed) % 100 >= gone);
  // No POI moves: the row of a POI that has moved is a different one, and may repeat or be skipped.
  const ids = new Set(pois.map(({ destId }) => destId));
  const added = county(COUNTIES.indexOf(rest.fips), seed).pois.filter(
    ({ destId }, i) => i % 3 === 0 && !ids.has(destId),
  );
  const renamed = kept.map((poi, i): SmallPoi => (i % 2 ? { ...poi, name: 'Renamed' } : poi));
  return { ...rest, pois: [...renamed, ...added].sort((a, b) => a.destId - b.destId) };
}

const idsOf = ({ pois }: SmallCounty) => pois.map(({ destId }) => destId);

test('pages of a search repeat nothing and skip nothing when releases change between them', async () => {
  const before = COUNTIES.map((_, number) => county(number, number + 1));
  await open(before);
  let releases = 0;
  await forAll(
    30,
    fc.integer({ min: 3, max: 40 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 10, max: 1_000 }),
    fc.integer({ min: 0, max: 60 }),
    async (limit, promotedAfter, seed, gone) => {
      await promote(`before-${++releases}`, before);
      let inForce = before;
      const ids = await allOf(limit, async (pages) => {
        if (pages !== promotedAfter) return;
        inForce = before.map((one, i) => changed(one, seed + i, gone));
        await promote(`after-${++releases}`, inForce);
      });
      const still = new Set(inForce.flatMap(idsOf));
      expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
      const found = new Set(ids);
      const inBoth = before.flatMap(idsOf).filter((id) => still.has(id));
      expect(inBoth.filter((id) => !found.has(id))).toEqual([]);
    },
  );
});

test('a county added or removed between two pages does not disturb the others', async () => {
  const [first, second, third] = COUNTIES.map((_, number) => county(number, number + 1));
  await open([first, second]);
  const ids = await allOf(15, async (pages) => {
    if (pages === 1) await promote('one-came-one-went', [second, third]);
  });
  for (const id of [...idsOf(second), ...idsOf(third)]) {
    expect([id, ids.filter((one) => one === id).length]).toEqual([id, 1]);
  }
});
