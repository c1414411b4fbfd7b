import { hashOfJson, parseJson, parseWith } from '../codec/json-object.ts';
import { damaged, StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { LATEST } from '../store/store.ts';
import { type Latest, latestSchema } from './manifest.ts';

/**
 * Encodes `latest.json`: the current release, and `check`, the SHA-256 of the rest as JSON, since
 * no other object records its hash.
 */
export function encodeLatest(latest: Latest): Uint8Array {
  const sealed = { ...latest, check: hashOfJson(latest) };
  return Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`);
}

/** Reads what `encodeLatest` wrote; throws a `ShardError` naming the object for anything else. */
export function decodeLatest(bytes: Uint8Array, name: string = LATEST): Latest {
  const { check, ...latest } = Object(parseJson(name, bytes)) as Record<string, unknown>;
  // A hand-written file has no check; a flipped byte would not remove it.
  if (check !== undefined && check !== hashOfJson(latest)) throw damaged(name, 'check');
  return parseWith(name, latest, latestSchema);
}

/**
 * Reads which release is current. Rejects with a `StoreError` explaining how to build one if the
 * store has none.
 */
export async function readLatest(store: Store): Promise<Latest> {
  let bytes: Uint8Array;
  try {
    ({ bytes } = await store.readWhole(LATEST));
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'missing') throw error;
    throw new StoreError(
      'missing',
      store.location,
      'has no release; make one with `tta build`, or a fictional city with `tta demo` and `tta build`',
      { cause: error },
    );
  }
  return decodeLatest(bytes);
}
