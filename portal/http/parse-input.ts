import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { textFaultInWords } from './fault-words.ts';
import { invalidParameters, type ParameterIssue } from './problem.ts';

/** Validates path and query. All that is wrong is in one `invalid-parameters`. */
export function parseInput<P extends z.ZodObject, Q extends z.ZodObject>(
  schemas: { readonly params: P; readonly query: Q },
  request: FastifyRequest,
): { params: z.output<P>; query: z.output<Q> } {
  const params = schemas.params.safeParse(request.params, { error: textFaultInWords });
  const query = schemas.query.safeParse(request.query, { error: textFaultInWords });
  if (params.success && query.success) return { params: params.data, query: query.data };
  throw invalidParameters([
    ...issuesOf('path', schemas.params, params.error),
    ...issuesOf('query', schemas.query, query.error),
  ]);
}

/**
 * What is wrong with a part of a request, as `invalid-parameters` lists it. An object within a body
 * says itself what members it takes; the outermost takes those of the route.
 */
export function issuesOf(
  part: string,
  schema: z.ZodObject,
  error: z.ZodError | undefined,
): ParameterIssue[] {
  return (error?.issues ?? []).flatMap((issue): ParameterIssue[] => {
    const loc = [
      part,
      ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    ];
    if (issue.code !== 'unrecognized_keys')
      return [{ loc, msg: issue.message, type: typeOf(issue) }];
    return issue.keys.map((key) => {
      const msg = issue.path.length === 0 ? unknownName(key, schema) : issue.message;
      return { loc: [...loc, key], msg, type: issue.code };
    });
  });
}

/** How some clients write the name of a parameter that has several values: `mode[]`, `mode[0]`. */
const BRACKETS = /\[\d*\]$/;

function unknownName(key: string, { shape }: z.ZodObject): string {
  const plain = key.replace(BRACKETS, '');
  if (plain !== key && Object.hasOwn(shape, plain)) {
    return `unknown parameter; for several values, repeat ${plain} without brackets`;
  }
  return `unknown parameter; this route ${takes(Object.keys(shape))}`;
}

/** The kind of a fault, which our own rules name themselves. */
function typeOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' ? String(issue.params?.type ?? issue.code) : issue.code;
}

/** The names that are taken somewhere, in words. */
export function takes(names: readonly string[]): string {
  return names.length > 0 ? `takes ${names.join(', ')}` : 'takes none';
}
