import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';

/**
 * What a connection may take, as Fastify's options. Its head has to come within ten seconds, the
 * whole request within thirty; one on which nothing moves, in either direction, is closed.
 */
export const CONNECTION_LIMITS = {
  requestTimeout: 30_000,
  connectionTimeout: 30_000,
  keepAliveTimeout: 65_000,
  maxRequestsPerSocket: 0,
  http: {
    headersTimeout: 10_000,
    /** How often Node looks for those that are late: half a minute if it is not told. */
    connectionsCheckingInterval: 1_000,
    // Node would refuse such a request itself, without a problem document: `requireHost` does it.
    requireHostHeader: false,
  },
} as const satisfies Partial<FastifyHttpOptions<Server>>;
