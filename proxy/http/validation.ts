import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { counted } from '../../shards/number-words.ts';
import { invalidParameters, type ParameterIssue } from './problem.ts';
import { MAX_COUNTED_FAULTS } from './request-limits.ts';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/**
 * Message for an invalid value if its schema has none, addressed to the sender; Zod's own messages
 * address programmers. The message follows the name of the value: `email: must be text`.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const fault = `must be ${KINDS[issue.expected] ?? issue.expected}`;
      return issue.input === undefined ? missing(fault) : fault;
    }
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`;
    default:
      return undefined;
  }
}

/**
 * Message for an invalid path or query value, which is text, or the texts of a repeated parameter.
 */
function textValidationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return validationMessage(issue);
  return issue.input === undefined ? 'is missing' : 'must be given once';
}

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  if (origin !== 'string' && origin !== 'array') return `be ${bound} ${size}`;
  const noun = origin === 'string' ? 'character' : 'item';
  return `have ${bound} ${counted(Number(size), noun)}`;
}

export type ParameterNames = ReadonlySet<string>;
const NO_NAMES: ParameterNames = new Set();

/** Validates path and query. All errors are reported in one `invalid-parameters`. */
export function parseInput<P extends z.ZodObject, Q extends z.ZodObject>(
  schemas: { readonly params: P; readonly query: Q },
  request: Pick<FastifyRequest, 'params' | 'query'>,
  elsewhere?: ParameterNames,
): { params: z.output<P>; query: z.output<Q> } {
  const params = schemas.params.safeParse(request.params, { error: textValidationMessage });
  const query = schemas.query.safeParse(request.query, { error: textValidationMessage });
  if (params.success && query.success) return { params: params.data, query: query.data };
  throw invalidParameters([
    ...issuesOf('path', schemas.params, params.error, elsewhere),
    ...issuesOf('query', schemas.query, query.error, elsewhere),
  ]);
}

/**
 * Returns an object without those members that are null and optional in its schema: typed
 * serializers write null for an absent member. Any other value is returned unchanged.
 */
export function withoutNulls(shape: z.core.$ZodShape, value: unknown): unknown {
  return withoutNullsOf(
    (name) => Object.hasOwn(shape, name) && shape[name]._zod.optin !== undefined,
    value,
  );
}

/** Returns an object without the nulls of some members; any other value unchanged. */
export function withoutNullsOf(isOptional: (name: string) => boolean, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  const isAbsent = ([name, member]: [string, unknown]) => member === null && isOptional(name);
  if (!members.some(isAbsent)) return value;
  return Object.fromEntries(members.filter((member) => !isAbsent(member)));
}

/**
 * Issues of a part of a request, as listed by `invalid-parameters`. For an unknown member of a
 * nested object, the message lists the members of that object; for one of the outermost object,
 * those of the route, and it says whether another route has the parameter (`elsewhere`).
 */
export function issuesOf(
  part: string,
  schema: z.ZodObject,
  error: z.ZodError | undefined,
  elsewhere: ParameterNames = NO_NAMES,
  others?: ReadonlyMap<string, string>,
): ParameterIssue[] {
  return (error?.issues ?? []).flatMap((issue): ParameterIssue[] => {
    const loc = [
      part,
      ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    ];
    if (issue.code !== 'unrecognized_keys')
      return [{ loc, msg: issue.message, type: typeOf(issue) }];
    return issue.keys.slice(0, MAX_COUNTED_FAULTS).map((key) => {
      const isOutermost = issue.path.length === 0;
      const unknown = () => others?.get(key) ?? unknownName(key, schema, elsewhere);
      const msg = isOutermost ? unknown() : issue.message;
      return { loc: [...loc, key], msg, type: issue.code };
    });
  });
}

/** How some clients write the name of a multi-valued parameter: `mode[]`, `mode[0]`. */
const BRACKETS = /\[\d*\]$/;

function unknownName(key: string, { shape }: z.ZodObject, elsewhere: ParameterNames): string {
  const plain = key.replace(BRACKETS, '');
  if (plain !== key && Object.hasOwn(shape, plain)) {
    return `unknown parameter; for several values, repeat ${plain} without brackets`;
  }
  const accepted = acceptsParameters(Object.keys(shape));
  return elsewhere.has(key)
    ? `does not apply to this route, which ${accepted}`
    : `unknown parameter; this route ${accepted}`;
}

/** The type of an issue; our own rules name theirs. */
function typeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' ? String(issue.params?.type ?? issue.code) : issue.code;
}

/** Derives the message for an absent value from that for a wrong one. */
export function missing(fault: string): string {
  return `is missing: it ${fault}`;
}

export function acceptsParameters(names: readonly string[]): string {
  return names.length > 0 ? `accepts ${names.join(', ')}` : 'accepts none';
}
