import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey, isWellFormedApiKey } from '../../portal/accounts/api-key.ts';
import type { Admission, Ledger, RateState } from '../../portal/accounts/ledger.ts';
import { Problem } from '../http/problem.ts';

/** Who a request is from, once its key and rate have been checked. */
export type Admitted = Extract<Admission, { outcome: 'admitted' }>;

const BEARER = /^Bearer +(\S+) *$/i;

/** Reads the key of a request and asks the ledger once for key, account and rate. */
export async function admit(
  ledger: Ledger,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admitted> {
  const key = bearerKey(request.headers.authorization);
  if (!isWellFormedApiKey(key)) throw invalidKey();
  const admission = await ledger.admit(hashApiKey(key), Date.now());
  switch (admission.outcome) {
    case 'admitted':
      rateHeaders(reply, admission.rate);
      return admission;
    case 'rate-limited':
      throw rateLimited(reply, admission.rate);
    case 'account-disabled':
      throw new Problem('account-disabled', 'this account or key has been disabled');
    case 'invalid-key':
      throw invalidKey();
  }
}

/** Sets the headers of the IETF draft "RateLimit header fields for HTTP". */
export function rateHeaders(reply: FastifyReply, rate: RateState): void {
  reply.header('ratelimit-policy', `"default";q=${rate.limit};w=${rate.windowSeconds}`);
  reply.header('ratelimit', `"default";r=${rate.remaining};t=${rate.resetSeconds}`);
}

export function rateLimited(reply: FastifyReply, rate: RateState): Problem {
  rateHeaders(reply, rate);
  return new Problem(
    'rate-limited',
    `${rate.limit} requests in ${rate.windowSeconds} s are allowed; wait ${rate.resetSeconds} s`,
    {},
    { 'retry-after': String(rate.resetSeconds) },
  );
}

function bearerKey(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Problem(
      'missing-key',
      'send the header Authorization: Bearer <API key>',
      {},
      { 'www-authenticate': 'Bearer' },
    );
  }
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined) throw invalidKey();
  return key;
}

function invalidKey(): Problem {
  return new Problem(
    'invalid-key',
    'the key is mistyped, unknown or revoked',
    {},
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  );
}
