import path from 'node:path';
import { expect, test } from 'vitest';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { EXAMPLE, MODES, PATH, responseText } from '../../portal/pages/front/example.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

test('the example of the front page matches the response of npm start’s demo city', async () => {
  const folder = await folderOfThisTest();
  const city = await writeDemoCity(
    { blocks: 2_000, seed: 1, out: path.join(folder, 'city') },
    silent,
  );
  const store = new FolderStore(path.join(folder, 'store'));
  const inputs = { osm: [city.osm], blocks: city.blocks, gtfs: [city.gtfs], places: [city.places] };
  await buildPlain({ ...inputs, release: 'demo' }, store);
  await store.close();
  const proxy = await openProxy(path.join(folder, 'store'));
  const { key } = await proxy.customer();
  const shown = await proxy.get(PATH, key);
  const answer = (await proxy.get(`/v1/blocks/${EXAMPLE.geoid}/summary`, key)).json();
  await proxy.close();

  expect(JSON.stringify(JSON.parse(responseText()))).toBe(shown.body);
  const { geoid, population, landAreaM2: land_area_m2 } = EXAMPLE;
  expect(answer.block).toEqual({ geoid, population, land_area_m2 });
  for (const { type, name, minutes } of EXAMPLE.rows) {
    const answered = MODES.map((mode) => {
      const row = answer.results.find(
        (one: { dest_type_id: number; mode: string }) =>
          one.dest_type_id === type && one.mode === mode,
      );
      return row?.travel_time ?? null;
    });
    expect([name, answered]).toEqual([name, minutes]);
  }
});
