import { retry, TransientError } from '../../shards/concurrency/retry.ts';
import { systemCode } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';

const MAX_RETRIES = 5;
const LONGEST_WAIT_MS = 60_000;

/**
 * Runs an attempt, and retries it up to five times after a transient failure: a lost connection, an
 * overloaded server. Waits `retryMs`, then twice as long each time, or as long as the server
 * requests; `onRetry` receives a line of text. When retries do not help, throws a `BuildError` that
 * names the URL.
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
    if (!fault.isTransient || tries > MAX_RETRIES) {
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

/**
 * Parses either form of `Retry-After`, seconds or a date (RFC 9110, 10.2.3), into milliseconds;
 * null if the header is missing or invalid.
 */
export function retryAfterMs(value: string | undefined, now = Date.now()): number | null {
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * Codes of errors that retries do not help against: a name that does not exist, an untrusted
 * certificate, a server that does not speak HTTP, or an invalid request.
 */
const LASTING =
  /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS|ERR_SSL|ERR_INVALID_|HPE_INVALID_(?!EOF)|HPE_HEADER_OVERFLOW|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|HEADERS_OVERFLOW)|.*_CERT|.*_SIGNATURE$)/;

/** Returns the facts about a network error; null if the error is not one. */
function faultOf(error: unknown) {
  if (error instanceof TransientError) {
    return { reason: error.message, isTransient: true, waitMs: error.waitMs };
  }
  if (error instanceof BuildError || !(error instanceof Error)) return null;
  // Sockets and undici give their errors a code; a bug in this program has none.
  const code = systemCode(error);
  if (code === undefined) return null;
  const reason = error.message || code;
  return { reason, isTransient: !LASTING.test(code), waitMs: null };
}
