import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { isBrowserToken, openBrowserToken } from '../../portal/accounts/browser-token.ts';
import { Problem } from '../../portal/http/problem.ts';
import type { ProxyServices } from '../services.ts';

const LOOPBACK: ReadonlySet<string> = new Set(localhostAllowedOrigins());

/**
 * Refuses foreign pages on a service of one's own machine, as the protocol requires: by a name that
 * resolves to the machine (DNS rebinding) any page could call the tools. Known are pages of the
 * machine and of the portal, and the page that a browser token is bound to. A public service has no
 * caller that its address alone would admit, so there each page may call with its key.
 */
export function requireKnownOrigin(
  { headers }: FastifyRequest,
  key: string,
  services: Pick<ProxyServices, 'config' | 'browserTokenSecrets'>,
): void {
  const { origin } = headers;
  const { baseUrl, accountUrl } = services.config;
  if (origin === undefined || !LOOPBACK.has(new URL(baseUrl).hostname)) return;
  const known = [...LOOPBACK, ...(accountUrl === undefined ? [] : [new URL(accountUrl).hostname])];
  if (validateOriginHeader(origin, known).ok) return;
  const token = isBrowserToken(key)
    ? openBrowserToken(services.browserTokenSecrets, key)
    : undefined;
  if (token?.origin === origin) return;
  throw new Problem('origin-not-allowed', 'the request comes from a page of another origin');
}
