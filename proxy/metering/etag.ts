import type { ObjectRef } from '../../shards/store/store.ts';
import { etagOf } from '../http/caching.ts';
import type { ResolvedQuery } from './query-cache.ts';

/**
 * Change this whenever the same data and request give other bytes, in any format: every ETag then
 * differs, so that no client keeps an old body. `test/proxy/contract-version.test.ts` enforces this
 * for the rows of blocks and POIs; no test detects changed bytes of other routes.
 */
export const CONTRACT_VERSION = '9';

/**
 * The strong ETag of a URL's response, from everything that determines its bytes: the contract, the
 * canonical request, and the contents of the objects it depends on. Known before any of them is
 * read.
 */
export function strongEtag(
  canonical: string,
  dependsOn: readonly Pick<ObjectRef, 'sha256'>[],
): string {
  let text = `${CONTRACT_VERSION}\n${canonical}`;
  for (const ref of dependsOn) text += `\n${ref.sha256}`;
  return etagOf(text);
}

/**
 * Returns the cache key of a response, unique across all URLs. URLs that spell the same request
 * differently may share an ETag: their pages have the same rows, but each page has a cursor of its
 * own.
 */
export function cacheKeyOf(etag: string, { page }: Pick<ResolvedQuery, 'page'>): string {
  return page ? etagOf(`${etag}\n${page.cursorScope}`) : etag;
}
