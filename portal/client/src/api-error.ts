import type { Problem, Problems } from './api-types.ts';

/** Tokens that a response cost, and the balance it left. */
export interface Tokens {
  /**
   * Tokens charged for this response: 0 for errors, free routes and members' isochrones, for
   * repeats of a stored response, and if an earlier attempt was charged but its response was lost.
   */
  readonly charged: number;
  /** Null where the service does not report it. */
  readonly remaining: number | null;
}

/** Problem documents by slug, and two failures without one. */
interface ProblemOf extends Problems {
  /** No response to any attempt; `cause` is the last failure, `status` 0. */
  'no-response': null;
  /** A response that did not come from the API, such as a gateway's. */
  'unexpected-response': null;
}

export type Slug = keyof ProblemOf;

interface Failure<S extends Slug> {
  readonly slug: S;
  readonly problem: ProblemOf[S];
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Id of the request in the service's log, for reports; empty if a free route did not respond. */
  readonly requestId: string;
  readonly tokens: Tokens;
  /** Wait that the service requested with `Retry-After`; null without one. */
  readonly retryAfterMs: number | null;
}

/**
 * Any failure but an abort, discriminated by `slug`: in `case 'tokens-exhausted'`, `problem` has
 * `tokens_remaining`. A newer service may send slugs that are not listed.
 */
export type ApiError = { [S in Slug]: Error & Failure<S> }[Slug];

interface ApiErrorClass {
  readonly prototype: ApiError;
  new (message: string, failure: Failure<Slug>, options?: ErrorOptions): ApiError;
}

export const ApiError = class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(message: string, failure: Failure<Slug>, options?: ErrorOptions) {
    super(message, options);
    Object.assign(this, failure);
  }
} as unknown as ApiErrorClass;

/** Returns the error for the body of an unsuccessful response. */
export function errorOf(
  data: unknown,
  response: Pick<Failure<Slug>, 'status' | 'requestId' | 'tokens' | 'retryAfterMs'>,
): ApiError {
  const problem = data as Problem | null;
  if (typeof problem?.type !== 'string' || typeof problem.title !== 'string') {
    const message = `Unexpected response of status ${response.status}`;
    return new ApiError(message, { slug: 'unexpected-response', problem: null, ...response });
  }
  const slug = problem.type.slice(problem.type.lastIndexOf('/') + 1) as keyof Problems;
  return new ApiError(`${slug}: ${problem.detail ?? problem.title}`, {
    slug,
    problem: problem as Problems[keyof Problems],
    ...response,
  });
}
