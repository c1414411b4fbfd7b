/** Every slug of the contract with its status and title. The slug is the last segment of `type`. */
export const PROBLEMS = {
  'invalid-parameters': { status: 400, title: 'Some parameters are not valid' },
  'invalid-cursor': { status: 400, title: 'The cursor is not one of this query' },
  'invalid-bbox': { status: 400, title: 'The bounding box is not valid' },
  'missing-location': { status: 400, title: 'A location is needed' },
  'missing-area': { status: 400, title: 'An area is needed' },
  'invalid-geometry': { status: 400, title: 'The geometry is not valid' },
  'polygon-too-complex': { status: 400, title: 'The polygon is too large or too detailed' },
  'missing-origins': { status: 400, title: 'Origins are needed' },
  'too-many-origins': { status: 400, title: 'Too many origins' },
  'missing-key': { status: 401, title: 'An API key is needed' },
  'invalid-key': { status: 401, title: 'The API key is not valid' },
  'account-disabled': { status: 403, title: 'The account is disabled' },
  'block-not-found': { status: 404, title: 'No such census block' },
  'poi-not-found': { status: 404, title: 'No such point of interest' },
  'place-not-found': { status: 404, title: 'No such census place' },
  'point-not-covered': { status: 404, title: 'The point is outside all blocks of the release' },
  'no-isochrone-data': { status: 404, title: 'There is no isochrone' },
  'direction-not-available': { status: 404, title: 'The store lacks this direction' },
  'not-found': { status: 404, title: 'No such route' },
  'method-not-allowed': { status: 405, title: 'The route does not take this method' },
  'idempotency-conflict': {
    status: 409,
    title: 'The Idempotency-Key was used for another request',
  },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is of a type not taken here' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'tokens-exhausted': { status: 429, title: 'Not enough tokens' },
  'internal-error': { status: 500, title: 'Something went wrong here' },
  'debit-unavailable': { status: 503, title: 'Accounts cannot be reached' },
  'store-unavailable': { status: 503, title: 'Data cannot be reached' },
} as const;

export type ProblemSlug = keyof typeof PROBLEMS;

/** One invalid parameter, as `invalid-parameters` lists it. */
export interface ParameterIssue {
  /** Where it is: `query` or `path`, then the name. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An answer that is not the one asked for: thrown anywhere, sent as RFC 9457 by the error handler. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: ProblemSlug;
  /** Members beside the standard ones. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    slug: ProblemSlug,
    detail: string,
    members: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.slug = slug;
    this.members = members;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.slug].status;
  }
}

/** The document of a problem. */
export function problemBody(problemBase: string, problem: Problem): Record<string, unknown> {
  return {
    type: `${problemBase}/${problem.slug}`,
    title: PROBLEMS[problem.slug].title,
    status: problem.status,
    detail: problem.message,
    ...problem.members,
  };
}

export function invalidParameters(errors: readonly ParameterIssue[]): Problem {
  const detail = errors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return new Problem('invalid-parameters', detail, { errors });
}
