import type { FastifyRequest } from 'fastify';
import { Problem } from '../../proxy/http/problem.ts';
import type { PortalServices } from '../services.ts';

export function isHttps({ config }: PortalServices): boolean {
  return config.accountUrl.startsWith('https:');
}

/**
 * Rejects cross-site requests. Browsers identify the requesting page by `Sec-Fetch-Site`, or by
 * `Origin`, which is `null` if a page suppresses its referrer, as our page for a mailed link does.
 * Programs send neither.
 */
export function requireOwnSite(request: FastifyRequest, services: PortalServices): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' && (origin === undefined || origin === 'null')) return;
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || (origin !== undefined && !isOwn(origin, request, services))) {
    throw new Problem(
      'invalid-csrf-token',
      `the request does not come from a page of ${services.config.accountUrl}`,
    );
  }
}

/**
 * Whether an origin is the portal's. On http, where there is nothing to lose, the host name of the
 * request is accepted as well.
 */
function isOwn(origin: string, request: FastifyRequest, services: PortalServices): boolean {
  if (origin === services.config.accountUrl) return true;
  return !isHttps(services) && origin === `http://${request.host}`;
}

/** Whether a client prefers a page: programs get the problem document. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

export function isNavigation(request: FastifyRequest): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && wantsPage(request);
}
