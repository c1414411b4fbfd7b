import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { PlanRequest } from '../../builder/build-request.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { compiled } from '../support/compiled.ts';
import { asAgency } from '../support/demo-feeds.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();
const AGENCIES = ['North', 'South', 'West'];
let request: PlanRequest;

beforeAll(async () => {
  const city = { blocks: 500, seed: 5, out: path.join(folder, 'city') };
  const { osm, blocks, places, gtfs: feed } = await writeDemoCity(city, silent);
  const gtfs = await Promise.all(AGENCIES.map((name) => asAgency(feed, name)));
  request = { osm: [osm], blocks, places: [places], gtfs, counties: [] };
});

/** Makes a plan in a new store with `workers` threads; returns it, its stages, and the contents. */
async function planned(name: string, workers: number) {
  const { planRelease } = await compiled('tasks/plan-release');
  const store = new FolderStore(path.join(folder, name));
  const stages: string[] = [];
  const progress: Progress = {
    note: () => {},
    start(stage, total, unit) {
      let done = 0;
      return {
        at: (now) => {
          expect(now).toBeGreaterThanOrEqual(done);
          done = now;
        },
        finish: () => void stages.push(`${stage}: ${done} of ${total} ${unit}`),
      };
    },
  };
  try {
    const { ref } = await planRelease({ ...request, workers }, store, progress);
    return { ref, stages, contents: await storeContents(path.join(folder, name)) };
  } finally {
    await store.close();
  }
}

test('a plan and its preparations are the same with one thread and with three, and all work is reported', async () => {
  const one = await planned('one', 1);
  const three = await planned('three', 3);
  expect(three.contents).toEqual(one.contents);
  expect(three.ref).toEqual(one.ref);
  for (const { stages } of [one, three]) expect(stages).toContain('transit: 3 of 3 feeds');
});
