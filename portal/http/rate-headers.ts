import type { FastifyReply } from 'fastify';
import type { RateState } from '../accounts/rate-state.ts';
import { Problem } from './problem.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** A window by name, where it is not that of all requests. */
interface NamedRate extends RateState {
  readonly policy?: string;
}

declare module 'fastify' {
  interface FastifyReply {
    /** The window this request counted in, once that is known. */
    rate: NamedRate | null;
  }
}

/** `RateLimit-Policy` of the IETF draft "RateLimit header fields for HTTP". */
export function policyHeader({ policy = 'default', limit, windowSeconds }: NamedRate): string {
  return `"${policy}";q=${limit};w=${windowSeconds}`;
}

/** `RateLimit` of the same draft. */
export function rateHeader({ policy = 'default', remaining, resetSeconds }: NamedRate): string {
  return `"${policy}";r=${remaining};t=${resetSeconds}`;
}

/** Says on an answer which window its request counted in, where that is known. */
export function setRateHeaders(reply: FastifyReply): void {
  if (!reply.rate) return;
  reply.header('ratelimit-policy', policyHeader(reply.rate));
  reply.header('ratelimit', rateHeader(reply.rate));
}

/**
 * The refusal of one too many of `what` is counted: a window of other things than requests has
 * their name.
 */
export function rateLimited(reply: FastifyReply, rate: RateState, what = 'requests'): Problem {
  const { limit, windowSeconds, resetSeconds } = rate;
  reply.rate = what === 'requests' ? rate : { ...rate, policy: what.replaceAll(' ', '-') };
  const span = windowSeconds === DAY_SECONDS ? 'a day' : `in ${windowSeconds} s`;
  return new Problem(
    'rate-limited',
    `${limit} ${what} ${span} are allowed; wait ${resetSeconds} s`,
    {},
    { 'retry-after': String(resetSeconds) },
  );
}
