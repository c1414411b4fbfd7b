import type { FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.ts';
import type { PortalServices } from '../services.ts';

/** Whether people reach the portal by https. */
export function isHttps({ config }: PortalServices): boolean {
  return config.accountUrl.startsWith('https:');
}

/**
 * Refuses what a page of another site sends. Browsers say which page asks: `Sec-Fetch-Site`, or
 * `Origin`, which is `null` where a page keeps its own address to itself, as ours with a link do.
 * Programs say neither.
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

/** On http, where there is nothing to lose, also the name that the portal was called by. */
function isOwn(origin: string, request: FastifyRequest, services: PortalServices): boolean {
  if (origin === services.config.accountUrl) return true;
  return !isHttps(services) && origin === `http://${request.host}`;
}
