import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { fetchInputs } from '../../builder/fetch/fetch-inputs.ts';
import { silent } from '../../builder/progress.ts';
import { readInputs } from '../../infra/cli/input-options.ts';
import { statedFeeds } from '../../shards/release/feed-state.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { catalogueFile } from './catalogue-file.ts';
import { manyFeeds, putFeeds } from './many-feeds.ts';
import { layOutMaryland, PATHS } from './maryland.ts';
import { Mirror } from './mirror.ts';
import { scratchFolders } from './scratch-folders.ts';

const folder = scratchFolders();
/** `MANY_FEEDS=829` has as many feeds as the catalogue lists for the United States. */
const FEEDS = { feeds: Number(process.env.MANY_FEEDS ?? 120), twins: 12, defective: 18 };
const BAD = FEEDS.twins + FEEDS.defective;

/** Serves a catalogue of feeds and fetches what it lists for a city. */
async function fetchedFeeds() {
  const mirror = await Mirror.start();
  const box = await layOutMaryland(mirror, folder());
  const feeds = await manyFeeds(FEEDS, [box], mirror.url);
  putFeeds(mirror, feeds);
  mirror.put(PATHS.catalogue, catalogueFile(feeds.map(({ entry }) => entry)));
  const inputs = folder();
  const { url } = mirror;
  await fetchInputs(
    {
      area: { places: [], counties: ['24001', '24003'], states: [], nation: false },
      out: inputs,
      inputs: ['osm', 'census', 'gtfs'],
      gtfs: [],
      overtureRelease: null,
      services: { geofabrik: url, census: url, lodes: url, mobility: url, overture: url },
      http: { idleMs: 60_000, retryMs: 2 },
    },
    silent,
  );
  await mirror.close();
  return { feeds, request: await readInputs({ inputs, feedsWithoutLicence: 'keep' }) };
}

test('of a hundred feeds, twins and defective ones are left out, each with its true reason', async () => {
  const { feeds, request } = await fetchedFeeds();
  const store = new FolderStore(folder());
  const log: string[] = [];
  const progress = { ...silent, note: (line: string) => log.push(line) };
  const build = (over: object) =>
    buildRelease({ ...request, release: 'x', tiles: false, ...over }, store, progress);
  const { manifest } = await build({});
  const bad = feeds.filter(({ reason }) => reason !== null);
  expect([bad.length, manifest.feeds.length]).toEqual([BAD, FEEDS.feeds - BAD]);
  const leftOut = manifest.feeds_left_out.map(({ file, reason, is_lost }) => [
    file,
    reason,
    is_lost,
  ]);
  const expected = bad.map(({ entry, reason, isLost }) => [
    `${entry.id}.zip`,
    expect.stringMatching(reason!),
    isLost,
  ]);
  expect(leftOut.sort()).toEqual(expected.sort());
  const stated = new Map(statedFeeds(manifest).map((feed) => [feed.file, feed]));
  for (const [file, reason] of leftOut) {
    expect(stated.get(String(file))).toMatchObject({ status: 'left-out', reason });
    expect(log).toContain(`WARNING: ${file}: left out: ${reason}`);
  }

  const strict = await build({ strictFeeds: true }).catch((error) => error.message);
  expect(strict).toMatch(new RegExp(`^${BAD} of ${FEEDS.feeds} feeds cannot be used; `));
  for (const [file, reason] of leftOut) expect(strict).toContain(`${file}: ${reason}`);
  const percent = (100 * bad.filter(({ isLost }) => isLost).length) / FEEDS.feeds;
  await expect(build({ maxFeedsLeftOut: Math.floor(percent) })).rejects.toThrow(
    `allow it by --max-feeds-left-out ${Math.ceil(percent)}: `,
  );
  await build({ maxFeedsLeftOut: Math.ceil(percent) });
  await store.close();
});
