import { fitted, parseJson, sealOf } from '../codec/json-object.ts';
import { damaged, StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { LATEST } from '../store/store.ts';
import { type Latest, latestSchema } from './manifest.ts';

/**
 * `latest.json`: what is in force, and `check`, the SHA-256 of the rest as JSON, for there is no
 * other place that says what it should be.
 */
export function encodeLatest(latest: Latest): Uint8Array {
  const sealed = { ...latest, check: sealOf(latest) };
  return Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`);
}

/** Reads what `encodeLatest` wrote; anything else is a `ShardError` that names the object. */
export function decodeLatest(bytes: Uint8Array, name: string = LATEST): Latest {
  const { check, ...latest } = Object(parseJson(name, bytes)) as Record<string, unknown>;
  // One written by hand has none; a flipped byte does not take it away.
  if (check !== undefined && check !== sealOf(latest)) throw damaged(name, 'check');
  return fitted(name, latest, latestSchema);
}

/** Reads the release in force. A store without one gets a `StoreError` that says how to make one. */
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
