import { createHash } from 'node:crypto';
import { ShardError } from '../errors.ts';
import type { ObjectRef, Store } from '../store/store.ts';

const READ_BYTES = 4 * 2 ** 20;

/** Reads all of an object, a range at a time; a `ShardError` if its SHA-256 is not the recorded one. */
export async function checkRecordedHash(store: Store, ref: ObjectRef): Promise<void> {
  const hash = createHash('sha256');
  for (let offset = 0; offset < ref.bytes; offset += READ_BYTES) {
    hash.update(await store.readRange(ref, offset, Math.min(READ_BYTES, ref.bytes - offset)));
  }
  // A range read checks the length too; an empty object has none.
  if (ref.bytes === 0) await store.readRange(ref, 0, 0);
  const sha256 = hash.digest('hex');
  if (sha256 !== ref.sha256) {
    throw new ShardError(ref.name, 'hash', `is ${sha256}; the manifest says ${ref.sha256}`);
  }
}
