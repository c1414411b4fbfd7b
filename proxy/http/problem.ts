import { PROBLEM_TYPES, type ProblemSlug } from './problem-types.ts';
import { MAX_COUNTED_FAULTS } from './request-limits.ts';

export interface ParameterIssue {
  /**
   * The part of the request (`path`, `query`, `header`, `body` or `request`), then the path to the
   * error within it.
   */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An error response: thrown anywhere, sent as RFC 9457 by the error handler. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: ProblemSlug;
  /** Extension members. */
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
    return PROBLEM_TYPES[this.slug].status;
  }
}

export interface ProblemStyle {
  /** Base of `type`: each slug has a page there. */
  readonly base: string;
  readonly members?: (problem: Problem) => Readonly<Record<string, unknown>>;
}

/** Serializes a problem in at most `MAX_PROBLEM_BYTES`. */
export function problemText(style: ProblemStyle, problem: Problem): string {
  const text = JSON.stringify({ ...standardMembers(style, problem), ...problem.members });
  if (Buffer.byteLength(text) <= MAX_PROBLEM_BYTES) return text;
  const short = new Problem(problem.slug, truncate(problem.message, MAX_DETAIL));
  const errors = [{ loc: [], msg: short.message, type: 'shortened' }];
  const isListed = problem.slug === 'invalid-parameters';
  return JSON.stringify({ ...standardMembers(style, short), ...(isListed && { errors }) });
}

function standardMembers({ base, members }: ProblemStyle, problem: Problem) {
  const { slug, status, message } = problem;
  const { title } = PROBLEM_TYPES[slug];
  return { type: `${base}/${slug}`, title, status, detail: message, ...members?.(problem) };
}

/** Maximum size of a problem document; with headers, a response stays below 16 kB. */
const MAX_PROBLEM_BYTES = 14_000;
const MAX_DETAIL = 500;
/** Maximum numbers of errors listed in a response and in its `detail`. */
const MAX_LISTED = 20;
const MAX_REPORTED = 3;
const MAX_NAME = 60;
const MAX_MESSAGE = 600;

/** A problem with all errors of a request: the first ones are listed, the rest are counted. */
export function invalidParameters(faults: readonly ParameterIssue[]): Problem {
  const errors = faults.slice(0, MAX_LISTED).map(
    ({ loc, msg, type }): ParameterIssue => ({
      loc: loc.map((step) => (typeof step === 'number' ? step : truncate(step, MAX_NAME))),
      msg: truncate(msg, MAX_MESSAGE),
      type,
    }),
  );
  const lines = errors.slice(0, MAX_REPORTED).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  const unsaid = faults.length - lines.length;
  // If the count has reached its maximum, there may be more.
  const isCounted = faults.length < MAX_COUNTED_FAULTS;
  if (unsaid > 0) lines.push(`and ${unsaid} ${isCounted ? '' : 'or '}more`);
  const omitted = faults.length - errors.length;
  return new Problem('invalid-parameters', lines.join('; '), {
    errors,
    ...(omitted > 0 && { errors_omitted: omitted }),
  });
}

export function invalidParameter(loc: ParameterIssue['loc'], msg: string, type: string): Problem {
  return invalidParameters([{ loc, msg, type }]);
}

export function invalidMember(member: string, msg: string, type: string): Problem {
  return invalidParameter(['body', member], msg, type);
}

/** Truncates a client's text for quoting, at a character boundary. */
export function truncate(text: string, most = MAX_NAME): string {
  const part = text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  return Buffer.from(part).toString();
}
