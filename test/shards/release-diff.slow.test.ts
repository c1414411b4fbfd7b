import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { type CountyDiff, diffReleases } from '../../shards/release/release-diff.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RowChanges, writeCountyRow } from '../support/county-row.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();
const store = new FolderStore(path.join(folder, 'store'));

async function build(release: string, changes: RowChanges): Promise<Manifest> {
  const inputs = path.join(folder, release);
  await mkdir(inputs);
  const request = { ...(await writeCountyRow(inputs, changes)), counties: [], tiles: false };
  return (await buildRelease({ ...request, release }, store, silent)).manifest;
}

async function diff(before: Manifest, after: Manifest): Promise<CountyDiff[]> {
  const found: CountyDiff[] = [];
  for await (const county of diffReleases(store, before, after)) found.push(county);
  return found;
}

/** All times of a county in tenths of a minute, keyed by block, mode and POI. */
async function timesOf({ counties, modes }: Manifest, county: string) {
  const matrix = await Matrix.open(store, counties[county].objects.pois);
  const times = new Map<string, number>();
  for (let i = 0; i < matrix.origins.length; i++) {
    (await matrix.row(i)).forEach((row, m) => {
      row.targets.forEach((target, t) => {
        times.set(`${matrix.origins[i]} ${modes[m]} ${matrix.targets[target]}`, row.times[t]);
      });
    });
  }
  return times;
}

test('a diff names counties changed, added or removed, and how their rows moved', async () => {
  const plain = await build('plain', {});
  expect(await diff(plain, plain)).toEqual([]);
  const moved = await build('moved', { moved: { 99001: 120 }, people: { 99007: 3 } });
  const found = await diff(plain, moved);
  expect(found.map(({ county }) => county)).toEqual(['99001', '99003', '99005', '99007']);
  for (const one of found) {
    if (one.status !== 'changed') throw new Error(`${one.county} is ${one.status}`);
    const [was, is] = [await timesOf(plain, one.county), await timesOf(moved, one.county)];
    const both = [...was.keys()].filter((key) => is.has(key));
    const changes = both.map((key) => is.get(key)! - was.get(key)!).filter((by) => by !== 0);
    if (one.rows === null) {
      expect(is).toEqual(was);
      continue;
    }
    const { worst, ...counts } = one.rows;
    expect(counts).toEqual({
      rows: both.length,
      moved: changes.length,
      added: is.size - both.length,
      gone: was.size - both.length,
      sum: changes.reduce((a, b) => a + b, 0),
    });
    const key = worst && `${worst.block} ${worst.mode} ${worst.dest}`;
    expect(worst?.by ?? 0).toBe(key ? is.get(key)! - was.get(key)! : 0);
    expect(Math.abs(worst?.by ?? 0)).toBe(Math.max(0, ...changes.map(Math.abs)));
  }
  const [first, , near, last] = found;
  expect(first.status === 'changed' && first.rows!.moved).toBeGreaterThan(5);
  expect(last).toEqual({
    county: '99007',
    status: 'changed',
    kinds: ['index', 'blocks', 'access'],
    rows: null,
  });
  // The people of another county are within reach of it.
  expect(near).toEqual({ county: '99005', status: 'changed', kinds: ['access'], rows: null });

  const { '99005': gone, ...counties } = moved.counties;
  expect(gone).toBeDefined();
  expect(await diff(moved, { ...moved, counties })).toEqual([{ county: '99005', status: 'gone' }]);
  expect(await diff({ ...moved, counties }, moved)).toEqual([{ county: '99005', status: 'added' }]);
  await store.close();
});
