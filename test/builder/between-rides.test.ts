import path from 'node:path';
import { expect, test } from 'vitest';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { avenue, avenueFeed } from '../transit/avenue.ts';
import { busLine, RIDE, TIME } from '../transit/bus-town.ts';
import { type FeedTables, writeFeed } from '../transit/gtfs-text.ts';
import { blockGeoid, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();

/**
 * One block lies at the west end, in a county of its own; the change between rides is far from it.
 */
const BLOCKS = [1_000, 27_000];
const STOPS = { A: 1_240, M1: 15_000, M2: 15_080, B: 26_840 };
const COUNTIES = ['99001', '99003'];

/**
 * A feed of rides from A to M1 in four minutes, and of rides that leave M2, where no rider alights,
 * `leavesM2` minutes after A, on to B.
 */
function changing(leavesM2: number, sameVehicle = false): FeedTables {
  const feed = avenueFeed(
    STOPS,
    busLine().flatMap(({ calls: [[, leaves]] }) => [
      { calls: [['A', leaves] as const, ['M1', leaves + 4] as const] },
      { calls: [['M2', leaves + leavesM2] as const, ['B', leaves + RIDE] as const] },
    ]),
  );
  const trips = feed['trips.txt'].map((trip, i) => ({
    ...trip,
    block_id: sameVehicle ? `v${Math.floor(i / 2)}` : '',
  }));
  return { ...feed, 'trips.txt': trips };
}

test('a change between two rides, far from home, recomputes a county’s rows', async () => {
  const towns = await writeSmallCity(
    folder,
    avenue(BLOCKS, [1_000]),
    (block) => COUNTIES[block] + blockGeoid(block).slice(5),
  );
  const store = await ofThisTest(new FolderStore(path.join(folder, 'store')));
  const minutes = async (feed: FeedTables) => {
    const gtfs = [await writeFeed(path.join(folder, 'feed.zip'), feed)];
    const about = { gtfs, serviceDate: '2026-03-11', counties: [COUNTIES[0]] };
    await buildPlain({ ...towns, ...about }, store);
    const release = await releaseIn(store);
    const county = release.manifest.counties[COUNTIES[0]];
    const matrix = await Matrix.open(store, county.objects['reach-from']);
    const { targets, times } = (await matrix.row(0))[release.manifest.modes.indexOf('transit')];
    const there = Number(COUNTIES[1] + blockGeoid(1).slice(5));
    return times[Array.from(targets, (t) => matrix.targets[t]).indexOf(there)];
  };
  expect(await minutes(changing(6.5))).toBe(TIME);
  // Too early for riders walking over from M1, though the ride arrives at B as before.
  expect(await minutes(changing(5))).toBe(TIME + 10);
  expect(await minutes(changing(5, true))).toBe(TIME);
  expect(await minutes(changing(5))).toBe(TIME + 10);
});
