import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { countyNames, isCountyLayer } from '../../builder/census/county-layer.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();
const NAMES: Readonly<Record<string, string>> = {
  '22071': 'Orleans Parish',
  '24005': '',
  '24510': 'turned \u202e round',
  '35013': 'Doña Ana County',
  '48301': 'x'.repeat(101),
};

test('counties have the names of the layer, but not those that cannot be shown', async () => {
  const layer = path.join(folder, 'counties.zip');
  await writeShapefile(layer, {
    name: 'tl_us_county',
    fields: ['GEOID', 'NAMELSAD'].map((name) => ({ name, type: 'C', width: 120, decimals: 0 })),
    records: () =>
      Object.entries(NAMES).map((values) => ({
        polygon: [
          [
            [0, 0],
            [0, 1],
            [1, 1],
            [0, 0],
          ],
        ],
        values,
      })),
  });
  expect(await isCountyLayer(layer)).toBe(true);
  expect(await countyNames([layer], [...Object.keys(NAMES), '99001'])).toEqual({
    '22071': 'Orleans Parish',
    '35013': 'Doña Ana County',
  });
  expect(await countyNames([], ['22071'])).toEqual({});
  const places = path.join(inject('demoCity'), 'places', 'tl_99_place.zip');
  expect(await isCountyLayer(places)).toBe(false);
});
