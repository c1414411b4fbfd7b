import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { issuesOf } from './parse-input.ts';
import { invalidParameters, Problem } from './problem.ts';

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** Takes bodies of JSON, exactly: UTF-8 without a wrong byte, and nothing that is no JSON. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(DECODER.decode(body as Buffer)));
    } catch (error) {
      const msg = error instanceof SyntaxError ? 'is not valid JSON' : 'is not valid UTF-8';
      done(invalidParameters([{ loc: ['body'], msg, type: 'malformed' }]));
    }
  });
}

/** Validates a body. All that is wrong is in one `invalid-parameters`. */
export function parseBody<B extends z.ZodObject>(schema: B, request: FastifyRequest): z.output<B> {
  if (request.body === undefined) {
    throw new Problem('unsupported-media-type', 'send a body with Content-Type: application/json');
  }
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  throw invalidParameters(issuesOf('body', schema, parsed.error));
}
