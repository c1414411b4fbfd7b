import { etagOf } from '../../portal/http/caching.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { ResolvedQuery } from './query-cache.ts';

/**
 * Change this whenever the same data and request give other bytes, in any format: every ETag then
 * differs, so that no client keeps an old body. `test/proxy/contract-version.test.ts` holds it for
 * the rows of blocks and POIs; no test notices when the bytes of other routes change.
 */
export const CONTRACT_VERSION = '7';

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
 * The key of a response among those of all URLs. One ETag may be that of several URLs, whose
 * requests are spelled differently: their pages have the same rows, but each a cursor of its own.
 */
export function cacheKeyOf(etag: string, { page }: Pick<ResolvedQuery, 'page'>): string {
  return page ? etagOf(`${etag}\n${page.cursorScope}`) : etag;
}
