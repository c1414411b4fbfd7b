import { hash } from 'node:crypto';

/** 162 bits of the hash. */
const ETAG_CHARACTERS = 27;

/** The ETag of another representation of the same answer: a format, a coding. */
export function variantEtag(etag: string, variant: string): string {
  return `${etag.slice(0, -1)}-${variant}"`;
}

/** The strong ETag of an answer that is at hand. */
export function etagOf(body: string | Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, ETAG_CHARACTERS)}"`;
}

const ONE_STRONG = /^"[^"]*"$/;

/**
 * Whether `If-None-Match` names the representation: RFC 9110 section 13.1.2, with weak comparison,
 * of a list. `*` is not decided here: it asks whether there is any.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  // The common case: a client sends back the one it was given.
  if (ifNoneMatch === etag) return true;
  if (ONE_STRONG.test(ifNoneMatch)) return false;
  for (const [, opaque] of ifNoneMatch.matchAll(/(?:^|,)\s*(?:W\/)?("[^"]*")(?=\s*(?:,|$))/g)) {
    if (opaque === etag) return true;
  }
  return false;
}

/** Whether `If-None-Match` is `*`: any representation will do. */
export function matchesAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}
