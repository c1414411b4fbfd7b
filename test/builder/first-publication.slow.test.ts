import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import { promoteRelease } from '../../builder/publish/promote-release.ts';
import { promote, putManifest } from '../../builder/publish/publish.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const SPRING = new Date('2026-03-01T06:00:00.000Z');
const SUMMER = new Date('2026-06-01T06:00:00.000Z');
const AUTUMN = new Date('2026-09-01T06:00:00.000Z');

const COUNTY = smallCounty({ fips: '24001', seed: 1, blocks: 6, pois: 4 });

const folder = folderOfEachTest();
let store: FolderStore;
let manifest: Manifest;
beforeEach(async () => {
  manifest = await publishSmallRelease(folder, 'first', [COUNTY]);
  store = new FolderStore(folder);
});
afterEach(() => store.close());

async function publish(release: string, now: Date) {
  const ref = await putManifest(store, { ...manifest, release });
  return promote(store, release, ref, now);
}

/** The response of two proxies started one after another, which must be the same. */
async function lastUpdated(): Promise<{ last_updated: string; release: string }> {
  const responses: string[] = [];
  for (let i = 0; i < 2; i++) {
    const proxy = await openProxy(folder);
    responses.push((await proxy.get('/v1/last-updated')).body);
    await proxy.close();
  }
  expect(responses[0]).toBe(responses[1]);
  return JSON.parse(responses[0]);
}

test('last_updated is when the current release was first published, also after a rollback', async () => {
  await publish('spring', SPRING);
  expect(await lastUpdated()).toEqual({ last_updated: SPRING.toISOString(), release: 'spring' });
  await publish('summer', SUMMER);
  expect(await lastUpdated()).toEqual({ last_updated: SUMMER.toISOString(), release: 'summer' });
  await promoteRelease(store, 'spring', AUTUMN);
  expect(await lastUpdated()).toEqual({ last_updated: SPRING.toISOString(), release: 'spring' });
  await promoteRelease(store, 'summer', AUTUMN);
  expect(await lastUpdated()).toEqual({ last_updated: SUMMER.toISOString(), release: 'summer' });
});

test('a release that was compared with another than the current one is not promoted', async () => {
  const { manifest: spring } = await publish('spring', SPRING);
  const { manifest: summer } = await publish('summer', SUMMER);
  await promoteRelease(store, spring, AUTUMN, summer);
  // The comparison was with summer; then a rollback made spring current.
  const { manifest: autumn } = await publish('autumn', AUTUMN);
  await promoteRelease(store, spring, AUTUMN);
  for (const over of [summer, null]) {
    await expect(promoteRelease(store, autumn, AUTUMN, over)).rejects.toThrow(
      `${spring} has become current meanwhile`,
    );
  }
  expect((await lastUpdated()).release).toBe('spring');
  await promoteRelease(store, autumn, AUTUMN, spring);
});

test('a rebuilt release keeps its first publication time, even if it was removed in between', async () => {
  const { manifest: name } = await publish('spring', SPRING);
  await publish('summer', SUMMER);
  const future = new Date('2099-01-01T00:00:00Z');
  const { remove } = await collectGarbage(store, { keep: 0, graceHours: 0, dryRun: false }, future);
  expect(remove.map((file) => file.name)).toContain(name);
  const again = await publish('spring', AUTUMN);
  expect(again).toMatchObject({ manifest: name, published_at: SPRING.toISOString() });
});

test('a release that was killed before its publication was recorded keeps its time', async () => {
  const { manifest: name } = await publish('spring', SPRING);
  await rm(path.join(folder, name.replace('manifests/', 'published/')));
  await publish('summer', SUMMER);
  await promoteRelease(store, 'spring', AUTUMN);
  expect((await lastUpdated()).last_updated).toBe(SPRING.toISOString());
});

test('the manifest does not contain the time: publishing later gives the same bytes', async () => {
  const { sha256 } = await publish('spring', SPRING);
  await publish('summer', SUMMER);
  expect((await publish('spring', AUTUMN)).sha256).toBe(sha256);
});

test('two concurrent publications of one release report the same time', async () => {
  const times = [SPRING, SUMMER, AUTUMN];
  const outcomes = await Promise.allSettled(times.map((now) => publish('spring', now)));
  const said = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value.published_at] : [],
  );
  expect(new Set(said).size).toBe(1);
  expect((await lastUpdated()).last_updated).toBe(said[0]);
});

test('a damaged publication time is refused by name, and the current release stays', async () => {
  const { manifest: name } = await publish('spring', SPRING);
  await publish('summer', SUMMER);
  const before = await readFile(path.join(folder, 'latest.json'), 'utf8');
  const record = name.replace('manifests/', 'published/');
  const text = await readFile(path.join(folder, record), 'utf8');
  await writeFile(path.join(folder, record), text.replace('2026-03-01', '2026-03-02'));
  await expect(promoteRelease(store, 'spring', AUTUMN)).rejects.toThrow(`${record}: `);
  expect(await readFile(path.join(folder, 'latest.json'), 'utf8')).toBe(before);
});
