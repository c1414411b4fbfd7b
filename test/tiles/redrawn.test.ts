import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { silent } from '../../builder/progress.ts';
import { buildTiles } from '../../builder/tiles/build-tiles.ts';
import type { Release } from '../../shards/release.ts';
import { ReleaseCache } from '../../shards/release-cache.ts';
import { openRelease } from '../../shards/release-source.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

let folder: string;
let store: FolderStore;
let release: Release;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-redrawn-'));
  await cp(inject('demoStore'), folder, { recursive: true });
  await rm(path.join(folder, 'tiles'), { recursive: true });
  store = new FolderStore(folder);
  release = await openRelease(store, new ReleaseCache(1 << 20));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('the same counties give the same archives, byte for byte', async () => {
  const { modes, taxonomy, counties, tiles } = release.manifest;
  const request = { modes, taxonomy, counties };
  expect(await buildTiles(request, store, silent)).toEqual(tiles);
  const names = Object.values(tiles).flatMap(({ archive, sums }) => [archive.name, sums.name]);
  expect((await readdir(path.join(folder, 'tiles'))).map((file) => `tiles/${file}`).sort()).toEqual(
    [...new Set(names)].sort(),
  );
});

test('a county whose objects do not fit together fails, by name', async () => {
  const { modes, taxonomy, counties } = release.manifest;
  const [one, other] = Object.values(counties);
  const mixed = { ...one, objects: { ...one.objects, blocks: other.objects.blocks } };
  const request = { modes, taxonomy, counties: { '99001': mixed } };
  await expect(buildTiles(request, store, silent)).rejects.toThrow(other.objects.blocks.name);
});
