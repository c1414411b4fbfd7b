import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Account } from '../accounts/accounts.ts';
import { SESSION_SEEN_MS, type Session } from '../accounts/sessions.ts';
import { Problem } from '../http/problem.ts';
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
    /** The signed-in user of a route. */
    signedIn: SignedIn | null;
  }
}

/** The account of the request. */
export interface SignedIn {
  readonly account: Account;
  readonly session: Session;
  readonly token: SessionToken;
}

type Answer = (owner: SignedIn, request: FastifyRequest, reply: FastifyReply) => unknown;

/** The options of a route that only looks: it needs a session. No body is read without one. */
export function looking(services: PortalServices, response: Answer) {
  return guarded(response, (request, reply) => signIn(request, reply, services));
}

/**
 * The options of a route that changes something: it needs the session's CSRF token too. The session
 * is looked at again when the body has come: it may have been ended since.
 */
export function changing(services: PortalServices, response: Answer) {
  const still: Answer = async (_owner, request, reply) =>
    response(await signIn(request, reply, services), request, reply);
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
  response: Answer,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) {
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await onRequest(request, reply);
    },
    handler: ((request, reply) =>
      response(request.signedIn!, request, reply)) as RouteHandlerMethod,
  };
}

/** Resolves the session. Use extends it: the cookie is renewed as often as the ledger entry. */
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

/** Whether a text of a client may be the id of a key or session. */
export function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
