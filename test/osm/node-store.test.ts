import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeSorter } from '../../builder/osm/node-store.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { Dice } from '../transit/dice.ts';

const folder = folderOfTests();
/** More nodes than are sorted in memory at a time. */
const NODES = 270_000;

/** The id of the n-th node: of a sorted file, of three sorted files that overlap, of any file. */
const ORDERS: Readonly<Record<string, (n: number, dice: Dice) => number>> = {
  'as in a file': (n) => 3 * n + 1,
  'as in three files': (n) => 2 * (n % 90_000) + 1 + Math.floor(n / 90_000),
  'in any order': (_, dice) => 1 + dice.below(150_000) * 1e6,
};

test.each(Object.entries(ORDERS))('the last version of each node is found: ids %s', (name, idOf) =>
  forAll(1, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const sorter = new NodeSorter(path.join(folder, `${name}-${seed}`));
    const expected = new Map<number, readonly [lon: number, lat: number, mark: number]>();
    for (let n = 0; n < NODES; n++) {
      const id = idOf(n, dice);
      const lon = Math.round(dice.between(-180, 180) * 1e9) / 1e9;
      const lat = Math.round(dice.between(-90, 90) * 1e7) / 1e7;
      const mark = dice.below(3);
      sorter.add(id, lon, lat, mark);
      expected.set(id, [lon, lat, mark || (expected.get(id)?.[2] ?? 0)]);
    }
    const store = sorter.finish();
    const wrong = Array.from(expected).filter(([id, [lon, lat, mark]]) => {
      return !(store.find(id) && store.lon === lon && store.lat === lat && store.mark === mark);
    });
    expect(wrong).toEqual([]);
    for (const id of [0.5, 2e14, 500_001.5]) expect(store.find(id)).toBe(false);
    store.close();
  }),
);
