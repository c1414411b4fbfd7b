import { policyHeader, rateHeader } from '../http/rate-limiting.ts';
import { type HeaderList, putHeader } from '../http/raw-response.ts';
import type { RateState } from '../ledger/rate-state.ts';

const VARY = 'Authorization, Accept-Encoding, Accept';

/** Adds the headers common to metered responses, which are written bypassing Fastify. */
export function putMeteredHeaders(
  headers: HeaderList,
  cacheControl: string,
  rate: RateState,
): void {
  putHeader(headers, 'cache-control', cacheControl);
  putHeader(headers, 'vary', VARY);
  putHeader(headers, 'ratelimit-policy', policyHeader(rate));
  putHeader(headers, 'ratelimit', rateHeader(rate));
}

/** Adds the price of the response and the balance after it. */
export function putTokenHeaders(headers: HeaderList, charged: number, remaining: number): void {
  putHeader(headers, 'x-tokens-charged', charged);
  putHeader(headers, 'x-tokens-remaining', remaining);
}
