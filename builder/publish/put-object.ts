import { createHash } from 'node:crypto';
import { type PutBody, putBodyOf } from '../../shards/store/put-body.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';

/** Number of hex digits of an object's SHA-256 in its name; the manifest has them all. */
const NAME_HASH_DIGITS = 16;

/** Writes an object under a name that contains its hash; an existing one is kept. */
export async function putObject(
  store: WritableStore,
  stem: string,
  extension: string,
  object: PutBody | Uint8Array,
): Promise<ObjectRef> {
  const content = object instanceof Uint8Array ? putBodyOf(object) : object;
  const sha256 = await sha256Of(content);
  const name = `${stem}-${sha256.slice(0, NAME_HASH_DIGITS)}.${extension}`;
  await store.putContent(name, content);
  return { name, bytes: content.bytes, sha256 };
}

/** Returns the SHA-256 of content in hex. */
export async function sha256Of(content: PutBody): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.chunks()) hash.update(chunk);
  return hash.digest('hex');
}
