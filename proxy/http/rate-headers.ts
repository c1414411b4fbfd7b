import type { FastifyReply } from 'fastify';
import type { RateState } from '../../portal/accounts/metering.ts';
import { Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The window this request counted in, once that is known. */
    rate: RateState | null;
  }
}

/** `RateLimit-Policy` of the IETF draft "RateLimit header fields for HTTP". */
export function policyHeader({ limit, windowSeconds }: RateState): string {
  return `"default";q=${limit};w=${windowSeconds}`;
}

/** `RateLimit` of the same draft. */
export function rateHeader({ remaining, resetSeconds }: RateState): string {
  return `"default";r=${remaining};t=${resetSeconds}`;
}

export function rateLimited(reply: FastifyReply, rate: RateState): Problem {
  reply.rate = rate;
  return new Problem(
    'rate-limited',
    `${rate.limit} requests in ${rate.windowSeconds} s are allowed; wait ${rate.resetSeconds} s`,
    {},
    { 'retry-after': String(rate.resetSeconds) },
  );
}
