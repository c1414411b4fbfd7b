import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { hasBody } from './body-arrival.ts';
import {
  type BoundedJson,
  MAX_DEPTH,
  MAX_VALUES,
  NestedTooDeep,
  parseBounded,
} from './bounded-json.ts';
import { faultInWords } from './fault-words.ts';
import { issuesOf } from './parse-input.ts';
import { invalidParameters, Problem } from './problem.ts';

/** Takes bodies of JSON. They stay bytes until somebody has the time to parse them: `parseJson`. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Many clients write a type where they send nothing: of no body it says nothing.
  app.addHook('preParsing', (request, _reply, body, done) => {
    if (!hasBody(request.raw)) delete request.headers['content-type'];
    done(null, body);
  });
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      // In chunks, of which there was none.
      if (body.length === 0) return done(null, undefined);
      const coding = request.headers['content-encoding'] ?? 'identity';
      done(coding === 'identity' ? null : notPlainJson(), body);
    },
  );
}

/** A body of another kind, or packed. */
export function notPlainJson(): Problem {
  return new Problem(
    'unsupported-media-type',
    'send a body with Content-Type: application/json, and without Content-Encoding',
  );
}

function faultOf(error: unknown): string {
  if (error instanceof NestedTooDeep) return `is nested over ${MAX_DEPTH} levels deep`;
  return error instanceof SyntaxError ? 'is not valid JSON' : 'is not valid UTF-8';
}

/** The value of a body, exactly: UTF-8 without a wrong byte, and nothing that is no JSON. */
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

/** Parses and validates a body. */
export function parseBody<B extends z.ZodObject>(schema: B, request: FastifyRequest): z.output<B> {
  return validBody(schema, parseJson(request));
}

/** Validates a body. All that is wrong is in one `invalid-parameters`. */
export function validBody<B extends z.ZodObject>(
  schema: B,
  { value, isWhole }: BoundedJson,
): z.output<B> {
  const wanted = isWhole ? schema : beginningOf(schema);
  const parsed = wanted.safeParse(value, { error: faultInWords });
  if (!parsed.success) throw invalidParameters(issuesOf('body', schema, parsed.error));
  if (isWhole) return parsed.data as z.output<B>;
  throw new Problem(
    'payload-too-large',
    `the body holds more than ${MAX_VALUES} values, which no request needs`,
  );
}

/** Made once: a schema is compiled when it first parses, which takes milliseconds. */
const beginnings = new WeakMap<z.ZodObject, z.ZodObject>();

/** What a beginning of such a body must be: what it lacks may stand in the rest. */
function beginningOf(schema: z.ZodObject): z.ZodObject {
  const made = beginnings.get(schema) ?? schema.partial();
  beginnings.set(schema, made);
  return made;
}
