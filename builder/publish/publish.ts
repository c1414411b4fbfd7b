import { nullIfMissing, ShardError } from '../../shards/errors.ts';
import { decodeLatest, encodeLatest } from '../../shards/release/latest.ts';
import { type Latest, type Manifest, manifestSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { LATEST } from '../../shards/store/store.ts';
import { firstPublication, recordPublication } from './first-publication.ts';
import { putObject } from './put-object.ts';

/** Writes the manifest of a release that is not, or not yet, the current one. */
export function putManifest(store: WritableStore, manifest: Manifest): Promise<ObjectRef> {
  return putObject(store, `manifests/${manifest.release}`, 'json', encodeManifest(manifest));
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(JSON.stringify(manifestSchema.parse(manifest)));
}

/**
 * Makes a release current whose manifest is in the store: swaps `latest.json`, until which readers
 * see the previous release. A damaged `latest.json` is replaced. Its time is that of the manifest's
 * first publication, or `now` if the manifest was never current. Changes nothing if the release is
 * current.
 */
export async function promote(
  store: WritableStore,
  release: string,
  manifest: ObjectRef,
  now: Date,
): Promise<Latest> {
  const current = await nullIfMissing(store.readWhole(LATEST));
  const before = current && readable(current.bytes);
  // The process that made it current may have been killed before it recorded that.
  if (before !== null) await recordPublication(store, before);
  if (before?.sha256 === manifest.sha256) return before;
  const latest = (await firstPublication(store, manifest.name)) ?? {
    release,
    manifest: manifest.name,
    sha256: manifest.sha256,
    published_at: now.toISOString(),
  };
  await store.putConditional(LATEST, encodeLatest(latest), current?.identity ?? null);
  // Not before the swap: a release with a record that is not current counts as rolled back.
  await recordPublication(store, latest);
  return latest;
}

function readable(latest: Uint8Array): Latest | null {
  try {
    return decodeLatest(latest);
  } catch (error) {
    if (error instanceof ShardError) return null;
    throw error;
  }
}
