import path from 'node:path';
import { expect, test } from 'vitest';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { Dice } from '../transit/dice.ts';
import { blockGeoid, pointAt, shopName, text, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();

const CENTRE = 1_500;
const TEETH = 180;
/** Teeth of eight metres: smaller than the detail a drawn boundary keeps. */
const [VALLEY, PEAK] = [992, 1_000];

function around(turn: number, radius: number) {
  const angle = -turn * 2 * Math.PI;
  return pointAt(CENTRE + radius * Math.cos(angle), CENTRE + radius * Math.sin(angle));
}

test('a shop is in a place exactly when a block centred on the same spot is', async () => {
  const dice = new Dice(3);
  // Alternately in a tooth and in a gap, well away from the border itself.
  const spots = Array.from({ length: 120 }, (_, i) => ({
    isIn: i % 2 === 0,
    at: around((i * 1.5) / TEETH, dice.between(995, 997)),
  }));
  const points = spots.map(({ at }) => at);
  // A street by some of the spots, long enough not to be an island.
  const corners = Array.from({ length: 41 }, (_, i) => pointAt(75 * i, 500));
  const city = {
    corners,
    streets: corners.slice(1).map((_, i) => [i, i + 1] as const),
    blocks: points,
    shops: points,
  };
  const { osm, blocks } = await writeSmallCity(folder, city);
  const outline = Array.from({ length: 2 * TEETH }, (_, i): [number, number] => {
    const { lon, lat } = around(i / 2 / TEETH, i % 2 === 0 ? PEAK : VALLEY);
    return [lon, lat];
  });
  const places = path.join(folder, 'places.zip');
  const middle = pointAt(CENTRE, CENTRE);
  await writeShapefile(places, {
    name: 'tl_99_place',
    fields: ['GEOID', 'NAME', 'INTPTLAT', 'INTPTLON'].map(text),
    records: () => [
      {
        polygon: [[...outline, outline[0]]],
        values: ['9910000', 'Gear', middle.lat.toFixed(7), middle.lon.toFixed(7)],
      },
    ],
  });
  const storeFolder = path.join(folder, 'store');
  const store = new FolderStore(storeFolder);
  await buildPlain({ osm, blocks, places: [places] }, store);
  await store.close();

  const proxy = await ofThisTest(openProxy(storeFolder));
  const { key } = await proxy.customer({ tokens: 1e6 });
  const rows = async (route: string) =>
    (await proxy.get(`/v1/places/9910000/${route}&limit=1000`, key)).json().results;
  const shops: { name: string }[] = await rows('pois?type=104');
  const found: { geoid: string }[] = await rows('blocks?type=104&mode=walk&include_missing=true');
  const inside = spots.flatMap(({ isIn }, i) => (isIn ? [i] : []));
  expect(shops.map(({ name }) => name).sort()).toEqual(inside.map(shopName).sort());
  expect(found.map(({ geoid }) => geoid)).toEqual(inside.map((i) => blockGeoid(i)));
});
