import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { Problem } from '../../proxy/http/problem.ts';
import type { Account } from '../../proxy/ledger/accounts.ts';
import { SESSION_SEEN_MS, type Session } from '../../proxy/ledger/sessions.ts';
import type { PortalServices } from '../services.ts';
import {
  isCsrfToken,
  readCookie,
  type SessionToken,
  sessionCookie,
  sessionRef,
} from '../sign-in/session-cookie.ts';
import { isHttps, requireOwnSite } from './own-site.ts';

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: SignedIn | null;
  }
}

interface SignedIn {
  readonly account: Account;
  readonly session: Session;
  readonly token: SessionToken;
}

type Handler = (owner: SignedIn, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Route options of a read-only operation: it requires a session, without which no body is read. */
export function forSession(services: PortalServices, handler: Handler) {
  return guarded(handler, (request, reply) => signIn(request, reply, services));
}

/**
 * Route options of a change: it requires the session's CSRF token too. The session is checked again
 * once the body has arrived, as it may have been ended since.
 */
export function forChange(services: PortalServices, handler: Handler) {
  const still: Handler = async (_owner, request, reply) =>
    handler(await signIn(request, reply, services), request, reply);
  return guarded(still, async (request, reply) => {
    requireOwnSite(request, services);
    const { token } = await signIn(request, reply, services);
    const given = request.headers['x-csrf-token'];
    if (typeof given === 'string' && isCsrfToken(services.secrets.session, token, given)) return;
    throw new Problem(
      'invalid-csrf-token',
      `the header X-CSRF-Token is ${given === undefined ? 'missing' : 'not that of this session'}`,
    );
  });
}

function guarded(
  handler: Handler,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await onRequest(request, reply);
    },
    handler: ((request, reply) => handler(request.signedIn!, request, reply)) as RouteHandlerMethod,
  };
}

/**
 * Resolves the session. Use extends the session, so the cookie is renewed as often as the ledger
 * entry.
 */
async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  services: PortalServices,
): Promise<SignedIn> {
  const token = readCookie(request.headers.cookie, isHttps(services));
  const nowMs = services.now();
  const found = token && (await services.ledger.session(sessionRef(token), nowMs));
  if (!found) {
    throw new Problem('no-session', 'sign in first', {}, { 'www-authenticate': 'Cookie' });
  }
  if (nowMs - found.session.seenAtMs >= SESSION_SEEN_MS) {
    reply.header('set-cookie', sessionCookie(token, isHttps(services)));
  }
  request.signedIn = { ...found, token };
  return request.signedIn;
}

export function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
