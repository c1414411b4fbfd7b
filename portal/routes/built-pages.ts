import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Body } from '../../proxy/http/body.ts';
import { etagOf } from '../../proxy/http/caching.ts';
import { gzipBody } from '../../proxy/http/content-encoding.ts';

/** A file ready to be sent. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
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

/** The built pages by path, such as `/index.html`, read and compressed once. */
export async function builtPages(): Promise<ReadonlyMap<string, BuiltFile>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const pages = new Map<string, BuiltFile>();
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    const at = path.relative(FOLDER.pathname, file).split(path.sep).join('/');
    pages.set(`/${at}`, await builtFile(at, await readFile(file)));
  }
  if (!pages.has('/index.html')) {
    throw new Error(`${FOLDER.pathname}: the pages have not been built; run npm run build`);
  }
  return pages;
}

async function builtFile(at: string, plain: Buffer): Promise<BuiltFile> {
  const type = TYPES[path.extname(at)];
  if (type === undefined) throw new Error(`built-pages: ${at} has a type that is not served`);
  const isHashed = at.startsWith('assets/');
  return {
    type,
    plain,
    gzip: (await gzipBody(Body.of(plain))).whole(),
    etag: etagOf(plain),
    isHashed,
  };
}
