import { LRUCache } from 'lru-cache';
import type { Release } from '../../shards/release.ts';
import type { MeteredPlan } from '../endpoint.ts';

/** What a URL means on a release, and the ETag of its answer. */
export interface PlannedRequest {
  readonly plan: MeteredPlan;
  readonly etag: string;
}

const MAX_URLS = 20_000;
/** Longer URLs are planned anew each time: they are rare, and would crowd out the rest. */
const MAX_URL_LENGTH = 500;

/**
 * Plans by URL. A plan follows from the URL and the release alone, so it is worked out once for
 * each as long as the release is in force.
 */
export class PlanCache {
  #release: Release | null = null;
  #plans = new LRUCache<string, PlannedRequest>({ max: MAX_URLS });

  get(release: Release, url: string): PlannedRequest | undefined {
    return release === this.#release ? this.#plans.get(url) : undefined;
  }

  async work(
    release: Release,
    url: string,
    work: () => Promise<PlannedRequest>,
  ): Promise<PlannedRequest> {
    const planned = await work();
    if (release !== this.#release) {
      this.#release = release;
      this.#plans = new LRUCache({ max: MAX_URLS });
    }
    if (url.length <= MAX_URL_LENGTH) this.#plans.set(url, planned);
    return planned;
  }
}
