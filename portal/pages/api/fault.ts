import { ApiError } from '../../client/src/index.ts';
import { count, counted } from '../formats.ts';

/** An error response of the portal, with a sentence for the user. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** The last segment of the problem's `type`; `unreachable` if there was no response. */
  readonly slug: string;
  readonly retryAfterSeconds: number;

  constructor(slug: string, message: string, retryAfterSeconds = 0) {
    super(message);
    this.slug = slug;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const NO_RESPONSE = 'No response. Check your connection and try again.';

/** A sentence for the user about a failed request to the portal or the API. */
export function explained(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  switch (error.slug) {
    case 'no-response':
      return NO_RESPONSE;
    case 'missing-key':
    case 'invalid-key':
      return 'The API does not accept this key or session. Check the key, or sign in again.';
    case 'tokens-exhausted':
      return `This costs more than your balance of ${counted(error.problem.tokens_remaining, 'token')}.`;
    case 'rate-limited':
      return `Too many requests. ${waitFor(error.retryAfterMs)}`;
    case 'overloaded':
    case 'debit-unavailable':
    case 'store-unavailable':
      return `The API is busy or being repaired. ${waitFor(error.retryAfterMs)}`;
    default:
      return sentence(error.problem?.detail ?? `The API responded with status ${error.status}.`);
  }
}

/** Makes a sentence of the detail of a problem, which starts in lower case and has no full stop. */
export function sentence(detail: string): string {
  const begun = detail.charAt(0).toUpperCase() + detail.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

function waitFor(ms: number | null): string {
  if (ms === null) return 'Try again in a moment.';
  return `Try again in ${count(Math.max(1, Math.ceil(ms / 1_000)))} s.`;
}
