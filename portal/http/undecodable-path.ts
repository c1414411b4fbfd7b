import type { FastifyRequest } from 'fastify';
import { invalidParameters, type Problem } from './problem.ts';

/** What no client can ask for, and so leads to no route. */
const NOWHERE = '/ ';

/**
 * Fastify's `rewriteUrl`: what the router cannot read, such as a wrong percent-encoding, leads nowhere.
 * Else the framework would answer it before any hook has run, and it would be neither counted nor wait
 * its turn.
 */
export function rewriteUndecodable({ url = '' }: { readonly url?: string }): string {
  return isReadable(url) ? url : NOWHERE;
}

/** What is wrong with the path of a request that leads nowhere, if that is why. */
export function undecodable({ raw, originalUrl }: FastifyRequest): Problem | undefined {
  if (raw.url !== NOWHERE) return undefined;
  const msg = `'${originalUrl}' is not a valid url component`;
  return invalidParameters([{ loc: ['path'], msg, type: 'malformed' }]);
}

/** With scheme and host, as proxies are asked: RFC 9112, section 3.2.2. */
const ABSOLUTE = /^https?:\/\//i;
const AUTHORITY = /^https?:\/\/[^/?#]+/i;

function isReadable(url: string): boolean {
  if (!ABSOLUTE.test(url)) return isDecodable(url);
  const isWhole = AUTHORITY.test(url) && !url.includes('#') && URL.canParse(url);
  return isWhole && isDecodable(url.replace(AUTHORITY, ''));
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURI(path.split(/[?#]/, 1)[0]);
    return true;
  } catch {
    return false;
  }
}
