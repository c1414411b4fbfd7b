import path from 'node:path';
import { expect, test } from 'vitest';
import type { BuildRequest } from '../../builder/build-request.ts';
import { silent } from '../../builder/progress.ts';
import { refreshRelease } from '../../builder/refresh.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();

test('a refresh of the same files with other options has a label of its own', async () => {
  const files = await writeSmallCity(folder, avenue([1_000, 9_160], [1_000]));
  const store = new FolderStore(path.join(folder, 'store'));
  const refresh = async (day: string, options: Partial<BuildRequest>) => {
    const request = { ...files, counties: [], tiles: false, ...options };
    const anything = { feedsLost: 100, blocksCutOff: 100, timesMoved: 100, poisChanged: 100 };
    return refreshRelease(request, anything, store, silent, new Date(`${day}T05:00:00Z`));
  };
  const both = await refresh('2026-11-30', { directions: ['from', 'to'], access: [] });
  const from = await refresh('2026-12-07', { directions: ['from'], access: [] });
  const people = await refresh('2026-12-14', { access: ['people'] });
  expect([both, from, people].map(({ release }) => release)).toEqual([
    '2026-11-30',
    '2026-12-07',
    '2026-12-14',
  ]);
  const again = await refresh('2026-12-21', { access: ['people'] });
  expect(again).toMatchObject({ outcome: 'nothing-new', release: '2026-12-14' });
  await store.close();
});
