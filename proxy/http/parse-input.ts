import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { invalidParameters, type ParameterIssue } from './problem.ts';

/** Validates path and query. All that is wrong is in one `invalid-parameters`. */
export function parseInput<P extends z.ZodObject, Q extends z.ZodObject>(
  schemas: { readonly params: P; readonly query: Q },
  request: FastifyRequest,
): { params: z.output<P>; query: z.output<Q> } {
  const params = schemas.params.safeParse(request.params);
  const query = schemas.query.safeParse(request.query);
  if (params.success && query.success) return { params: params.data, query: query.data };
  throw invalidParameters([
    ...issuesOf('path', schemas.params, params.error),
    ...issuesOf('query', schemas.query, query.error),
  ]);
}

/** What is wrong with a part of a request, as `invalid-parameters` lists it. */
export function issuesOf(
  part: string,
  schema: z.ZodObject,
  error: z.ZodError | undefined,
): ParameterIssue[] {
  return (error?.issues ?? []).flatMap((issue): ParameterIssue[] => {
    if (issue.code === 'unrecognized_keys') {
      const allowed = Object.keys(schema.shape);
      const hint = allowed.length > 0 ? `takes ${allowed.join(', ')}` : 'takes none';
      return issue.keys.map((key) => ({
        loc: [part, ...issue.path.map(String), key],
        msg: `unknown parameter; this route ${hint}`,
        type: issue.code,
      }));
    }
    const loc = [
      part,
      ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    ];
    return [{ loc, msg: issue.message, type: issue.code }];
  });
}
