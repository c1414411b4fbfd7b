import path from 'node:path';
import { expect, test } from 'vitest';
import type { RuleOfR5 } from '../../builder/routing-parameters.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { writeSmallCity } from '../transit/small-city.ts';

test('a release with rules of R5 states them, and reuses nothing of one without them', async () => {
  const folder = await folderOfThisTest();
  const inputs = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000]));
  const store = new FolderStore(path.join(folder, 'store'));
  const built = async (...rulesOfR5: RuleOfR5[]) => {
    const { searched, manifest } = await buildPlain({ ...inputs, rulesOfR5 }, store);
    return { searched, rules: Object.keys(manifest.assumptions.rules_of_r5 ?? {}) };
  };
  expect(await built()).toEqual({ searched: ['99001'], rules: [] });
  expect(await built('stress', 'bike-links')).toEqual({
    searched: ['99001'],
    rules: ['bike-links', 'stress'],
  });
  expect(await built('bike-links', 'stress', 'stress')).toEqual({
    searched: [],
    rules: ['bike-links', 'stress'],
  });
  expect((await built()).searched).toEqual([]);
  await store.close();
});
