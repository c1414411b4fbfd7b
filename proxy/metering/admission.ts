import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey, isWellFormedApiKey } from '../../portal/accounts/api-key.ts';
import type { Admission, Ledger } from '../../portal/accounts/ledger.ts';
import { Problem } from '../http/problem.ts';
import { rateLimited } from '../http/rate-headers.ts';

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
      // An error after this point carries them too; a finished answer writes them itself.
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
