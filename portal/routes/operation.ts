import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../http/json-body.ts';
import type { ProblemSlug } from '../http/problem-types.ts';
import { parseInput } from '../http/validation.ts';

/**
 * Declares a route for programs: its schemas validate requests and generate the OpenAPI document.
 */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: 'Sign-in' | 'Account' | 'Keys' | 'Payment' | 'Service';
  /** `session`: signed-in users. `change`: with the session's CSRF token too. */
  readonly access: 'open' | 'session' | 'change';
  /** Strict, as all are: a parameter that is not there is refused by name. Absent: it takes none. */
  readonly query?: z.ZodObject;
  /** Schema of the path's parameters. */
  readonly params?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly bodyExample?: unknown;
  /** Beside `application/json`. */
  readonly bodyType?: string;
  /** Headers that it asks for. */
  readonly headers?: z.ZodObject;
  /** Unknown parameters are ignored: others add to links, and send the events. */
  readonly isLenient?: true;
  readonly response: {
    readonly status: 200 | 201 | 202 | 204 | 303;
    readonly description: string;
    /** Absent where there is no body. */
    readonly schema?: z.ZodType;
    readonly example?: unknown;
    /** Instead of `application/json`. */
    readonly mediaType?: string;
    /** Whether it begins or ends a session. */
    readonly setsCookie?: true;
  };
  /** Where a person in a browser is led instead, or as the answer itself: a 303. */
  readonly redirect?: string;
  /** Problems in addition to those of every route with the same access. */
  readonly problems: readonly ProblemSlug[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

const NOTHING = z.strictObject({});
const ANY_PATH = z.looseObject({});

/**
 * Refuses what a route does not take, as its operation says: in its query, and in a body if it
 * takes none.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { operation } = request.routeOptions.config;
    if (operation && !operation.isLenient) {
      const schemas = { params: ANY_PATH, query: operation.query ?? NOTHING };
      request.query = parseInput(schemas, request).query;
      if (!operation.body && request.body !== undefined) parseBody(NOTHING, request);
    }
    done();
  });
}

/** An operation with the path and the method that it is served by. */
export interface ServedOperation extends Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it: `/keys/{id}`. */
  readonly path: string;
  /** Whether requests count towards the rate of their address. */
  readonly isCounted: boolean;
}

/** The operations of an application, as their routes come. */
export function servedOperations(app: FastifyInstance): readonly ServedOperation[] {
  const served: ServedOperation[] = [];
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.operation || method === 'HEAD') return;
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    served.push({
      ...config.operation,
      path,
      isCounted: !config.signed && !config.probe,
      method: String(method).toLowerCase() as ServedOperation['method'],
    });
  });
  return served;
}
