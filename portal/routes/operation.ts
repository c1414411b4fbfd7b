import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../proxy/http/json-body.ts';
import type { Operation } from '../../proxy/http/openapi.ts';
import { parseInput } from '../../proxy/http/validation.ts';

/**
 * Declares a route for programs: its schemas validate requests and generate the OpenAPI document.
 */
export interface PortalOperation extends Omit<Operation, 'problems'> {
  readonly problems?: Operation['problems'];
  readonly tag: 'Sign-in' | 'Account' | 'Keys' | 'Payment' | 'Service';
  /** `session`: requires a session. `change`: requires the session's CSRF token too. */
  readonly access: 'open' | 'session' | 'change';
  /** Strict, like all schemas: an unknown parameter is rejected by name. Absent: accepts none. */
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly bodyExample?: unknown;
  /** Whether something else, such as the address, may replace a body with required members. */
  readonly isBodyOptional?: true;
  /** Media type of the body in addition to `application/json`. */
  readonly bodyType?: string;
  readonly headers?: z.ZodObject;
  /** Unknown parameters are ignored, because third parties modify the links or send the events. */
  readonly isLenient?: true;
  readonly response: {
    /** 200 by default. */
    readonly status?: 201 | 202 | 204 | 303;
    readonly description: string;
    /** Absent if there is no body. */
    readonly schema?: z.ZodType;
    readonly example?: unknown;
    readonly mediaType?: string;
    readonly setsCookie?: true;
  };
  /** Description of the redirect (303) that a browser gets instead. */
  readonly redirect?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: PortalOperation;
  }
}

const NOTHING = z.strictObject({});
const ANY_PATH = z.looseObject({});

/**
 * Rejects query parameters that a route's operation does not accept, and a body if it takes none.
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

export interface ServedOperation extends PortalOperation {
  readonly method: 'get' | 'post' | 'delete';
  /** In OpenAPI syntax: `/keys/{id}`. */
  readonly path: string;
  /** Whether requests count towards the rate of their address. */
  readonly isCounted: boolean;
}

/** The operations of an application, collected as routes are registered. */
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
