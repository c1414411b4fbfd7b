import type { FastifyReply, FastifyRequest } from 'fastify';
import { truncate } from '../../proxy/http/problem.ts';
import { rateSubject } from '../../proxy/http/rate-limiting.ts';
import type { Account } from '../../proxy/ledger/accounts.ts';
import type { PortalServices } from '../services.ts';
import { knownBrowserCookie } from '../sign-in/known-browser.ts';
import {
  newSessionToken,
  readCookie,
  sessionCookie,
  sessionRef,
} from '../sign-in/session-cookie.ts';
import { isHttps } from './own-site.ts';

const MAX_CLIENT = 160;

/**
 * Signs in the proven owner of an address, creating the account if there is none. The session is
 * always new, so a planted cookie opens nothing. The browser's previous session is ended.
 */
export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  services: PortalServices,
  email: string,
): Promise<Account> {
  const { ledger, signupGrants, now } = services;
  const atMs = now();
  for (;;) {
    const account = await signupGrants.openAccount(email, request.ip, atMs);
    const token = newSessionToken(account.id);
    const outcome = await ledger.beginSession(account.id, {
      id: token.id,
      secretHash: sessionRef(token).secretHash,
      startedAtMs: atMs,
      client: nameOfClient(request.headers['user-agent']),
      address: rateSubject(request.ip),
    });
    // The account was closed a moment ago: the mailbox's owner opens a new one.
    if (outcome === 'closed') continue;
    await endSession(request, services);
    const { session: secrets } = services.secrets;
    reply.header('set-cookie', [
      sessionCookie(token, isHttps(services)),
      knownBrowserCookie(secrets[0], email, isHttps(services)),
    ]);
    return account;
  }
}

async function endSession({ headers }: FastifyRequest, services: PortalServices): Promise<void> {
  const { ledger, now } = services;
  const token = readCookie(headers.cookie, isHttps(services));
  // The secret is checked too, since any client can forge a cookie with the id alone.
  if (!token || !(await ledger.session(sessionRef(token), now()))) return;
  await ledger.endSession(token.account, token.id, now());
}

function nameOfClient(userAgent: string | undefined): string {
  const printable = (userAgent ?? '').replaceAll(/[^\x20-\x7e]/g, '').trim();
  return truncate(printable, MAX_CLIENT) || 'unknown';
}
