import { createHash } from 'node:crypto';
import { objectName } from '../../shards/codec/object-name.ts';
import { type PutBody, putBodyOf } from '../../shards/store/put-body.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';

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

/** Returns the SHA-256 of content in hex. */
export async function sha256Of(content: PutBody): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.chunks()) hash.update(chunk);
  return hash.digest('hex');
}
