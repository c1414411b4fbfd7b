import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { invalidParameters, Problem } from './problem.ts';
import { hasBody } from './slow-clients.ts';
import { issuesOf, validationMessage } from './validation.ts';

/** The value parsed from a JSON text, or from its beginning. */
export interface BoundedJson {
  readonly value: unknown;
  readonly isWhole: boolean;
}

/** Error for JSON nested deeper than any request. */
class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep';
}

/**
 * More values than the largest accepted body has: 2,000 sites and candidates, 7 values each, an
 * area of 10,000 blocks, and a thousand more. Bounds parsing time.
 */
const MAX_VALUES = 25_000;
const MAX_DEPTH = 32;

const DECODER = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON up to `MAX_VALUES`; the rest is dropped, as if the text ended there with all brackets
 * closed. A body that long is invalid by its beginning alone. Throws a `SyntaxError` for invalid
 * JSON, a `TypeError` for invalid UTF-8.
 */
function parseBounded(bytes: Uint8Array): BoundedJson {
  const { end, closers } = extent(bytes);
  const text = DECODER.decode(bytes.subarray(0, end));
  return { value: JSON.parse(text + closers), isWhole: end === bytes.length };
}

/** Where to stop, always before a comma, and the closers for all brackets open there. */
function extent(bytes: Uint8Array): { end: number; closers: string } {
  const open: number[] = [];
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      // In ASCII, each closing bracket is two after its opening one.
      if (open.push(byte + 2) > MAX_DEPTH) throw new NestedTooDeep();
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COLON) values++;
    else if (byte === COMMA && ++values > MAX_VALUES) {
      return { end: i, closers: String.fromCharCode(...open.reverse()) };
    }
  }
  return { end: bytes.length, closers: '' };
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
export function parseJson({ body }: FastifyRequest): BoundedJson {
  if (body === undefined) {
    throw invalidParameters([{ loc: ['body'], msg: 'is missing', type: 'missing' }]);
  }
  try {
    return parseBounded(body as Buffer);
  } catch (error) {
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
export function validBody<B extends z.ZodObject>(
  schema: B,
  { value, isWhole }: BoundedJson,
): z.output<B> {
  const wanted = isWhole ? schema : beginningOf(schema);
  const parsed = wanted.safeParse(value, { error: validationMessage });
  if (!parsed.success) throw invalidParameters(issuesOf('body', schema, parsed.error));
  if (isWhole) return parsed.data as z.output<B>;
  throw new Problem(
    'payload-too-large',
    `the body contains more than ${MAX_VALUES} values, which no request needs`,
  );
}

/** Cached: a schema is compiled on its first parse, which takes milliseconds. */
const beginnings = new WeakMap<z.ZodObject, z.ZodObject>();

/** Schema of a truncated body: missing members may be in the rest. */
function beginningOf(schema: z.ZodObject): z.ZodObject {
  const made = beginnings.get(schema) ?? schema.partial();
  beginnings.set(schema, made);
  return made;
}
