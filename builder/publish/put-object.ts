import { objectName } from '../../shards/codec/object-name.ts';
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
