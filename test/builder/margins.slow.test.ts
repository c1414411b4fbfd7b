import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildInParts } from '../support/build-in-parts.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { pointAt, type SmallCity, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();
const [WEST, EAST] = ['99001', '99003'];
/** Metres between the two blocks, just within an hour's ride. */
const AWAY = 14_700;
const [FAR_EAST, NORTH] = [24_000, 3_000];

/**
 * A road from a block in the west to one in the east, which is linked to a parallel lane. The lane
 * starts there, leaves the area read for the west, and returns to the road in a wide circle.
 */
function roadAndLane(): SmallCity {
  const corners: [number, number][] = [];
  const streets: [number, number][] = [];
  const line = (from: [number, number], to: [number, number], pieces: number) => {
    for (let i = 0; i <= pieces; i++) {
      const between = (a: number, b: number) => a + ((b - a) * i) / pieces;
      corners.push([between(from[0], to[0]), between(from[1], to[1])]);
      if (i > 0) streets.push([corners.length - 2, corners.length - 1]);
    }
    return corners.length - 1;
  };
  const roadEnd = line([AWAY + 300, 0], [-2_000, 0], 70);
  line([AWAY, 60], [FAR_EAST, 60], 20);
  streets.push([corners.length - 1, corners.length]);
  const circleEnd = line([FAR_EAST, NORTH], [-2_000, NORTH], 50);
  streets.push([circleEnd, roadEnd]);
  return {
    corners: corners.map(([east, north]) => pointAt(east, north)),
    streets,
    blocks: [pointAt(0, 5), pointAt(AWAY, 50)],
    shops: [pointAt(0, 5)],
  };
}

/** A road from a block in the west to one more than an hour's ride away, past a few streets. */
function roadPastAnHour(): SmallCity {
  const corners = Array.from({ length: 60 }, (_, i) => pointAt(i * 300, 0));
  const streets = corners.slice(1).map((_, i): [number, number] => [i, i + 1]);
  return { corners, streets, blocks: [pointAt(0, 5), pointAt(16_900, 5)], shops: [pointAt(0, 5)] };
}

test.each([
  ['a lane that leads on beyond what is read of one county is an island in none', roadAndLane],
  ['a county that a scope just touches is in it, whoever else is read of', roadPastAnHour],
])('%s', async (_, city) => {
  const at = (name: string) => path.join(folder, city.name, name);
  mkdirSync(at(''));
  const inputs = await writeSmallCity(at(''), city(), (block) => {
    return `${[WEST, EAST][block]}0001001000`;
  });
  const request = { ...inputs, counties: [], release: 'r', tiles: false };
  const built = async (name: string, build: (store: FolderStore) => Promise<unknown>) => {
    mkdirSync(at(name));
    const store = new FolderStore(at(name));
    await build(store);
    await store.close();
    const contents = Object.entries(await storeContents(at(name)));
    return Object.fromEntries(contents.filter(([file]) => !/^(regions|latest)/.test(file)));
  };
  const whole = await built('whole', (store) => buildRelease(request, store, silent));
  const parts = await built('parts', (store) => buildInParts(request, [[WEST], [EAST]], store));
  expect(parts).toEqual(whole);
});
