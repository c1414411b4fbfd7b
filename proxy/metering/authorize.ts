import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../http/bearer-token.ts';
import { Problem } from '../http/problem.ts';
import { rateLimited } from '../http/rate-limiting.ts';
import type { KeyHash } from '../ledger/accounts.ts';
import { hashApiKey, isWellFormedApiKey } from '../ledger/api-key.ts';
import { type BrowserToken, isBrowserToken, openBrowserToken } from '../ledger/browser-token.ts';
import type { Metering } from '../ledger/metering.ts';
import type { SessionId } from '../ledger/sessions.ts';
import type { Admitted } from './principal.ts';

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Balance, available once the key is known; null before, and for a member on a route that is
     * free for members.
     */
    balance: number | null;
  }
}

/** Matches a missing key: an unset variable leaves nothing after the scheme. */
const WITHOUT_KEY = /^ *(?:Bearer *)?$/i;

export interface Authority {
  readonly ledger: Metering;
  /**
   * Secrets that open browser tokens. Throws `LedgerUnavailable` until the ledger has been
   * reachable.
   */
  readonly browserTokenSecrets: () => readonly string[];
  readonly config: { readonly baseUrl: string };
}

type AccountFacts = Pick<FastifyReply, 'balance' | 'rate'>;

/**
 * Reads the key or browser token of a request, and queries the ledger once for the key or session,
 * its account and the rate. Sets balance and rate on the reply, for the headers of an error; other
 * responses write these headers themselves.
 */
export async function authorize(
  authority: Authority,
  request: FastifyRequest,
  reply: AccountFacts,
  freeForMembers = false,
): Promise<Admitted> {
  const credential = credentialOf(authority, request);
  const nowMs = Date.now();
  const { ledger } = authority;
  const admission =
    typeof credential === 'string'
      ? await ledger.admit(credential, nowMs)
      : await ledger.admitSession(sessionBehind(authority, credential, request, nowMs), nowMs);
  if ('balance' in admission && !(freeForMembers && admission.member)) {
    reply.balance = admission.balance;
  }
  switch (admission.outcome) {
    case 'admitted':
      reply.rate = admission.rate;
      return admission;
    case 'rate-limited':
      throw rateLimited(reply, admission.rate);
    case 'account-disabled':
      throw new Problem('account-disabled', 'this account or key has been disabled');
    case 'invalid-key':
      throw invalidKey(typeof credential === 'string' ? undefined : SESSION_ENDED);
  }
}

type Credential = KeyHash | BrowserToken;

/** Last credential of each connection, which the next request usually repeats. */
const lastCredentials = new WeakMap<Socket, { authorization: string; credential: Credential }>();

function credentialOf(authority: Authority, request: FastifyRequest): Credential {
  const { socket } = request.raw;
  const { authorization } = request.headers;
  const last = lastCredentials.get(socket);
  if (last !== undefined && last.authorization === authorization) return last.credential;
  const credential = credentialIn(authority, bearer(authorization));
  lastCredentials.set(socket, { authorization: authorization!, credential });
  return credential;
}

function credentialIn(authority: Authority, text: string): Credential {
  if (isBrowserToken(text)) {
    const token = openBrowserToken(authority.browserTokenSecrets(), text);
    if (token === undefined) throw invalidKey('the browser token is mistyped or forged');
    return token;
  }
  if (!isWellFormedApiKey(text)) throw invalidKey();
  return hashApiKey(text);
}

const SESSION_ENDED = 'the session that requested the browser token has ended';

/**
 * Returns the session of a browser token; throws if the token has expired or if it is used on a
 * page of another origin. Browsers send no `Origin` with a GET to the page's own origin, but state
 * that it is one (Fetch Metadata): such a page is of the origin that serves the API.
 */
function sessionBehind(
  { config }: Authority,
  token: BrowserToken,
  { headers, protocol, host }: FastifyRequest,
  nowMs: number,
): SessionId {
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin';
  const ownOrigins = isOwnPage ? [new URL(config.baseUrl).origin, `${protocol}://${host}`] : [];
  const origins = headers.origin === undefined ? ownOrigins : [headers.origin];
  if (nowMs >= token.endsAtMs) throw invalidKey('the browser token has expired: request another');
  if (origins.length === 0) {
    throw invalidKey(
      'a browser token is for pages: the request has neither an Origin header nor Sec-Fetch-Site: same-origin',
    );
  }
  if (!origins.includes(token.origin)) {
    throw invalidKey('the browser token is bound to another origin');
  }
  return { account: token.account, id: token.session };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined || WITHOUT_KEY.test(authorization)) {
    throw new Problem(
      'missing-key',
      'send the header Authorization: Bearer <API key>',
      {},
      { 'www-authenticate': 'Bearer' },
    );
  }
  const key = bearerToken(authorization);
  if (key === null) {
    throw invalidKey('the header must be Authorization: Bearer <API key>');
  }
  return key;
}

function invalidKey(detail = 'the key is mistyped, unknown or revoked'): Problem {
  return new Problem(
    'invalid-key',
    detail,
    {},
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  );
}
