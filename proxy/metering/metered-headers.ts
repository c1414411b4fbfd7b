import type { RateState } from '../../portal/accounts/rate-state.ts';
import { policyHeader, rateHeader } from '../../portal/http/rate-headers.ts';
import type { HeaderList } from '../http/raw-answer.ts';

const VARY = 'Authorization, Accept-Encoding, Accept';

/** What every answer of a metered route has: written past Fastify. */
export function meteredHeaders(cacheControl: string, rate: RateState): HeaderList {
  const [policy, left] = [policyHeader(rate), rateHeader(rate)];
  const cache: HeaderList = ['cache-control', cacheControl, 'vary', VARY];
  return [...cache, 'ratelimit-policy', policy, 'ratelimit', left];
}

/** What an answer cost, and the balance after it. */
export function tokenHeaders(charged: number, remaining: number): HeaderList {
  return ['x-tokens-charged', charged, 'x-tokens-remaining', remaining];
}
