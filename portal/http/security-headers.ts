import type { FastifyReply } from 'fastify';
import { CACHE_CONTROL } from './cache-control.ts';
import { setRateHeaders } from './rate-headers.ts';

/** Of an answer that is no page: nothing of it may run, nothing may frame it. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Two years: https only, once a browser has been here. */
const HTTPS_ONLY = 'max-age=63072000; includeSubDomains';

/**
 * Sets what every answer of a site with sessions carries. An answer is private and no page unless
 * its route has said otherwise.
 */
export function securityHeaders(site: {
  readonly isHttps: boolean;
}): (reply: FastifyReply) => void {
  return (reply) => {
    setRateHeaders(reply);
    reply.header('x-request-id', reply.request.id).headers(ALWAYS);
    if (site.isHttps) reply.header('strict-transport-security', HTTPS_ONLY);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', CACHE_CONTROL.never);
    if (!reply.hasHeader('content-security-policy')) {
      reply.header('content-security-policy', NOTHING);
    }
  };
}
