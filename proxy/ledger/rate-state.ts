/** State of a fixed window of requests, as reported by `RateLimit` and `RateLimit-Policy`. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

/** Window of the API's request rates, which are stated per minute. */
export const RATE_WINDOW_SECONDS = 60;

/** Returns the state of a window from which `used` requests were taken. */
export function rateState(
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  used: number,
  elapsedMs: number,
): RateState {
  const resetSeconds = Math.max(1, Math.ceil(windowSeconds - elapsedMs / 1000));
  // `used` may exceed the limit if the limit was lowered meanwhile.
  return { limit, remaining: Math.max(0, limit - used), windowSeconds, resetSeconds };
}
