import { Turns } from '../concurrency/turns.ts';
import { ShardError, StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { readLatest } from './latest.ts';
import type { Latest } from './manifest.ts';
import { readManifest } from './manifests.ts';
import { type ListedRelease, NamedReleases } from './named-releases.ts';
import { Release } from './release.ts';
import type { ReleaseCache } from './release-cache.ts';
import { type ReleaseNotes, readNotes } from './release-notes.ts';

/** Reads `latest.json` and the manifest it names, whose hash it verifies. */
export async function openRelease(store: Store, cache: ReleaseCache): Promise<Release> {
  return openManifest(store, await readLatest(store), cache);
}

/** Opens the release that a given `latest.json` names, whether or not it is current. */
export async function openManifest(
  store: Store,
  latest: Latest,
  cache: ReleaseCache,
): Promise<Release> {
  const { manifest } = await readManifest(store, latest.manifest, latest.sha256);
  await Turns.SHARED.yieldIfOverdue();
  return new Release(store, latest, manifest, cache, await notesIfAny(store, latest.manifest));
}

/** Reads the notes of a release, which is served without them if they cannot be read. */
async function notesIfAny(store: Store, manifest: string): Promise<ReleaseNotes | null> {
  try {
    return await readNotes(store, manifest);
  } catch (error) {
    if (error instanceof ShardError || error instanceof StoreError) return null;
    throw error;
  }
}

/** Follows `latest.json`. A request reads `current` once and uses that release throughout. */
export class ReleaseSource {
  readonly #store: Store;
  readonly #cache: ReleaseCache;
  readonly #named: NamedReleases;
  #current: Release | null = null;
  #timer: NodeJS.Timeout | null = null;
  #refreshing: Promise<boolean> | null = null;
  /** Failed refreshes since the last successful one. */
  consecutiveFailures = 0;

  constructor(store: Store, cache: ReleaseCache) {
    this.#store = store;
    this.#cache = cache;
    this.#named = new NamedReleases(store, cache);
  }

  /**
   * A release of the store by label, name of its manifest or version, current or not. Rejects with
   * `UnknownRelease` if there is none, or several have the label.
   */
  find(name: string): Promise<Release> {
    return this.#named.find(name, this.current);
  }

  /** The releases of the store, as far as it can be listed: see `NamedReleases.list`. */
  list(): Promise<readonly ListedRelease[]> {
    return this.#named.list(this.current);
  }

  /** The current release. Throws a `StoreError` until the first `refresh` has succeeded. */
  get current(): Release {
    if (this.#current) return this.#current;
    throw new StoreError('unavailable', this.#store.location, 'no release has been opened yet');
  }

  /**
   * Whether the release being served is the one that `latest.json` names. A new release that cannot
   * be opened, or an unreadable `latest.json`, does not affect requests: the old release is `held`.
   * Rejects with a `StoreError` if the objects of the old release cannot be read either.
   */
  async standing(): Promise<'current' | 'held'> {
    const { latest, manifest } = this.current;
    try {
      const { sha256 } = await readLatest(this.#store);
      return sha256 === latest.sha256 ? 'current' : 'held';
    } catch {
      const object = manifest.objects['dest-ids'];
      // An open file stays readable after its folder is deleted; other files do not.
      if ((await this.#store.stat(object.name)) === null) {
        throw new StoreError('missing', object.name, 'no such object');
      }
      await this.#store.readRange(object, 0, 1);
      return 'held';
    }
  }

  /**
   * Opens the release that `latest.json` names if it differs from the current one; returns whether
   * it did. Concurrent calls share one refresh, since a slow one could otherwise finish last and
   * restore an older release.
   */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh()
      .then(
        (isAnother) => {
          this.consecutiveFailures = 0;
          return isAnother;
        },
        (error) => {
          this.consecutiveFailures++;
          throw error;
        },
      )
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  async #refresh(): Promise<boolean> {
    const latest = await readLatest(this.#store);
    if (latest.sha256 === this.#current?.latest.sha256) return false;
    const release = await openManifest(this.#store, latest, this.#cache);
    await release.prepare();
    // From here on, new requests use this release; requests in progress keep theirs.
    this.#current = release;
    return true;
  }

  /** Polls until `stop`. A failed poll is reported and the current release stays. */
  start(intervalMs: number, onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => void this.refresh().catch(onError), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
