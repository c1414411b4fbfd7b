import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onDemand } from '../../shards/concurrency/on-demand.ts';
import type { ProxyConfig } from '../config.ts';
import {
  CACHE_CONTROL,
  type StaticResponse,
  type StaticResponseSender,
  staticResponse,
} from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import { pathOf } from '../http/request-paths.ts';
import type { Texts } from './texts.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#d5e8e4"/><circle cx="16" cy="16" r="10" fill="#6fb3a6"/><circle cx="16" cy="16" r="5" fill="#14554a"/></svg>
`;

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_PATHS = [
  ['/llms.txt', 'llms', 'text/plain; charset=utf-8'],
  ['/openapi-summary.json', 'summary', JSON_TYPE],
  ['/docs/search.json', 'search', JSON_TYPE],
] as const;

export const DOCS_PATHS: readonly string[] = [
  ...['/', '/docs', '/docs/', '/docs.md', '/docs/:file', '/favicon.ico'],
  ...TEXT_PATHS.map(([path]) => path),
];

/** A file of the page whose name changes with its contents. */
interface Asset {
  readonly name: string;
  readonly type: string;
  readonly response: StaticResponse;
}

function asset(file: string, type: string): Asset {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const [base, extension] = file.replace('./', '').split('.');
  const name = `${base}-${hash('sha256', text, 'hex').slice(0, 16)}.${extension}`;
  return { name, type: `${type}; charset=utf-8`, response: staticResponse(text) };
}

/**
 * Serves the documentation at `/docs`, rendered from the current OpenAPI document and the articles
 * of the repository, a page for each below `/docs/`, and redirects there from `/`. Each page is
 * also Markdown, at its path with `.md`; for language models there are `/llms.txt` and a summary of
 * the document. Pages load nothing from other origins. `document` returns the text of
 * `/openapi.json`.
 */
export function serveDocs(
  app: FastifyInstance,
  config: ProxyConfig,
  catalogue: StaticResponseSender,
  document: () => Promise<StaticResponse>,
): void {
  const headers = pageHeaders(config.baseUrl);
  const style = asset('./docs.css', 'text/css');
  const script = asset('./docs.js', 'text/javascript');
  const assets = { style: style.name, script: script.name };
  let rendered: { readonly from: StaticResponse; readonly texts: Texts } | null = null;
  const load = onDemand(() => import('./texts.ts'));
  app.addHook('onListen', async () => void (await load()));
  const texts = async () => {
    const { textsOf } = await load();
    const from = await document();
    // No await between check and assignment, so that simultaneous requests render once.
    if (rendered?.from !== from) {
      rendered = { from, texts: textsOf(JSON.parse(from.bytes.toString()), assets, config) };
    }
    return rendered.texts;
  };
  app.get('/', (_request, reply) => reply.redirect('docs', 302));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 301));
  for (const [path, name, type] of TEXT_PATHS) {
    app.get(path, async (request, reply) => {
      reply.type(type).header('x-content-type-options', 'nosniff');
      return catalogue.send(request, reply, (await texts())[name]);
    });
  }
  const page = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { pages, lost } = await texts();
    const found = pages.get(name);
    if (found === undefined) {
      refusePrograms(request);
      reply.code(404).headers(headers).type(HTML);
      return catalogue.send(request, reply, lost, {
        vary: 'Accept, Accept-Encoding',
        cacheControl: CACHE_CONTROL.never,
      });
    }
    if (name.endsWith('.md')) reply.type(MARKDOWN).header('x-content-type-options', 'nosniff');
    else reply.headers(headers).type(HTML);
    return catalogue.send(request, reply, found);
  };
  app.get('/docs', (request, reply) => page(request, reply, ''));
  app.get('/docs.md', (request, reply) => page(request, reply, '.md'));
  app.get<{ Params: { file: string } }>('/docs/:file', (request, reply) => {
    const { file } = request.params;
    const found = [style, script].find(({ name }) => name === file);
    if (found === undefined) return page(request, reply, file);
    reply.type(found.type).header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, found.response, {
      cacheControl: CACHE_CONTROL.immutable,
    });
  });
  // Links of a page are relative to one below `/docs`.
  app.get('/docs/*', (request, reply) => {
    refusePrograms(request);
    const [, , ...names] = pathOf(request).split('/');
    const name = names.findLast((one) => one !== '') ?? '';
    return reply.redirect(`${'../'.repeat(names.length - 1)}${name}`, 302);
  });
  const icon = staticResponse(ICON);
  app.get('/favicon.ico', (request, reply) => {
    reply.type('image/svg+xml').header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, icon);
  });
}

/** Pages are opened by browsers, which ask for HTML; programs ask for data. */
function refusePrograms({ headers }: FastifyRequest): void {
  if (headers.accept?.includes('text/html')) return;
  throw new Problem('not-found', 'no such page; /docs lists all pages');
}

/**
 * Response headers of the page, whose security policy lets it load its own files and call this
 * service only.
 */
function pageHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self' ${new URL(baseUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
