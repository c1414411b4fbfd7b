import { LRUCache } from 'lru-cache';
import { getOrInsertComputed } from '../../shards/arrays/group-by.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';

export interface ResolvedQuery {
  /** The request in canonical form: parameters sorted, defaults filled in. */
  readonly canonical: string;
  /** The page, if the response is one; null if the request was not paged. */
  readonly page?: { readonly cursorScope: string } | null;
  /** The objects whose contents determine the response. */
  readonly dependsOn: readonly ObjectRef[];
  /** Whether the response can never change, so that it may be cached without revalidation. */
  readonly isPinned?: boolean;
  /**
   * Whether the body is one GeoJSON object, so that the client may request it as
   * `application/geo+json`.
   */
  readonly isGeoJson?: boolean;
}

/** A URL resolved on a release, and the ETag of its response. */
export interface ResolvedRequest {
  readonly resolved: ResolvedQuery;
  readonly etag: string;
  /** The release as read for the window and the percentile of the request. */
  readonly release: Release;
  /** Identifies the response among those of all URLs. */
  readonly cacheKey: string;
}

const ENTRY_BYTES = 1_000;
/** Memory per character of a URL: a short parameter takes a list entry and a set entry. */
const BYTES_PER_URL_CHARACTER = 16;
/** Memory of an object that the response depends on, possibly with its county. */
const BYTES_PER_OBJECT = 24;
/** Longer URLs are resolved anew each time: they are rare, and would crowd out the rest. */
const MAX_URL_LENGTH = 500;

/**
 * Resolved queries by URL. They depend on the URL and the release alone, so each is computed once.
 * A release and its queries leave memory together, so requests that began on the previous release
 * may finish while others use the current one.
 */
export class QueryCache {
  readonly #ofReleases = new WeakMap<Release, LRUCache<string, ResolvedRequest>>();
  readonly #maxBytes: Bytes;
  hits = 0;
  computed = 0;

  /** `maxBytes` limits the queries of one release. */
  constructor(maxBytes: Bytes) {
    this.#maxBytes = maxBytes;
  }

  get(release: Release, url: string): ResolvedRequest | undefined {
    const known = this.#ofReleases.get(release)?.get(url);
    if (known !== undefined) this.hits++;
    return known;
  }

  async compute(
    release: Release,
    url: string,
    resolve: () => Promise<ResolvedRequest>,
  ): Promise<ResolvedRequest> {
    this.computed++;
    const resolvedRequest = await resolve();
    if (url.length <= MAX_URL_LENGTH) this.#queriesOf(release).set(url, resolvedRequest);
    return resolvedRequest;
  }

  #queriesOf(release: Release): LRUCache<string, ResolvedRequest> {
    const limits = { maxSize: this.#maxBytes, sizeCalculation: bytesOf };
    return getOrInsertComputed(this.#ofReleases, release, () => new LRUCache(limits));
  }
}

/**
 * Approximate size of a resolved query without the release: it depends on the URL and the counties
 * involved.
 */
function bytesOf({ resolved: { canonical, dependsOn } }: ResolvedRequest, url: string): Bytes {
  return (
    ENTRY_BYTES +
    url.length * BYTES_PER_URL_CHARACTER +
    canonical.length * 2 +
    dependsOn.length * BYTES_PER_OBJECT
  );
}
