import { retry, TransientError } from '../../shards/concurrency/retry.ts';
import { systemCode } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';

const MAX_RETRIES = 5;
const LONGEST_WAIT_MS = 60_000;

/**
 * Runs an attempt, and again up to five times when it failed for a passing reason: a connection
 * lost, a server overloaded. Waits `retryMs`, then twice as long each time, or what the server asks
 * for; `onRetry` is told in words. When it is no use, throws a `BuildError` that names the URL.
 */
export async function withRetries<T>(
  url: string,
  attempt: () => Promise<T>,
  retryMs: number,
  onRetry: (line: string) => void,
): Promise<T> {
  return retry(attempt, (error, tries) => {
    const fault = faultOf(error);
    if (fault === null) throw error;
    if (!fault.passing || tries > MAX_RETRIES) {
      const times = tries === 1 ? '' : ` (tried ${tries} times)`;
      throw new BuildError(
        `${url}: ${fault.reason}${times}; check the address and your connection, and run the command again to resume`,
        { cause: error },
      );
    }
    const waitMs = Math.min(fault.waitMs ?? retryMs * 2 ** (tries - 1), LONGEST_WAIT_MS);
    onRetry(`${url}: ${fault.reason}; retrying in ${Math.ceil(waitMs / 1000)} s`);
    return waitMs;
  });
}

/** `Retry-After` in its two forms, seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | undefined, now = Date.now()): number | null {
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * No retry mends a name that does not exist, a certificate that is not trusted, a server that does
 * not speak HTTP, or a request that cannot be made.
 */
const LASTING =
  /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS|ERR_SSL|ERR_INVALID_|HPE_INVALID_(?!EOF)|HPE_HEADER_OVERFLOW|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|HEADERS_OVERFLOW)|.*_CERT|.*_SIGNATURE$)/;

/** What went wrong on the way; null for what is no fault of a connection. */
function faultOf(error: unknown) {
  if (error instanceof TransientError) {
    return { reason: error.message, passing: true, waitMs: error.waitMs };
  }
  if (error instanceof BuildError || !(error instanceof Error)) return null;
  // Sockets and undici mark their errors by a code; a fault of this program has none.
  const code = systemCode(error);
  if (code === undefined) return null;
  const reason = error.message || code;
  return { reason, passing: !LASTING.test(code), waitMs: null };
}
