import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const require = createRequire(import.meta.url);
const MAPLIBRE = path.join(path.dirname(require.resolve('maplibre-gl/package.json')), 'dist');
const PMTILES = path.join(path.dirname(require.resolve('pmtiles/package.json')), 'dist/pmtiles.js');
const PAGE = path.join(import.meta.dirname, 'map.html');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
};

/**
 * Serves the test's map page and its libraries, and an archive by range to pages of any origin, as
 * object storage does.
 */
export async function serveMap(archive: Uint8Array): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    if (request.method === 'OPTIONS') {
      response.writeHead(204, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'Range, If-Match',
      });
      response.end();
      return;
    }
    if (pathname === '/archive.pmtiles') {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const end = Math.min(Number(last), archive.length - 1);
      response.writeHead(206, {
        'content-range': `bytes ${first}-${end}/${archive.length}`,
        'content-length': end + 1 - Number(first),
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'ETag',
        etag: '"archive"',
      });
      response.end(archive.subarray(Number(first), end + 1));
      return;
    }
    const file = fileOf(pathname);
    if (file === null) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] });
    response.end(await readFile(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function fileOf(pathname: string): string | null {
  if (pathname === '/') return PAGE;
  if (pathname === '/pmtiles.js') return PMTILES;
  const name = /^\/maplibre\/([a-z-]+\.(?:mjs|css))$/.exec(pathname)?.[1];
  return name ? path.join(MAPLIBRE, name) : null;
}
