import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { CACHE_CONTROL } from './caching.ts';
import { setRateHeaders } from './rate-limiting.ts';

const STYLE =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:38rem;margin:4rem auto;padding:0 1rem;color:#1c2733;background:#fbfaf6}code{color:#55606c}pre{white-space:pre-wrap;overflow-wrap:anywhere}a{color:#14665a}button{font:inherit;padding:.5rem 1.2rem;border:0;border-radius:8px;background:#14665a;color:#fff;cursor:pointer}button:focus-visible,a:focus-visible{outline:2px solid #14665a;outline-offset:2px}@media(prefers-color-scheme:dark){body{color:#e7ecee;background:#10171b}code{color:#a0acb5}a{color:#72cbb9}button{background:#72cbb9;color:#0b211c}button:focus-visible,a:focus-visible{outline-color:#72cbb9}}';

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function plainPage(title: string, body: string): string {
  const shown = escapeHtml(title);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${shown}</title><style>${STYLE}</style><main><h1>${shown}</h1>${body}</main></html>`;
}

/**
 * Headers of a plain page, which may use its single style and nothing else: no scripts, pictures or
 * embedding. Its form, if any, may only be submitted to its own site.
 */
export function plainPageHeaders({ hasForm }: { readonly hasForm: boolean }) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
      "base-uri 'none'",
      `form-action ${hasForm ? "'self'" : "'none'"}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  } as const;
}

/** Policy of responses that are not pages: nothing runs, nothing may frame them. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Two years: https only, once a browser has visited. */
const HTTPS_ONLY = 'max-age=63072000; includeSubDomains';

/**
 * Sets the headers of every response of a site with sessions. A response is private and not a page
 * unless its route overrides that.
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
    // For browsers that predate `frame-ancestors`.
    const policy = String(reply.getHeader('content-security-policy'));
    if (policy.includes("frame-ancestors 'none'")) reply.header('x-frame-options', 'DENY');
  };
}
