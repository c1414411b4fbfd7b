import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import {
  CACHE_CONTROL,
  type StaticResponse,
  type StaticResponseSender,
  staticResponse,
} from '../../portal/http/caching.ts';
import { Problem } from '../../portal/http/problem.ts';
import { ICON } from './icon.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { pageHeaders, referencePage } from './reference-page.ts';

/** The paths served by `serveDocs`. */
export const DOCS_PATHS = ['/', '/docs', '/docs/', '/docs/:file', '/favicon.ico'] as const;

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
 * there from `/`. It loads nothing from other origins. `document`: the text of `/openapi.json`.
 */
export function serveDocs(
  app: FastifyInstance,
  config: { readonly baseUrl: string; readonly accountUrl?: string },
  catalogue: StaticResponseSender,
  document: () => Promise<StaticResponse>,
): void {
  const headers = pageHeaders(config.baseUrl);
  const style = asset('./reference.css', 'text/css');
  const script = asset('./reference.js', 'text/javascript');
  const assets = { style: style.name, script: script.name };
  let rendered: { readonly from: StaticResponse; readonly page: StaticResponse } | null = null;
  app.get('/', (_request, reply) => reply.redirect('docs', 302));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 301));
  app.get('/docs', async (request, reply) => {
    const from = await document();
    if (rendered?.from !== from) {
      const parsed: OpenApiDocument = JSON.parse(from.bytes.toString());
      const page = staticResponse(referencePage(parsed, assets, config.accountUrl));
      rendered = { from, page };
    }
    reply.headers(headers).type('text/html; charset=utf-8');
    return catalogue.send(request, reply, rendered.page);
  });
  app.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const found = [style, script].find(({ name }) => name === request.params.file);
    if (found === undefined) throw new Problem('not-found', 'no such file');
    reply.type(found.type).header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, found.response, {
      cacheControl: CACHE_CONTROL.immutable,
    });
  });
  const icon = staticResponse(ICON);
  app.get('/favicon.ico', (request, reply) => {
    reply.type('image/svg+xml').header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, icon);
  });
}
