import { strict as assert } from 'node:assert';
import path from 'node:path';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { flipBytes } from '../damage/flip-bytes.ts';
import { figure } from './figure.ts';

const FLIPS = 20_000;
const SEED = 1;
const CITY = { blocks: 600, seed: 7 };
const SPREAD = { blocks: 60, pois: 60, archives: 40 };

/**
 * Flips bytes of every kind of object in turn under a proxy. Counts the responses that equal the
 * undamaged ones, those that are refused, and those that are wrong, of which there must be none.
 */
export async function benchFlips(folder: string): Promise<void> {
  const city = await writeDemoCity({ ...CITY, out: path.join(folder, 'flips-city') }, silent);
  const stored = path.join(folder, 'flips-store');
  const store = new FolderStore(stored);
  const { osm, gtfs, blocks, places } = city;
  const inputs = { osm: [osm], gtfs: [gtfs], blocks, places: [places], counties: [] };
  await buildRelease({ ...inputs, release: 'flips' }, store, silent);
  await store.close();
  const { kinds, wrong, charged, debited } = await flipBytes(stored, FLIPS, SEED, SPREAD);
  const sum = (of: 'flips' | 'equal' | 'refused' | 'wrong') =>
    [...kinds.values()].reduce((all, kind) => all + kind[of], 0);
  figure('flips.wrong_responses', sum('wrong'), 'responses', {
    flips: sum('flips'),
    equal: sum('equal'),
    refused: sum('refused'),
    kinds: Object.fromEntries(kinds),
  });
  assert.deepEqual(wrong, []);
  assert.equal(debited, charged);
}
