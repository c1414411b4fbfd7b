import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { PLANS } from '../../portal/plans.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { askForExamples, readDocument } from '../support/example-requests.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { expectSoundOpenApi } from '../support/openapi.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

test('the examples of the OpenAPI document follow the release, and return rows in each', async () => {
  const folder = await folderOfThisTest();
  const at = (name: string) => path.join(folder, name);
  const store = new FolderStore(at('store'));
  // The city of npm start.
  const city = await writeDemoCity({ blocks: 2_000, seed: 1, out: at('city') }, silent);
  const inputs = { osm: [city.osm], blocks: city.blocks, gtfs: [city.gtfs], places: [city.places] };
  await buildRelease({ ...inputs, counties: [], release: 'demo' }, store, silent);
  const types = { tables: ['types'], counties: [], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), types, store, silent);
  const proxy = await ofThisTest(openProxy(at('store')));
  const first = await askForExamples(proxy);
  expect(first.without).toEqual([]);
  expect(first.tokens).toBeLessThan(PLANS.free_grant.tokens / 50);
  const etag = async () => (await proxy.get('/openapi.json')).headers.etag;
  const [before, document] = [await etag(), await readDocument(proxy)];

  // Without census places, transit and tiles.
  const town = await writeDemoCity({ blocks: 500, seed: 5, out: at('town') }, silent);
  await buildPlain({ osm: [town.osm], blocks: town.blocks, release: 'town' }, store);
  await publishExports(await releaseIn(store), types, store, silent);
  await store.close();
  expect(await proxy.releases.refresh()).toBe(true);
  const second = await askForExamples(proxy);
  expect(second.without).toEqual([
    '/v1/places/{geoid}/boundary',
    '/v1/places/{geoid}/blocks',
    '/v1/places/{geoid}/pois',
    '/v1/places/{geoid}/coverage',
    '/v1/isochrone/tiles/{mode}/{dest_type_id}.json',
    '/v1/isochrone/tiles/{mode}/{dest_type_id}/{z}/{x}/{y}.mvt',
  ]);
  expect(await etag()).not.toBe(before);
  expect(await readDocument(proxy)).not.toEqual(document);
  await expectSoundOpenApi((await proxy.get('/openapi.json')).body, 30);
}, 240_000);
