import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { etagOf, type StaticResponse } from '../../proxy/http/caching.ts';

/** A file ready to be sent, in the codings of the build; a font has none. */
export interface BuiltFile extends StaticResponse {
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

const COMPRESSED = /\.(br|gz)$/;

/** The built pages by path, such as `/index.html`, with the compressed forms of the build. */
export async function builtPages(): Promise<ReadonlyMap<string, BuiltFile>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true }).catch(() => []);
  const contents = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const at = path.relative(FOLDER.pathname, file).split(path.sep).join('/');
    contents.set(at, await readFile(file));
  }
  const pages = new Map<string, BuiltFile>();
  for (const [at, bytes] of contents) {
    if (COMPRESSED.test(at)) continue;
    const compressed = { br: contents.get(`${at}.br`), gzip: contents.get(`${at}.gz`) };
    const response = { bytes, etag: etagOf(bytes), compressed };
    pages.set(`/${at}`, { ...response, type: typeOf(at), isHashed: at.startsWith('assets/') });
  }
  if (!pages.has('/index.html')) {
    throw new Error(`${FOLDER.pathname}: the pages have not been built; run npm run build`);
  }
  return pages;
}

function typeOf(at: string): string {
  const type = TYPES[path.extname(at)];
  if (type === undefined) throw new Error(`built-pages: ${at} has a type that is not served`);
  return type;
}
