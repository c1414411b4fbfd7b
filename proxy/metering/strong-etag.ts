import { etagOf } from '../../portal/http/etag.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

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
