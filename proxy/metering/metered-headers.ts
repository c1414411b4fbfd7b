import type { RateState } from '../../portal/accounts/rate-state.ts';
import { policyHeader, rateHeader } from '../../portal/http/rate-headers.ts';
import type { Header } from '../http/raw-answer.ts';

const VARY = 'Authorization, Accept-Encoding, Accept';

/** What every answer of a metered route has: written past Fastify. */
export function meteredHeaders(
  cacheControl: string,
  rate: RateState,
): [...Header, ...Header, ...Header, ...Header] {
  const [policy, left] = [policyHeader(rate), rateHeader(rate)];
  return [
    ...(['cache-control', cacheControl, 'vary', VARY] as const),
    ...(['ratelimit-policy', policy, 'ratelimit', left] as const),
  ];
}

/** What an answer cost, and the balance after it. */
export function tokenHeaders(charged: number, remaining: number): [...Header, ...Header] {
  return ['x-tokens-charged', charged, 'x-tokens-remaining', remaining];
}
