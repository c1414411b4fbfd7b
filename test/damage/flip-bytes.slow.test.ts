import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { ShardError } from '../../shards/errors.ts';
import { objectsNamed } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import { releaseIn } from '../support/release-in.ts';
import { flipBytes } from './flip-bytes.ts';
import { FlippingStore } from './flipping-store.ts';

/** The number of flips; `npm run bench -- flips` has 20,000. */
const FLIPS = 600;
/** Time for all flips, which take many minutes on a busy machine. */
const FLIPS_TIMEOUT_MS = 1_800_000;
const SPREAD = { blocks: 12, pois: 12, archives: 12 };
const KINDS = [
  'index',
  'nearest',
  'nth-nearest',
  'pois',
  'catchment',
  'reach-from',
  'reach-to',
  'transit',
  'blocks',
  'places',
  'place-map',
  'dest-ids',
  'address-directory',
  'addresses',
  'weights',
  'access',
  'tiles',
  'block bands',
  'tile sums',
  'manifests',
  'latest.json',
];

test(
  'a flipped byte of any kind of object never changes a response, nor charges for a failed one',
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const report = await flipBytes(inject('demoStore'), FLIPS, seed, SPREAD);
    expect(report.wrong, `seed ${seed}`).toEqual([]);
    expect([...report.kinds.keys()].sort()).toEqual([...KINDS].sort());
    for (const [kind, { flips, refused }] of report.kinds) {
      expect(flips, kind).toBeGreaterThan(FLIPS / KINDS.length - 1);
      // Requests hit the flipped bytes, and did not miss them.
      expect(refused, kind).toBeGreaterThan(flips / 10);
    }
    expect(report.charged).toBe(report.debited);
    // Kinds that no route reads: maps for clients, which detect the damage when they read one
    // whole.
    expect([...report.unread].sort()).toEqual(['county-map', 'poi-map']);
  },
  FLIPS_TIMEOUT_MS,
);

test('an object read whole is the recorded one, or an error that says what to do', async () => {
  const folder = inject('demoStore');
  const store = new FlippingStore(folder);
  const { manifest } = await releaseIn(store);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = new Random(seed);
  for (const ref of objectsNamed(manifest)) {
    store.flip = null;
    const whole = await readFile(path.join(folder, ref.name));
    expect(whole.equals(await readVerified(store, ref))).toBe(true);
    store.flip = { name: ref.name, at: random.below(ref.bytes), mask: 1 + random.below(255) };
    const reading = readVerified(store, ref);
    await expect(reading, `seed ${seed}`).rejects.toThrow(ShardError);
    await expect(reading).rejects.toThrow(`${ref.name}: hash: `);
    await expect(reading).rejects.toThrow('build the release again');
  }
});
