/** A fixed window of requests: what `RateLimit` and `RateLimit-Policy` report. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

/** The window of rates of API requests, which are stated by the minute. */
export const RATE_WINDOW_SECONDS = 60;

/** State of a window in which `used` were taken. */
export function rateState(
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  used: number,
  elapsedMs: number,
): RateState {
  const resetSeconds = Math.max(1, Math.ceil(windowSeconds - elapsedMs / 1000));
  // More may be taken than the limit if it was lowered meanwhile.
  return { limit, remaining: Math.max(0, limit - used), windowSeconds, resetSeconds };
}
