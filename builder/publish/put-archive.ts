import { pageSumsOf, sumsName } from '../../shards/pmtiles/checked-pages.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import { type PutBody, putBodyOf, sha256Of } from '../../shards/store/put-body.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { putObject } from './put-object.ts';

/** Writes an object that anyone may read by range, and next to it the checksums of its pages. */
export async function putArchive(
  store: WritableStore,
  stem: string,
  extension: string,
  archive: PutBody | Uint8Array,
): Promise<TileArchive> {
  const body = archive instanceof Uint8Array ? putBodyOf(archive) : archive;
  const ref = await putObject(store, stem, extension, body);
  const sums = putBodyOf(await pageSumsOf(body));
  const name = sumsName(ref.name);
  await store.putContent(name, sums);
  return { archive: ref, sums: { name, bytes: sums.bytes, sha256: await sha256Of(sums) } };
}
