import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { agrees, byRiding, differenceIn, pairsOf } from './engines/difference.ts';
import { readR5Table } from './engines/r5.ts';

test('engines agree within a tenth or two minutes, and not where one finds no route', () => {
  const alike = (ours: number, theirs: number) =>
    agrees({ origin: 0, target: 0, ours, theirs }, 0.1, 2);
  expect(alike(11, 10)).toBe(true);
  expect(alike(4, 2)).toBe(true);
  expect(alike(44, 50)).toBe(false);
  expect(alike(20, Infinity)).toBe(false);
  expect(alike(Infinity, 20)).toBe(false);
});

test('trips are rides where either engine gains a minute over its own walk, otherwise walks', () => {
  const walks = { ours: [[20, 20, 20, Infinity]], theirs: [[20, 20, 20, 30]] };
  const trips = pairsOf([[19.5, 19, 20, 40]], [[20, 20, 18, 30]], 55, () => false);
  const split = byRiding(trips, walks.ours, walks.theirs);
  const targets = (pairs: typeof trips) => pairs.map(({ target }) => target);
  expect([targets(split.rides), targets(split.walks)]).toEqual([[1, 2, 3], [0]]);
});

test('a difference counts pairs that one engine alone reaches as disagreements', () => {
  const pairs = pairsOf([[10, 21, Infinity, 5, 90]], [[10, 20, 12, 8, 80]], 55, (o, t) => o === t);
  const { within1, within10or2, mean, oursOnly, theirsOnly } = differenceIn(pairs);
  expect(pairs).toHaveLength(3);
  expect([within1, within10or2]).toEqual([100 / 3, 100 / 3]);
  expect([mean, oursOnly, theirsOnly]).toEqual([-1, 0, 1]);
});

test('a table of R5 has rows of minutes to blocks alone, and blanks beyond an hour', async () => {
  const folder = await folderOfThisTest();
  const file = path.join(folder, 'minutes.csv.gz');
  const [from, to] = [900010001001000, 900010001001001];
  const rows = ['walk,1,,7', 'bike,0,61,8', 'bike4,1,60,9', 'transit,2,20,10'];
  const lines = [`origin,mode,${from},${to},poi3`, ...rows.map((row) => `${from},${row}`)];
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));
  expect(readR5Table(file)).toEqual({
    origins: [from],
    targets: [from, to],
    minutes: {
      walk: [[1, Infinity]],
      'step-free': [],
      'transit-median': [],
      'transit-early': [],
      bike: [[0, Infinity]],
      'bike-anywhere': [[1, 60]],
      transit: [[2, 20]],
    },
  });
});
