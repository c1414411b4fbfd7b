import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  type BoundedJson,
  MAX_DEPTH,
  MAX_VALUES,
  NestedTooDeep,
  parseBounded,
} from './bounded-json.ts';
import { issuesOf } from './parse-input.ts';
import { invalidParameters, Problem } from './problem.ts';

/** Takes bodies of JSON, exactly: UTF-8 without a wrong byte, and nothing that is no JSON. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      const coding = request.headers['content-encoding'] ?? 'identity';
      if (coding !== 'identity') return done(notPlainJson());
      try {
        done(null, parseBounded(body));
      } catch (error) {
        done(invalidParameters([{ loc: ['body'], msg: faultOf(error), type: 'malformed' }]));
      }
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

/** Validates a body. All that is wrong is in one `invalid-parameters`. */
export function parseBody<B extends z.ZodObject>(schema: B, request: FastifyRequest): z.output<B> {
  if (request.body === undefined) {
    throw notPlainJson();
  }
  const { value, isWhole } = request.body as BoundedJson;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidParameters(issuesOf('body', schema, parsed.error));
  if (isWhole) return parsed.data;
  throw new Problem(
    'payload-too-large',
    `the body holds more than ${MAX_VALUES} values, which no request needs`,
  );
}
