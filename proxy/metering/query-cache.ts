import { LRUCache } from 'lru-cache';
import { etagOf } from '../../portal/http/caching.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';

/** The plan of a metered request on a release. */
export interface ResolvedQuery {
  /** The request in one spelling: parameters sorted, defaults filled in. */
  readonly canonical: string;
  /** The objects whose contents decide the answer. */
  readonly dependsOn: readonly ObjectRef[];
  /** The answer can never become another: it may be kept without asking again. */
  readonly isPinned?: boolean;
  /** The body is one GeoJSON object, which may be asked for as such. */
  readonly isGeoJson?: boolean;
}

/** Change it when the same data and request make another answer: every ETag changes with it. */
const CONTRACT_VERSION = '2';

/**
 * The strong ETag of an answer, from what decides its bytes: the contract, the canonical request,
 * and the contents of the objects it depends on. Known before any of them is read.
 */
export function strongEtag(canonical: string, dependsOn: readonly ObjectRef[]): string {
  let text = `${CONTRACT_VERSION}\n${canonical}`;
  for (const ref of dependsOn) text += `\n${ref.sha256}`;
  return etagOf(text);
}

/** The plan of a URL on a release, and the ETag of its response. */
export interface ResolvedRequest {
  readonly resolved: ResolvedQuery;
  readonly etag: string;
}

/** A plan's objects, and its place in the cache. */
const ENTRY_BYTES = 1_000;
/** A parameter of a few characters is an entry of a list and of a set. */
const BYTES_A_URL_CHARACTER = 16;
/** An object that the answer depends on, and perhaps the county it is of. */
const BYTES_AN_OBJECT = 24;
/** Longer URLs are planned anew each time: they are rare, and would crowd out the rest. */
const MAX_URL_LENGTH = 500;

/**
 * Plans by URL. A plan follows from the URL and the release alone, so it is worked out once for
 * each as long as the release is in force.
 */
export class QueryCache {
  #release: Release | null = null;
  readonly #queries: LRUCache<string, ResolvedRequest>;
  /** Counts of cache hits and of computed plans. */
  hits = 0;
  made = 0;

  constructor(maxBytes: Bytes) {
    this.#queries = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf });
  }

  get(release: Release, url: string): ResolvedRequest | undefined {
    const known = release === this.#release ? this.#queries.get(url) : undefined;
    if (known !== undefined) this.hits++;
    return known;
  }

  async getOrCompute(
    release: Release,
    url: string,
    work: () => Promise<ResolvedRequest>,
  ): Promise<ResolvedRequest> {
    this.made++;
    const resolvedRequest = await work();
    if (release !== this.#release) {
      this.#release = release;
      this.#queries.clear();
    }
    if (url.length <= MAX_URL_LENGTH) this.#queries.set(url, resolvedRequest);
    return resolvedRequest;
  }
}

/**
 * Approximate size of a plan without the release: it depends on the URL and the counties involved.
 */
function bytesOf({ resolved: { canonical, dependsOn } }: ResolvedRequest, url: string): Bytes {
  return (
    ENTRY_BYTES +
    url.length * BYTES_A_URL_CHARACTER +
    canonical.length * 2 +
    dependsOn.length * BYTES_AN_OBJECT
  );
}
