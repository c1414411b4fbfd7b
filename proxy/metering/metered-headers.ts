import type { RateState } from '../../portal/accounts/metering.ts';
import { policyHeader, rateHeader } from '../http/rate-headers.ts';

const VARY = 'Authorization, Accept-Encoding, Accept';

/** What every answer of a metered route has, names and values by turns: written past Fastify. */
export function meteredHeaders(cacheControl: string, rate: RateState): (string | number)[] {
  const [policy, left] = [policyHeader(rate), rateHeader(rate)];
  return [
    'cache-control',
    cacheControl,
    'vary',
    VARY,
    'ratelimit-policy',
    policy,
    'ratelimit',
    left,
  ];
}
