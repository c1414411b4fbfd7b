import { ShardError, StoreError } from '../../shards/errors.ts';
import { readLatest } from '../../shards/release/latest.ts';
import { type Latest, type Manifest, objectsNamed } from '../../shards/release/manifest.ts';
import {
  MANIFESTS,
  manifestNamed,
  readManifest,
  UnknownRelease,
} from '../../shards/release/manifests.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { firstPublication } from './first-publication.ts';
import { withReleasesLocked } from './locks.ts';
import { promote } from './publish.ts';

/** The previous and the current release; equal if the requested one was already current. */
interface Promotion {
  readonly before: Latest | null;
  readonly after: Latest;
}

/**
 * Makes a release of the store current. `wanted` is its label, or the name of its manifest if
 * several have that label; `over`: the manifest that it was compared with, null for none. Throws a
 * `BuildError` if there is no such release, any of its objects is missing, or another than `over`
 * is current.
 */
export async function promoteRelease(
  store: WritableStore,
  wanted: string,
  now: Date,
  over?: string | null,
): Promise<Promotion> {
  const name = await findManifest(store, wanted);
  return withReleasesLocked(store, async () => {
    const { ref, manifest } = await readManifest(store, name);
    await requireObjects(store, name, manifest);
    const before = await latestIfAny(store);
    const current = before?.manifest ?? null;
    if (over !== undefined && current !== over && current !== name) {
      throw new BuildError(
        `${store.location}: ${current} has become current meanwhile; run the command again, which compares with it`,
      );
    }
    return { before, after: await promote(store, manifest.release, ref, now) };
  });
}

/** Resolves a release's label or a manifest's name to the name of exactly one manifest. */
export async function findManifest(store: WritableStore, wanted: string): Promise<string> {
  const names = (await store.list(MANIFESTS)).map(({ name }) => name);
  try {
    return manifestNamed(names, wanted);
  } catch (error) {
    if (error instanceof UnknownRelease)
      throw new BuildError(`${store.location}: ${error.message}`);
    throw error;
  }
}

/** The current release; null if there is none, or its record is damaged. */
export async function latestIfAny(store: Store): Promise<Latest | null> {
  try {
    return await readLatest(store);
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    if (error instanceof ShardError) return null;
    throw error;
  }
}

/** Whether a manifest is or was current. Throws a `ShardError` for a damaged record of that. */
export async function wasPublished(store: Store, manifest: string): Promise<boolean> {
  if ((await latestIfAny(store))?.manifest === manifest) return true;
  return (await firstPublication(store, manifest)) !== null;
}

/** Throws a `BuildError` unless the store lists all objects of the manifest called `name`. */
export async function requireObjects(
  store: WritableStore,
  name: string,
  manifest: Manifest,
): Promise<void> {
  const refs = objectsNamed(manifest);
  const folders = new Set(refs.map((ref) => ref.name.slice(0, ref.name.indexOf('/') + 1)));
  const bytesOf = new Map<string, number>();
  for (const folder of folders) {
    for (const found of await store.list(folder)) bytesOf.set(found.name, found.bytes);
  }
  const missing = refs.filter((ref) => bytesOf.get(ref.name) !== ref.bytes);
  if (missing.length === 0) return;
  throw new BuildError(
    `${name}: ${missing.length} of its ${refs.length} objects are missing or incomplete, such as ${missing[0].name}; build the release again`,
  );
}
