import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.ts';
import { isBrowserToken, openBrowserToken } from '../ledger/browser-token.ts';
import type { ProxyServices } from '../services.ts';

const LOOPBACK: ReadonlySet<string> = new Set(localhostAllowedOrigins());

/**
 * Refuses pages of unknown origins on a service at a loopback address, as the protocol requires:
 * any page could call the tools by a name that resolves to the machine (DNS rebinding). Known
 * origins are those of the machine and of the portal, and the one that a browser token is bound to.
 * A public service admits no caller by address alone, so any page may call it with a key.
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
