import type { FastifyInstance } from 'fastify';
import { acceptsGzip } from '../http/content-coding.ts';
import { sendCatalogue } from '../http/serve-free.ts';
import { ICON } from './icon.ts';
import { pagePolicy, referencePage } from './reference-page.ts';
import { referenceScript } from './reference-script.ts';

/** The paths that `serveDocs` answers. */
export const DOCS_PATHS = ['/', '/docs', '/docs/', '/docs/scalar.js', '/favicon.ico'] as const;

/**
 * Serves the API reference at `/docs`, which reads `/openapi.json`. All of it comes from here: a
 * page that leaves no trace elsewhere, and works where there is no network. Addresses in it are
 * relative, so that it also works behind a path.
 */
export function serveDocs(app: FastifyInstance, { baseUrl }: { readonly baseUrl: string }): void {
  const policy = pagePolicy(baseUrl);
  app.get('/', (_request, reply) => reply.redirect('docs', 302));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 301));
  app.get('/docs', (request, reply) => {
    reply.headers(policy).type('text/html; charset=utf-8');
    return sendCatalogue(request, reply, referencePage());
  });
  app.get('/docs/scalar.js', async (request, reply) => {
    const { plain, gzip } = await referenceScript();
    reply.header('x-content-type-options', 'nosniff').type('text/javascript; charset=utf-8');
    if (!acceptsGzip(request.headers['accept-encoding'])) {
      return sendCatalogue(request, reply, plain);
    }
    reply.header('content-encoding', 'gzip');
    return sendCatalogue(request, reply, gzip);
  });
  app.get('/favicon.ico', (request, reply) => {
    reply.header('x-content-type-options', 'nosniff').type('image/svg+xml');
    return sendCatalogue(request, reply, ICON);
  });
}
