import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildInParts } from '../support/build-in-parts.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { Dice } from '../transit/dice.ts';
import {
  blockGeoid,
  type Point,
  pointAt,
  type SmallCity,
  writeSmallCity,
} from '../transit/small-city.ts';

const COUNTIES = ['99001', '99003', '99005'];
/** Half the side of a block's square in degrees; the first id of the shops, which are OSM nodes. */
const HALF_SIDE = 1e-4;
const FIRST_SHOP = 1_000_000;
const NODE = 1;

const folder = folderOfTests();

/**
 * A grid of streets; blocks anywhere, alternating between counties; shops inside blocks, on their
 * edges, and between them.
 */
function randomTown(dice: Dice): SmallCity {
  const side = 8;
  const corners: Point[] = [];
  const streets: [number, number][] = [];
  for (let i = 0; i < side ** 2; i++) {
    const [column, row] = [i % side, Math.floor(i / side)];
    corners.push(pointAt(column * 200, row * 200));
    if (column > 0) streets.push([i - 1, i]);
    if (row > 0) streets.push([i - side, i]);
  }
  const anywhere = () => pointAt(dice.between(0, 1_400), dice.between(0, 1_400));
  const blocks = Array.from({ length: 12 }, anywhere);
  const within = ({ lon, lat }: Point) => ({
    lon: Math.round((lon + dice.between(-HALF_SIDE, HALF_SIDE)) * 1e7) / 1e7,
    lat: Math.round((lat + dice.between(-HALF_SIDE, HALF_SIDE)) * 1e7) / 1e7,
  });
  const shops = [...blocks.map(within), ...Array.from({ length: 30 }, anywhere)];
  return { corners, streets, blocks, shops };
}

const countyOf = (block: number) => COUNTIES[block % COUNTIES.length];
const geoidOf = (block: number) => countyOf(block) + blockGeoid(block).slice(5);

/** The expected home of each shop: the block that contains it, otherwise the nearest one. */
function expectedHomes({ blocks, shops }: SmallCity): string[] {
  return shops.map(({ lon, lat }) => {
    const holding = blocks.flatMap((block, i) =>
      Math.max(Math.abs(block.lon - lon), Math.abs(block.lat - lat)) <= HALF_SIDE ? [i] : [],
    );
    if (holding.length > 0) return holding.map(countyOf).sort()[0];
    const shrink = Math.cos((lat * Math.PI) / 180);
    const away = blocks.map((b) => Math.hypot((b.lon - lon) * shrink, b.lat - lat));
    return countyOf(away.indexOf(Math.min(...away)));
  });
}

test.each([1, 2, 3])(
  'a shop belongs to the block whose polygon contains it, however counties are divided into regions, town %i',
  async (seed) => {
    const town = randomTown(new Dice(seed * 31));
    const inputs = path.join(folder, `town-${seed}`);
    await mkdir(inputs);
    const { osm, blocks } = await writeSmallCity(inputs, town, geoidOf);
    const store = await ofThisTest(new FolderStore(path.join(inputs, 'store')));
    const [first, ...others] = COUNTIES;
    for (const parts of [[COUNTIES], [[first], others], COUNTIES.map((county) => [county])]) {
      const request = { osm, blocks, counties: COUNTIES };
      await buildInParts({ ...request, release: 'x', tiles: false }, parts, store);
      const dests = await (await releaseIn(store)).destIds();
      const homes = town.shops.map((_, i) => dests.countyOf((FIRST_SHOP + i) * 4 + NODE));
      expect(homes).toEqual(expectedHomes(town));
    }
  },
);
