import type { ApiError } from '../../portal/client/src/index.ts';
import { counted } from '../../shards/number-words.ts';

/** A call that needs a correction or a choice by the caller; nothing is charged. */
export class NeedsChoice extends Error {
  override readonly name = 'NeedsChoice';
  /** Values to choose from, as text. */
  readonly options: readonly string[];

  constructor(message: string, options: readonly string[] = []) {
    super(options.length === 0 ? message : `${message} Choose one: ${options.join('; ')}.`);
    this.options = options;
  }
}

export interface AdvisedSite {
  /** Where people create keys and buy tokens; null if the service names no portal. */
  readonly accountUrl: string | null;
  /** How a client presents a key: `send it as …`. */
  readonly keyAdvice: string;
}

/**
 * Explains a failure and the next step in a sentence or two. `charged`: tokens charged for earlier
 * requests of the call.
 */
export function adviceOn(
  error: ApiError | NeedsChoice,
  { accountUrl, keyAdvice }: AdvisedSite,
  charged: number,
): string {
  if (error instanceof NeedsChoice) return error.message;
  const paid =
    charged === 0
      ? 'Nothing was charged.'
      : `${counted(charged, 'token was', 'tokens were')} charged before.`;
  const portal = accountUrl ?? 'the portal';
  switch (error.slug) {
    case 'missing-key':
    case 'invalid-key':
      return `The API key is missing or invalid. Create one at ${portal} and ${keyAdvice}.`;
    case 'tokens-exhausted':
      return `The balance does not cover this call. ${paid} Narrow it (fewer types, modes or blocks) or buy tokens at ${portal}.`;
    case 'rate-limited':
    case 'overloaded':
      return `The service is limiting requests. Retry in ${Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)} s.`;
    default: {
      const said = error.problem?.detail ?? error.message;
      // An assistant sends arguments, not the body, which the tool builds.
      const detail = said
        .replaceAll(/(^|; )body\./g, '$1')
        // Capitalizes a sentence, but not a fault, which begins with the name of its argument.
        .replace(/^[a-z]+(?=[ ,])/, (word) => word[0].toUpperCase() + word.slice(1))
        .replace(/[^.?]$/, '$&.');
      // A failure of the service states what became of the charge for its own request.
      const isStated = error.status >= 500 && charged === 0;
      return isStated ? detail : `${detail} ${paid}`;
    }
  }
}

/** Quotes a caller's text in a message: short, and without quotes or control characters. */
export function quoted(text: string): string {
  return `"${text.slice(0, 60).replaceAll(/[\p{C}"]/gu, ' ')}"`;
}
