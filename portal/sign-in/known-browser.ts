import { randomBytes } from 'node:crypto';
import { isEqualHash } from '../../proxy/ledger/equal-hash.ts';
import { mailboxOf } from '../../proxy/ledger/mailbox.ts';
import { keyedHash } from './sealed-link.ts';
import { cookieNamed, setCookie } from './session-cookie.ts';

/** How long a browser is known after it last signed in. */
const KNOWN_SECONDS = 365 * 24 * 60 * 60;

/**
 * Name of the cookie by which a browser is known to have signed in to a mailbox, the last one. It
 * holds an id and its HMAC with the mailbox, opens nothing, and is kept after signing out.
 */
function cookieName(isHttps: boolean): string {
  return isHttps ? '__Host-portal_browser' : 'portal_browser';
}

export function knownBrowserCookie(secret: string, email: string, isHttps: boolean): string {
  const id = randomBytes(12).toString('base64url');
  const value = `${id}.${seal(secret, email, id)}`;
  return setCookie(cookieName(isHttps), value, KNOWN_SECONDS, isHttps);
}

/** The id of a browser that has signed in to the mailbox of an address before. */
export function knownBrowser(
  secrets: readonly string[],
  cookies: string | undefined,
  email: string,
  isHttps: boolean,
): string | undefined {
  const value = cookieNamed(cookieName(isHttps), cookies);
  const [, id, hash] = /^([\w-]{16})\.([\w-]{43})$/.exec(value ?? '') ?? [];
  if (id === undefined) return undefined;
  return secrets.some((secret) => isEqualHash(seal(secret, email, id), hash)) ? id : undefined;
}

function seal(secret: string, email: string, id: string): string {
  return keyedHash(secret, 'known browser', mailboxOf(email), id);
}
