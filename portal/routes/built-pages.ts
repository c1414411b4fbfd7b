import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { etagOf } from '../../proxy/http/caching.ts';

/** A file ready to be sent. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Its compressed forms; a font has none. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
  readonly etag: string;
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
  for (const [at, plain] of contents) {
    if (COMPRESSED.test(at)) continue;
    const [br, gzip] = [contents.get(`${at}.br`), contents.get(`${at}.gz`)];
    pages.set(`/${at}`, builtFile(at, plain, { br, gzip }));
  }
  if (!pages.has('/index.html')) {
    throw new Error(`${FOLDER.pathname}: the pages have not been built; run npm run build`);
  }
  return pages;
}

function builtFile(
  at: string,
  plain: Buffer,
  compressed: Pick<BuiltFile, 'br' | 'gzip'>,
): BuiltFile {
  const type = TYPES[path.extname(at)];
  if (type === undefined) throw new Error(`built-pages: ${at} has a type that is not served`);
  const isHashed = at.startsWith('assets/');
  return { type, plain, ...compressed, etag: etagOf(plain), isHashed };
}
