import { Fault } from '../api/ask.ts';

/** Why signing in did not work, for the person who tries. */
export function plainly(error: unknown): string {
  if (!(error instanceof Fault)) return 'Something went wrong here. Please try again.';
  switch (error.slug) {
    case 'invalid-code':
      return 'That code does not work. Check the six digits in the newest message; after five wrong tries or ten minutes, have another sent.';
    case 'too-many-codes':
    case 'rate-limited':
      return `That was often. Please try again in ${inWords(error.retryAfterSeconds)}.`;
    default:
      return error.message;
  }
}

function inWords(seconds: number): string {
  if (seconds <= 0) return 'a while';
  if (seconds < 100) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
