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
  /** The part, `path`, `query`, `header`, `body` or `request`, then the way to what is wrong in it. */
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

/** The document of a problem as it is sent: never longer than `MAX_PROBLEM_BYTES`. */
export function problemText(problemBase: string, problem: Problem): string {
  const standard = {
    type: `${problemBase}/${problem.slug}`,
    title: PROBLEMS[problem.slug].title,
    status: problem.status,
  };
  const text = JSON.stringify({ ...standard, detail: problem.message, ...problem.members });
  if (Buffer.byteLength(text) <= MAX_PROBLEM_BYTES) return text;
  const detail = shortened(problem.message, MAX_DETAIL);
  const errors = [{ loc: [], msg: detail, type: 'shortened' }];
  const isListed = problem.slug === 'invalid-parameters';
  return JSON.stringify({ ...standard, detail, ...(isListed && { errors }) });
}

/** Something, with its headers, stays below 16 kB. */
const MAX_PROBLEM_BYTES = 14_000;
const MAX_DETAIL = 500;
/** Faults that one answer lists, and those of them that its `detail` tells. */
const MAX_LISTED = 20;
const MAX_TOLD = 3;
const MAX_NAME = 60;
const MAX_MESSAGE = 300;

/** All that is wrong with a request, of which the first faults are listed and the rest counted. */
export function invalidParameters(faults: readonly ParameterIssue[]): Problem {
  const errors = faults.slice(0, MAX_LISTED).map(
    ({ loc, msg, type }): ParameterIssue => ({
      loc: loc.map((step) => (typeof step === 'number' ? step : shortened(step, MAX_NAME))),
      msg: shortened(msg, MAX_MESSAGE),
      type,
    }),
  );
  const told = errors.slice(0, MAX_TOLD).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  if (faults.length > told.length) told.push(`and ${faults.length - told.length} more`);
  const omitted = faults.length - errors.length;
  return new Problem('invalid-parameters', told.join('; '), {
    errors,
    ...(omitted > 0 && { errors_omitted: omitted }),
  });
}

/** Text of a client as it is quoted: whole characters only, and the end of a long one left out. */
export function shortened(text: string, most = MAX_NAME): string {
  const part = text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  return Buffer.from(part).toString();
}
