import { objectName } from '../../shards/codec/object-name.ts';
import { pageSumsOf, sumsName } from '../../shards/pmtiles/checked-pages.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import { type PutBody, putBodyOf, sha256Of } from '../../shards/store/put-body.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';

/** Writes an object under a name that contains its hash; an existing one is kept. */
export async function putObject(
  store: WritableStore,
  stem: string,
  extension: string,
  object: PutBody | Uint8Array,
): Promise<ObjectRef> {
  const content = object instanceof Uint8Array ? putBodyOf(object) : object;
  const sha256 = await sha256Of(content);
  const name = objectName(stem, sha256, extension);
  await store.putContent(name, content);
  return { name, bytes: content.bytes, sha256 };
}

export function putJson(store: WritableStore, stem: string, value: unknown): Promise<ObjectRef> {
  return putObject(store, stem, 'json', Buffer.from(JSON.stringify(value)));
}

/**
 * Reads an object that `putJson` wrote. Its verified hash guarantees that this program wrote it, so
 * no schema is needed.
 */
export async function readJson<T>(store: Store, ref: ObjectRef): Promise<T> {
  return JSON.parse(Buffer.from(await readVerified(store, ref)).toString());
}

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
