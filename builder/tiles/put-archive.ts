import { pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import { type PutBody, putBodyOf } from '../../shards/store/put-body.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { putObject } from '../publish/put-object.ts';

/** Puts an object that anyone may read by range, and next to it the checksums of its pages. */
export async function putArchive(
  store: WritableStore,
  key: string,
  extension: string,
  archive: PutBody | Uint8Array,
): Promise<TileArchive> {
  const body = archive instanceof Uint8Array ? putBodyOf(archive) : archive;
  return {
    archive: await putObject(store, `tiles/${key}`, extension, body),
    sums: await putObject(store, `tiles/${key}`, 'tta', await pageSumsOf(body)),
  };
}
