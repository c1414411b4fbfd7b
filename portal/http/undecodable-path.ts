import type { FastifyRequest } from 'fastify';
import { invalidParameters, type Problem } from './problem.ts';

/** What no client can ask for, and so leads to no route. */
const NOWHERE = '/ ';

/**
 * Fastify's `rewriteUrl`: a path with a wrong percent-encoding leads nowhere. Else the framework would
 * answer it before any hook has run, and it would be neither counted nor wait its turn.
 */
export function rewriteUndecodable({ url = '' }: { readonly url?: string }): string {
  return isDecodable(url) ? url : NOWHERE;
}

/** What is wrong with the path of a request that leads nowhere, if that is why. */
export function undecodable({ raw, originalUrl }: FastifyRequest): Problem | undefined {
  if (raw.url !== NOWHERE) return undefined;
  const msg = `'${originalUrl}' is not a valid url component`;
  return invalidParameters([{ loc: ['path'], msg, type: 'malformed' }]);
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURI(url.split(/[?#]/, 1)[0]);
    return true;
  } catch {
    return false;
  }
}
