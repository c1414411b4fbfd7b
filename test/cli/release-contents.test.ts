import { expect, inject, test } from 'vitest';
import { contentsOf } from '../../infra/cli/release-contents.ts';
import { readLatest } from '../../shards/release/latest.ts';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

const problem = (text: string, rows: number) => {
  return { file: 'stop_times.txt', problem: text, rows, first_line: 2 };
};

test('stop times without a time, which GTFS permits, do not count as problems of a feed', async () => {
  const store = new FolderStore(inject('demoStore'));
  const latest = (await readLatest(store))!;
  const { manifest } = await readManifest(store, latest.manifest, latest.sha256);
  const lineOf = (problems: FeedFacts['problems']) => {
    const feeds = [{ ...manifest.feeds[0], problems }];
    return [...contentsOf({ ...manifest, feeds }, false)].find((line) => line.startsWith('feed '))!;
  };
  const plain = lineOf([]);
  const untimed = problem('no time; interpolated along the shape', 1_392);
  expect(lineOf([untimed])).toBe(`${plain}, 1,392 stop times interpolated`);
  expect(lineOf([untimed, problem('unknown stop', 1)])).toBe(
    `${plain}, 1,392 stop times interpolated, 1 row with problems`,
  );
  expect(lineOf([problem('unknown stop', 2), problem('unknown trip', 3)])).toBe(
    `${plain}, 5 rows with problems`,
  );
});

test('the contents of a release begin with its size, and name its objects on request', async () => {
  const store = new FolderStore(inject('demoStore'));
  const latest = (await readLatest(store))!;
  const { manifest } = await readManifest(store, latest.manifest, latest.sha256);
  const files = await Promise.all(
    ['index', 'nearest', 'dest-ids', 'tiles'].map((kind) => store.list(`${kind}/`)),
  );
  const [first, ...short] = contentsOf(manifest, false);
  const all = [...contentsOf(manifest, true)];
  expect(first).toMatch(
    /^2 counties 99001 \(Meridian County, XA\) and 99003 \(Halcyon County, XA\), \d+ blocks \(\d+ routable\), [\d,]+ people, \d+ feeds?, [\d.]+ MB in /,
  );
  expect(short).toContainEqual(expect.stringMatching(/^county 99001 \(Meridian County, XA\): /));
  for (const { name, bytes } of files.flat()) {
    expect(all).toContain(`  ${name}  ${bytes} bytes`);
    expect(short.join('\n')).not.toContain(name);
  }
});
