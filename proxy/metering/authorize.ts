import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey, isWellFormedApiKey } from '../../portal/accounts/api-key.ts';
import type { KeyHash } from '../../portal/accounts/key-hash.ts';
import type { Admission, Metering } from '../../portal/accounts/metering.ts';
import { Problem } from '../../portal/http/problem.ts';
import { rateLimited } from '../../portal/http/rate-limiting.ts';

/** An authenticated request whose rate has been checked. */
export type AuthorizedRequest = Extract<Admission, { outcome: 'admitted' }>;

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Balance, available once the key is known; null before, and for a member on a route that is
     * free for members.
     */
    balance: number | null;
  }
}

const BEARER = /^Bearer +(\S+) *$/i;
/** Matches a missing key: an unset variable leaves nothing after the scheme. */
const WITHOUT_KEY = /^ *(?:Bearer *)?$/i;

/**
 * Reads the key of a request and queries the ledger once for key, account and rate. An error after
 * this point carries what is known by then; a cached response writes it itself.
 */
export async function authorize(
  ledger: Metering,
  request: FastifyRequest,
  reply: FastifyReply,
  freeForMembers = false,
): Promise<AuthorizedRequest> {
  const admission = await ledger.admit(keyHashOf(request), Date.now());
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
      throw invalidKey();
  }
}

/** The last key of each connection and its hash: the next request usually repeats it. */
const lastKeys = new WeakMap<Socket, { authorization: string; hash: KeyHash }>();

function keyHashOf(request: FastifyRequest): KeyHash {
  const { socket } = request.raw;
  const { authorization } = request.headers;
  const last = lastKeys.get(socket);
  if (last !== undefined && last.authorization === authorization) return last.hash;
  const key = bearerKey(authorization);
  if (!isWellFormedApiKey(key)) throw invalidKey();
  const hash = hashApiKey(key);
  lastKeys.set(socket, { authorization: authorization!, hash });
  return hash;
}

function bearerKey(authorization: string | undefined): string {
  if (authorization === undefined || WITHOUT_KEY.test(authorization)) {
    throw new Problem(
      'missing-key',
      'send the header Authorization: Bearer <API key>',
      {},
      { 'www-authenticate': 'Bearer' },
    );
  }
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined) {
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
