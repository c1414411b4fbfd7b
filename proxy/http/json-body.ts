import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  endOfString,
  IS_PUNCTUATION,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../../shards/codec/json-steps.ts';
import { systemCode } from '../../shards/error-facts.ts';
import { withCommas } from '../../shards/number-words.ts';
import { invalidParameter, invalidParameters, Problem, truncate } from './problem.ts';
import type { ProblemSlug } from './problem-types.ts';
import { hasBody } from './slow-clients.ts';
import { issuesOf, type ParameterNames, validationMessage, withoutNulls } from './validation.ts';

class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep';
}

/**
 * Maximum number of values in a body, which bounds the time to parse and validate it. It allows for
 * 2,000 sites and candidates, 20 values each as GeoJSON features with a few properties, and an area
 * of 10,000 blocks. Names count as values.
 */
export const MAX_VALUES = 50_000;
const MAX_DEPTH = 32;
const MAX_NAMED = 5;

interface ValueLimit {
  readonly values: number;
  readonly advice: string;
}

const OF_BODIES: ValueLimit = {
  values: MAX_VALUES,
  advice: 'send shorter lists, fewer vertices, and GeoJSON points without properties but the id',
};

const DECODER = new TextDecoder('utf-8', { fatal: true });

/**
 * The end of the read part of a text, always before a comma, and the closers of all brackets open
 * there.
 */
interface Extent {
  readonly end: number;
  readonly closers: string;
}

/**
 * Returns the extent of the beginning of a text that has at most `maxValues` values; throws
 * `NestedTooDeep`.
 */
function extentOf(bytes: Uint8Array, maxValues: number): Extent {
  const open: number[] = [];
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (IS_PUNCTUATION[byte] === 0) continue;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      // In ASCII, each closing bracket is two after its opening one.
      if (open.push(byte + 2) > MAX_DEPTH) throw new NestedTooDeep();
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COLON) values++;
    else if (++values > maxValues) {
      return { end: i, closers: String.fromCharCode(...open.reverse()) };
    }
  }
  return { end: bytes.length, closers: '' };
}

const COUNT_PROBLEMS: ReadonlySet<string> = new Set<ProblemSlug>([
  'too-many-origins',
  'polygon-too-complex',
]);

/**
 * Returns the problem of a list that is too long already in the beginning of a body. Other faults
 * of a beginning may be due to the missing rest.
 */
function countProblem(schema: z.ZodObject, beginning: unknown): Problem | undefined {
  try {
    const { error } = parseMembers(schema, beginning);
    const tooLong = issuesOf('body', schema, error).filter(({ type }) => type === 'too_big');
    return tooLong.length > 0 ? invalidParameters(tooLong) : undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return COUNT_PROBLEMS.has(error.slug) ? error : undefined;
  }
}

function tooManyValues({ values, advice }: ValueLimit): Problem {
  return new Problem(
    'payload-too-large',
    `the body contains more than ${withCommas(values)} values, names included: ${advice}`,
  );
}

/** Accepts JSON bodies as bytes, which routes parse later by `parseJson`. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Many clients send a content type without a body; it is ignored then.
  app.addHook('preParsing', (request, _reply, body, done) => {
    if (!hasBody(request.raw)) delete request.headers['content-type'];
    done(null, body);
  });
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      // A chunked body without chunks.
      if (body.length === 0) return done(null, undefined);
      const coding = request.headers['content-encoding'] ?? 'identity';
      done(coding === 'identity' ? null : notPlainJson(), body);
    },
  );
}

/** The problem for a body of another type, or a compressed one. */
export function notPlainJson(): Problem {
  return new Problem(
    'unsupported-media-type',
    'send a body with Content-Type: application/json, and without Content-Encoding',
  );
}

/** Describes the fault of a body by the error that it caused; null for an error of the program. */
function faultOf(error: unknown): string | null {
  if (error instanceof NestedTooDeep) return `is nested more than ${MAX_DEPTH} levels deep`;
  if (error instanceof SyntaxError) return 'is not valid JSON';
  return systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not valid UTF-8' : null;
}

/**
 * Parses a body strictly: valid UTF-8 and valid JSON only. A body with too many values is refused
 * for a list that exceeds its limit in the schema, or else as `payload-too-large`.
 */
export function parseJson(
  { body }: { readonly body?: unknown },
  { limit = OF_BODIES, schema }: { limit?: ValueLimit; schema?: z.ZodObject } = {},
): unknown {
  if (body === undefined) {
    throw invalidParameter(['body'], 'is missing', 'missing');
  }
  const bytes = body as Buffer;
  let value: unknown;
  let extent: Extent;
  try {
    extent = extentOf(bytes, limit.values);
    value = JSON.parse(DECODER.decode(bytes.subarray(0, extent.end)) + extent.closers);
  } catch (error) {
    const msg = faultOf(error);
    throw msg === null ? error : invalidParameter(['body'], msg, 'malformed');
  }
  if (extent.end === bytes.length) return value;
  throw (schema && countProblem(schema, value)) ?? tooManyValues(limit);
}

export function isOptionalBody(schema: z.ZodObject): boolean {
  return schema.safeParse({}).success;
}

/** Parses and validates a body; an absent one is `{}` if all members are optional. */
export function parseBody<B extends z.ZodObject>(schema: B, request: FastifyRequest): z.output<B> {
  if (request.body === undefined && isOptionalBody(schema)) return schema.parse({});
  return validBody(schema, parseJson(request, { schema }));
}

function parseMembers<B extends z.ZodObject>(schema: B, value: unknown) {
  return schema.safeParse(withoutNulls(schema.shape, value), { error: validationMessage });
}

function parsedOrNamed<B extends z.ZodObject>(schema: B, value: unknown) {
  try {
    return parseMembers(schema, value);
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'missing-origins') throw error;
    const unknown = Object.keys(value as object)
      .filter((name) => !Object.hasOwn(schema.shape, name))
      .slice(0, MAX_NAMED)
      .map((name) => truncate(name));
    if (unknown.length === 0) throw error;
    const noun = unknown.length === 1 ? 'member' : 'members';
    throw new Problem(error.slug, `${error.message}; unknown ${noun} ${unknown.join(', ')}`);
  }
}

/**
 * Validates a body. All errors are reported in one `invalid-parameters`; a problem of its own names
 * the unknown members, which may be misspelt, too. `others`: members of another body of the route,
 * and why they are refused.
 */
export function validBody<B extends z.ZodObject>(
  schema: B,
  value: unknown,
  elsewhere?: ParameterNames,
  others?: ReadonlyMap<string, string>,
): z.output<B> {
  const parsed = parsedOrNamed(schema, value);
  if (!parsed.success) {
    throw invalidParameters(issuesOf('body', schema, parsed.error, elsewhere, others));
  }
  return parsed.data;
}
