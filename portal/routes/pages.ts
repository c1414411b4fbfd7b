import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  CACHE_CONTROL,
  etagOf,
  type StaticResponse,
  StaticResponseSender,
} from '../../proxy/http/caching.ts';
import { pathOf } from '../../proxy/http/request-paths.ts';
import { EMBED_PATH, PAGE_PATHS } from '../page-paths.ts';
import type { PortalServices } from '../services.ts';
import { isNavigation } from './own-site.ts';

/**
 * Serves the user-facing pages from memory. Each page is the same document, whose script renders
 * the current path; the document of the map also names the map's own files. A browser that requests
 * an unknown path gets the error as a page.
 */
export async function servePages(app: FastifyInstance, { config }: PortalServices): Promise<void> {
  const pages = await builtPages();
  const policy = contentPolicy(config);
  const ownPolicy = `${policy}; frame-ancestors 'none'`;
  const sender = new StaticResponseSender();
  const send = (request: FastifyRequest, reply: FastifyReply, file: BuiltFile) =>
    sendFile(sender, request, reply.header('content-security-policy', ownPolicy), file);

  const [document, map, embed] = ['index', 'map', 'embed'].map((one) => pages.get(`/${one}.html`)!);
  for (const path of Object.values(PAGE_PATHS)) {
    app.get(path, (request, reply) => {
      if (!PUBLIC.has(path)) reply.header('x-robots-tag', 'noindex');
      return send(request, reply, path === PAGE_PATHS.map ? map : document);
    });
  }
  app.get(EMBED_PATH, (request, reply) => {
    // Any page may embed the map; `frame-ancestors *` would leave out the schemes of desktop
    // programs.
    reply.headers({ 'content-security-policy': policy, 'x-robots-tag': 'noindex' });
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

/** Sends a file, whose name may change with its contents. */
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

/** A file ready to be sent. */
interface BuiltFile extends StaticResponse {
  readonly type: string;
  /** Whether its name changes with its contents. */
  readonly isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Location of the built pages: next to this program, or in `dist` next to its sources. */
const FOLDER = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/portal/built-pages/' : '../built-pages/',
  import.meta.url,
);

/** The built pages by path, such as `/index.html`, read once. */
async function builtPages(): Promise<ReadonlyMap<string, BuiltFile>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const pages = new Map<string, BuiltFile>();
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    const at = path.relative(FOLDER.pathname, file).split(path.sep).join('/');
    pages.set(`/${at}`, builtFile(at, await readFile(file)));
  }
  if (!pages.has('/index.html')) {
    throw new Error(`${FOLDER.pathname}: the pages have not been built; run npm run build`);
  }
  return pages;
}

function builtFile(at: string, bytes: Buffer): BuiltFile {
  const type = TYPES[path.extname(at)];
  if (type === undefined) throw new Error(`built-pages: ${at} has a type that is not served`);
  return { type, bytes, etag: etagOf(bytes), isHashed: at.startsWith('assets/') };
}
