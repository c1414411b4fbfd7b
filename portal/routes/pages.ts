import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL, StaticResponseSender } from '../../proxy/http/caching.ts';
import { pathOf } from '../../proxy/http/request-paths.ts';
import { EMBED_PATH, PAGE_PATHS } from '../page-paths.ts';
import type { PortalServices } from '../services.ts';
import { type BuiltFile, builtPages } from './built-pages.ts';
import { isNavigation } from './own-site.ts';

/**
 * Serves the user-facing pages from memory. Each page is the same document, whose script renders
 * the current path; the document of the map also names the map's own files. A browser that requests
 * an unknown path gets the error as a page.
 */
export async function servePages(app: FastifyInstance, { config }: PortalServices): Promise<void> {
  const pages = await builtPages();
  const sender = new StaticResponseSender();
  const policy = contentPolicy(config);
  const ownPolicy = `${policy}; frame-ancestors 'none'`;
  const preloads = MAP_READS.map(
    (read) => `<${config.apiUrl}${read}>; rel=preload; as=fetch; crossorigin`,
  ).join(', ');
  const send = (request: FastifyRequest, reply: FastifyReply, file: BuiltFile) =>
    sendFile(sender, request, reply.header('content-security-policy', ownPolicy), file);

  const [document, map, embed] = ['index', 'map', 'embed'].map((one) => pages.get(`/${one}.html`)!);
  for (const path of Object.values(PAGE_PATHS)) {
    app.get(path, (request, reply) => {
      if (!PUBLIC.has(path)) reply.header('x-robots-tag', 'noindex');
      if (path !== PAGE_PATHS.map) return send(request, reply, document);
      return send(request, reply.header('link', preloads), map);
    });
  }
  app.get(EMBED_PATH, (request, reply) => {
    // Any page may embed the map; `frame-ancestors *` would leave out the schemes of desktop
    // programs.
    reply.headers({ 'content-security-policy': policy, 'x-robots-tag': 'noindex' });
    reply.header('link', preloads);
    return sendFile(sender, request, reply, embed);
  });
  for (const [path, file] of pages) {
    if (!path.endsWith('.html')) app.get(path, (request, reply) => send(request, reply, file));
  }
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || isKnown(request)) return;
    reply.header('vary', 'Accept');
    if (isNavigation(request)) return send(request, reply.code(404), document);
  });
}

/** Requests with which a map begins: preloaded, they need not wait for its script. */
const MAP_READS = [
  '/v1/meta/tiles',
  '/v1/meta/destination-types',
  '/v1/meta/vintage',
  '/v1/meta/weights',
  '/v1/meta/modes',
  '/v1/last-updated',
  '/v1/places?limit=1&q=a',
];

/** Whether the path of a request has a route, even if only for other methods. */
function isKnown(request: FastifyRequest): boolean {
  return request.server.knownPaths.methodsOf(pathOf(request)) !== undefined;
}

/** Public pages; the others are for customers. */
const PUBLIC: ReadonlySet<string> = new Set([PAGE_PATHS.front, PAGE_PATHS.map]);

/**
 * Returns the content security policy, which lets the pages run their own script and send requests
 * only to the portal, the API, and the host of the map's style, if there is one.
 */
function contentPolicy({ apiUrl, mapStyleUrl }: PortalServices['config']): string {
  const style = mapStyleUrl === undefined ? '' : ` ${new URL(mapStyleUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The map decodes its tiles in a worker.
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(apiUrl).origin}${style}`,
    "form-action 'self'",
    "base-uri 'none'",
  ].join('; ');
}

function sendFile(
  sender: StaticResponseSender,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, isHashed, ...response }: BuiltFile,
): Promise<FastifyReply> {
  return sender.send(request, reply.type(type), response, {
    vary: reply.hasHeader('vary') ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    cacheControl: isHashed ? CACHE_CONTROL.immutable : CACHE_CONTROL.revalidated,
  });
}
