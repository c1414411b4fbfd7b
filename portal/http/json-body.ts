import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { withCommas } from '../../shards/number-words.ts';
import { invalidParameters, Problem } from './problem.ts';
import { hasBody } from './slow-clients.ts';
import { issuesOf, validationMessage } from './validation.ts';

/** Error for JSON nested deeper than any request. */
class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep';
}

/**
 * Maximum number of values in a body, which bounds the time to parse and validate it: 2,000 sites
 * and candidates, 20 values each as GeoJSON features with a few properties, and an area of 10,000
 * blocks. Names count as values.
 */
export const MAX_VALUES = 50_000;
const MAX_DEPTH = 32;

/** The number of values in a body, and advice on what to send instead of more. */
interface ValueLimit {
  readonly values: number;
  readonly advice: string;
}

const OF_BODIES: ValueLimit = {
  values: MAX_VALUES,
  advice: 'send shorter lists, fewer vertices, and GeoJSON points without properties but the id',
};

const DECODER = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Refuses a body with too many values, or more than `MAX_DEPTH` levels, before it is parsed. */
function checkSize(bytes: Uint8Array, limit: ValueLimit): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) throw new NestedTooDeep();
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    else if (byte === COMMA || byte === COLON) values++;
    if (values > limit.values) throw tooManyValues(limit);
  }
}

function tooManyValues({ values, advice }: ValueLimit): Problem {
  return new Problem(
    'payload-too-large',
    `the body contains more than ${withCommas(values)} values, names included: ${advice}`,
  );
}

/** Index of the closing quote of a string. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** Accepts JSON bodies as bytes; `parseJson` parses them in their turn. */
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

function faultOf(error: unknown): string {
  if (error instanceof NestedTooDeep) return `is nested more than ${MAX_DEPTH} levels deep`;
  return error instanceof SyntaxError ? 'is not valid JSON' : 'is not valid UTF-8';
}

/** Parses a body strictly: valid UTF-8 and valid JSON only. */
export function parseJson({ body }: FastifyRequest, limit = OF_BODIES): unknown {
  if (body === undefined) {
    throw invalidParameters([{ loc: ['body'], msg: 'is missing', type: 'missing' }]);
  }
  const bytes = body as Buffer;
  try {
    checkSize(bytes, limit);
    return JSON.parse(DECODER.decode(bytes));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw invalidParameters([{ loc: ['body'], msg: faultOf(error), type: 'malformed' }]);
  }
}

/** Whether a body may be absent: all of its members are optional. */
export function isOptionalBody(schema: z.ZodObject): boolean {
  return schema.safeParse({}).success;
}

/** Parses and validates a body; an absent one is `{}` if all members are optional. */
export function parseBody<B extends z.ZodObject>(schema: B, request: FastifyRequest): z.output<B> {
  if (request.body === undefined && isOptionalBody(schema)) return schema.parse({});
  return validBody(schema, parseJson(request));
}

/** Validates a body. All errors are reported in one `invalid-parameters`. */
export function validBody<B extends z.ZodObject>(schema: B, value: unknown): z.output<B> {
  const parsed = schema.safeParse(value, { error: validationMessage });
  if (!parsed.success) throw invalidParameters(issuesOf('body', schema, parsed.error));
  return parsed.data;
}
