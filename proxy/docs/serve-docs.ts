import type { FastifyInstance } from 'fastify';
import {
  CACHE_CONTROL,
  type StaticResponseSender,
  staticResponse,
} from '../../portal/http/caching.ts';
import { preferredEncoding } from '../../portal/http/content-encoding.ts';
import { Problem } from '../../portal/http/problem.ts';
import { ICON } from './icon.ts';
import { pageHeaders, referencePage } from './reference-page.ts';
import { referenceScript } from './reference-script.ts';

/** The paths that `serveDocs` answers. */
export const DOCS_PATHS = ['/', '/docs', '/docs/', '/docs/:file', '/favicon.ico'] as const;

/**
 * Serves the API reference at `/docs`, which reads `/openapi.json`, and leads there from `/`. All of
 * it comes from here, so it works where there is no network, and nobody else hears of its readers.
 */
export function serveDocs(
  app: FastifyInstance,
  { baseUrl }: { readonly baseUrl: string },
  catalogue: StaticResponseSender,
): void {
  const headers = pageHeaders(baseUrl);
  app.get('/', (_request, reply) => reply.redirect('docs', 302));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 301));
  app.get('/docs', async (request, reply) => {
    const { fileName } = await referenceScript();
    reply.headers(headers).type('text/html; charset=utf-8');
    return catalogue.send(request, reply, staticResponse(referencePage(fileName)));
  });
  app.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const script = await referenceScript();
    if (request.params.file !== script.fileName) throw new Problem('not-found', 'no such file');
    reply.type('text/javascript; charset=utf-8').headers({
      // Its name changes with its bytes.
      'cache-control': CACHE_CONTROL.immutable,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    const coding = preferredEncoding(request.headers['accept-encoding']);
    if (coding === null) return reply.send(script.plain);
    return reply.header('content-encoding', coding).send(script[coding]);
  });
  const icon = staticResponse(ICON);
  app.get('/favicon.ico', (request, reply) => {
    reply.type('image/svg+xml').header('x-content-type-options', 'nosniff');
    return catalogue.send(request, reply, icon);
  });
  // Loading the script holds the event loop for some tenths of a second: rather now than when
  // somebody looks. If it fails, it fails again for them, and is reported there.
  app.addHook('onListen', (done) => {
    referenceScript().catch(() => {});
    done();
  });
}
