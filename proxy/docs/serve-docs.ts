import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { onDemand } from '../../shards/concurrency/on-demand.ts';
import type { ProxyConfig } from '../config.ts';
import {
  CACHE_CONTROL,
  type StaticResponse,
  type StaticResponseSender,
  staticResponse,
} from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import { ICON } from './icon.ts';
import { pageHeaders } from './page-headers.ts';
import type { Texts } from './texts.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const TEXT_PATHS = [
  ['/docs.md', 'reference', MARKDOWN],
  ['/llms.txt', 'llms', 'text/plain; charset=utf-8'],
  ['/openapi-summary.json', 'summary', 'application/json; charset=utf-8'],
] as const;

/** The paths served by `serveDocs`. */
export const DOCS_PATHS: readonly string[] = [
  ...['/', '/docs', '/docs/', '/docs/:file', '/favicon.ico'],
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
 * Serves the API reference at `/docs`, rendered from the current OpenAPI document, and redirects
 * there from `/`. Also serves the reference as Markdown, at `/docs.md` and per operation below
 * `/docs/`, and for language models `/llms.txt` and a summary of the document. The page loads
 * nothing from other origins. `document` returns the text of `/openapi.json`.
 */
export function serveDocs(
  app: FastifyInstance,
  config: ProxyConfig,
  catalogue: StaticResponseSender,
  document: () => Promise<StaticResponse>,
): void {
  const headers = pageHeaders(config.baseUrl);
  const style = asset('./reference.css', 'text/css');
  const script = asset('./reference.js', 'text/javascript');
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
  app.get('/docs', async (request, reply) => {
    reply.headers(headers).type('text/html; charset=utf-8');
    return catalogue.send(request, reply, (await texts()).page);
  });
  for (const [path, name, type] of TEXT_PATHS) {
    app.get(path, async (request, reply) => {
      reply.type(type).header('x-content-type-options', 'nosniff');
      return catalogue.send(request, reply, (await texts())[name]);
    });
  }
  app.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const { file } = request.params;
    const text = file.endsWith('.md') ? (await texts()).operations.get(file) : undefined;
    const found = [style, script].find(({ name }) => name === file);
    if (text === undefined && found === undefined) throw new Problem('not-found', 'no such file');
    reply.type(found?.type ?? MARKDOWN).header('x-content-type-options', 'nosniff');
    if (text !== undefined) return catalogue.send(request, reply, text);
    return catalogue.send(request, reply, found!.response, {
      cacheControl: CACHE_CONTROL.immutable,
    });
  });
  const icon = staticResponse(ICON);
  app.get('/favicon.ico', (request, reply) => {
    reply.type('image/svg+xml').header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, icon);
  });
}
