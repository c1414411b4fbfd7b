import path from 'node:path';
import { expect, test } from 'vitest';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { PlaceTable } from '../../shards/places/place-table.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { Dice } from '../transit/dice.ts';
import { randomCity } from '../transit/random-city.ts';
import { blockGeoid, type Point, pointAt, text, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();

/** A star-shaped outline around a point, closed and clockwise, as shapefile shells are. */
function star(dice: Dice, east: number, north: number, least: number, most: number) {
  const corners = Array.from({ length: 24 }, (_, i): [number, number] => {
    const [angle, radius] = [(-i / 24) * 2 * Math.PI, dice.between(least, most)];
    const at = pointAt(east + radius * Math.cos(angle), north + radius * Math.sin(angle));
    return [at.lon, at.lat];
  });
  return [...corners, corners[0]];
}

/** Whether the outline winds around a point: the viewing angles add up to a full turn. */
function windsAround(outline: readonly (readonly [number, number])[], { lon, lat }: Point) {
  let angle = 0;
  for (let i = 1; i < outline.length; i++) {
    const [ux, uy] = [outline[i - 1][0] - lon, outline[i - 1][1] - lat];
    const [vx, vy] = [outline[i][0] - lon, outline[i][1] - lat];
    angle += Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy);
  }
  return Math.abs(angle) > Math.PI;
}

test('a place has the blocks whose points it encloses, in whichever counties', async () => {
  const dice = new Dice(11);
  const city = randomCity(5);
  const county = (block: number) => (block % 2 === 0 ? '99001' : '99003');
  const geoidOf = (block: number) => county(block) + blockGeoid(block).slice(5);
  const outlines = [
    ...Array.from({ length: 12 }, () =>
      star(dice, dice.between(0, 4_600), dice.between(0, 4_600), 300, 1_600),
    ),
    // One place encloses no block, and one is far away.
    star(dice, -900, -900, 50, 100),
    star(dice, 500_000, 0, 300, 900),
  ];
  const { osm, blocks } = await writeSmallCity(folder, city, geoidOf);
  const places = path.join(folder, 'places.zip');
  await writeShapefile(places, {
    name: 'tl_99_place',
    fields: ['GEOID', 'NAME', 'INTPTLAT', 'INTPTLON'].map(text),
    records: () =>
      outlines.map((outline, i) => ({
        polygon: [outline],
        values: [
          `99${10_000 + i}`,
          `Place ${i}`,
          outline[0][1].toFixed(7),
          outline[0][0].toFixed(7),
        ],
      })),
  });
  const store = await ofThisTest(new FolderStore(path.join(folder, 'store')));
  await buildPlain({ osm, blocks, places: [places] }, store);
  const { manifest } = await releaseIn(store);

  const expected = outlines.flatMap((outline, i) => {
    const inside = city.blocks.flatMap((point, block) =>
      windsAround(outline, point) ? [block] : [],
    );
    if (inside.length === 0) return [];
    return [
      {
        geoid: `99${10_000 + i}`,
        population: inside.length * 100,
        counties: [...new Set(inside.map(county))].sort(),
        blocks: inside.map((block) => Number(geoidOf(block))).sort((a, b) => a - b),
      },
    ];
  });
  expect(expected.length).toBeGreaterThan(5);
  expect(expected.some(({ counties }) => counties.length === 2)).toBe(true);
  expect(Object.keys(manifest.states)).toEqual(['99']);
  const table = await PlaceTable.open(store, manifest.states['99'].objects.places);
  const found = await Promise.all(
    table.places.map(async ({ geoid, population, counties }, i) => {
      return { geoid, population, counties, blocks: await table.blocks(i) };
    }),
  );
  expect(found).toEqual(expected);
});
