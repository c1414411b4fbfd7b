import { forgetDamagedPublication } from '../../builder/publish/first-publication.ts';
import { promote, putManifest } from '../../builder/publish/publish.ts';
import type { Latest, Manifest } from '../../shards/release/manifest.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** Makes a manifest the current one as a build does, whether or not its objects exist. */
export async function makeCurrent(
  store: WritableStore,
  manifest: Manifest,
  now: Date,
): Promise<Latest> {
  const ref = await putManifest(store, manifest);
  await forgetDamagedPublication(store, ref.name);
  return promote(store, manifest.release, ref, now);
}
