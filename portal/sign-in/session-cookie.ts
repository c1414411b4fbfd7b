import { hash, randomBytes } from 'node:crypto';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import { isEqualHash } from '../../proxy/ledger/equal-hash.ts';
import { SESSION_LIFE_MS, type SessionRef } from '../../proxy/ledger/sessions.ts';
import { keyedHash } from './sealed-link.ts';

/** Contents of the session cookie: `account.id.secret`. */
export interface SessionToken {
  readonly account: AccountId;
  readonly id: string;
  readonly secret: string;
}

const SHAPE = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{43})$/;

export function newSessionToken(account: AccountId): SessionToken {
  return {
    account,
    id: randomBytes(12).toString('base64url'),
    secret: randomBytes(32).toString('base64url'),
  };
}

/**
 * Returns the reference to a session by which the ledger finds it. A secret has 256 bits of
 * entropy, so a plain hash is enough.
 */
export function sessionRef({ account, id, secret }: SessionToken): SessionRef {
  return { account, id, secretHash: hash('sha256', secret, 'base64url') };
}

/**
 * Name of the session cookie. On https, browsers only accept it from the host itself, and with
 * `Secure`: RFC 6265bis.
 */
export function cookieName(isHttps: boolean): string {
  return isHttps ? '__Host-portal_session' : 'portal_session';
}

/** The session in a `Cookie` header, if well-formed. If there are two, neither is accepted. */
export function readCookie(header: string | undefined, isHttps: boolean): SessionToken | undefined {
  const value = cookieNamed(cookieName(isHttps), header) ?? '';
  const [, account, id, secret] = SHAPE.exec(value) ?? [];
  return secret === undefined ? undefined : { account, id, secret };
}

export function sessionCookie(token: SessionToken, isHttps: boolean): string {
  return cookie(`${token.account}.${token.id}.${token.secret}`, SESSION_LIFE_MS / 1000, isHttps);
}

export function endedCookie(isHttps: boolean): string {
  return cookie('', 0, isHttps);
}

function cookie(value: string, maxAgeSeconds: number, isHttps: boolean): string {
  return setCookie(cookieName(isHttps), value, maxAgeSeconds, isHttps);
}

/**
 * CSRF token of a session: a secret known only to the session's own pages, required with every
 * change.
 */
export function csrfToken(secret: string, { id, secret: own }: SessionToken): string {
  return keyedHash(secret, 'csrf', id, own);
}

export function isCsrfToken(
  secrets: readonly string[],
  token: SessionToken,
  given: string,
): boolean {
  return secrets.some((secret) => isEqualHash(csrfToken(secret, token), given));
}

export function cookieNamed(name: string, header: string | undefined): string | undefined {
  const start = `${name}=`;
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0].slice(start.length) : undefined;
}

/** `Set-Cookie` of a cookie that scripts cannot read and other sites do not send with changes. */
export function setCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  isHttps: boolean,
): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${attributes}${isHttps ? '; Secure' : ''}`;
}
