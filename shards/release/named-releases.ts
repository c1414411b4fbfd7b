import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { StoreError } from '../errors.ts';
import { openWritableStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { canBeWritten } from '../store/store-location.ts';
import type { Millis } from '../units.ts';
import type { Manifest } from './manifest.ts';
import {
  hashIn,
  MANIFESTS,
  manifestNamed,
  manifestsNamed,
  readManifest,
  releaseOfName,
  stemOf,
} from './manifests.ts';
import { Release, versionOf } from './release.ts';
import type { ReleaseCache } from './release-cache.ts';
import type { ReleaseNotes } from './release-notes.ts';

/** Releases that are kept open besides the current one. */
const KEPT_RELEASES = 4;
/** Lifetime of the list of a store's manifests. */
const KEPT_MS: Millis = 60_000;
/** Minimum age of a list that is read again for a name that it lacks. */
const READ_AGAIN_MS: Millis = 1_000;

export interface ListedRelease {
  /** Its label, which others may have too. */
  readonly release: string;
  /** Names this release and no other. */
  readonly version: string;
  /** Null if it was never current, or not among the last that were. */
  readonly published_at: string | null;
}

/** Opens the release of a manifest, whether or not it is or was current. */
export async function openNamed(
  store: Store,
  name: string,
  cache: ReleaseCache,
  notes: ReleaseNotes | null = null,
): Promise<Release> {
  const { ref, manifest } = await readManifest(store, name);
  return releaseOf(store, { name, manifest, sha256: ref.sha256 }, cache, notes);
}

/** A manifest that has been read; `sha256`: its hash, or the start of it, as in its name. */
interface ReadManifest {
  readonly name: string;
  readonly manifest: Manifest;
  readonly sha256?: string;
}

/** A release as its manifest describes it, for those who do not ask when it was published. */
export function releaseOf(
  store: Store,
  { name, manifest, sha256 = hashIn(name) }: ReadManifest,
  cache: ReleaseCache,
  notes: ReleaseNotes | null = null,
): Release {
  const { release } = manifest;
  const latest = { release, manifest: name, sha256, published_at: NEVER };
  return new Release(store, latest, manifest, cache, notes);
}

const NEVER = new Date(0).toISOString();

/**
 * Opens releases of a store by name, current or not, and keeps the last few open. Their objects
 * are in the cache of all releases, within its budget.
 */
export class NamedReleases {
  readonly #store: Store;
  readonly #open: LRUCache<string, Release>;
  readonly #listing = new SingleFlight<string, readonly string[]>(null);
  #listed: { readonly names: readonly string[]; readonly atMs: Millis } | null = null;

  constructor(store: Store, cache: ReleaseCache) {
    this.#store = store;
    this.#open = new LRUCache({
      max: KEPT_RELEASES,
      fetchMethod: (manifest) => openNamed(store, manifest, cache),
    });
  }

  /**
   * Opens the release with a label, a manifest's name, or the version in `X-Data-Release`. Rejects
   * with `UnknownRelease`, which lists the releases there are, if not exactly one is meant.
   */
  async find(wanted: string, current: Release): Promise<Release> {
    if (isNamed(current, wanted)) return current;
    const manifest = await this.#manifestOf(wanted, current);
    if (manifest === current.latest.manifest) return current;
    return this.#open.forceFetch(manifest);
  }

  /** The current release, those published before it, the last first, then those that never were. */
  async list(current: Release): Promise<readonly ListedRelease[]> {
    const { latest, notes, version } = current;
    const history = new Map(notes?.history.map((one) => [one.manifest, one.published_at]));
    const others = (await this.#names(current, KEPT_MS))
      .filter((name) => name !== latest.manifest)
      .map((name) => {
        const release = releaseOfName(name)!;
        const published_at = history.get(name) ?? null;
        return { release, version: versionOf(release, hashIn(name)), published_at };
      });
    const ageOf = ({ published_at }: ListedRelease) => -Date.parse(published_at ?? NEVER);
    others.sort((a, b) => ageOf(a) - ageOf(b));
    const { release, published_at } = latest;
    return [{ release, version, published_at }, ...others];
  }

  async #manifestOf(wanted: string, current: Release): Promise<string> {
    const known = await this.#names(current, KEPT_MS);
    const isKnown = manifestsNamed(known, wanted).length > 0;
    return manifestNamed(isKnown ? known : await this.#names(current, READ_AGAIN_MS), wanted);
  }

  /** The manifests of the store, as they were at most `mostMs` ago. */
  async #names(current: Release, mostMs: Millis): Promise<readonly string[]> {
    if (this.#listed === null || performance.now() - this.#listed.atMs > mostMs) {
      const names = await this.#listing.getOrCompute('', () => listManifests(this.#store, current));
      this.#listed = { names, atMs: performance.now() };
    }
    return [...new Set([...this.#listed.names, current.latest.manifest])];
  }
}

/** Whether a name means this release and no other: a label does so only if it is the only one. */
function isNamed({ latest, version }: Release, wanted: string): boolean {
  return wanted === version || wanted === stemOf(latest.manifest);
}

/**
 * Lists the manifests of a store. One that cannot be listed, such as a bucket behind HTTPS, has
 * those that the notes of the current release name: the last twenty that were current before it.
 */
async function listManifests(store: Store, current: Release): Promise<readonly string[]> {
  const listed = await listIfAllowed(store.location);
  if (listed !== null) return listed;
  const history = current.notes?.history ?? [];
  return [current.latest.manifest, ...history.map(({ manifest }) => manifest)];
}

async function listIfAllowed(location: string): Promise<readonly string[] | null> {
  if (!canBeWritten(location)) return null;
  try {
    const store = await openWritableStore(location);
    try {
      const names = (await store.list(MANIFESTS)).map(({ name }) => name);
      return names.filter((name) => releaseOfName(name) !== null);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
