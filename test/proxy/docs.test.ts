import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptsGzip } from '../../proxy/http/content-encoding.ts';
import { forAll } from '../support/for-all.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({ config: { baseUrl: 'https://api.example.org/x' } });

const get = (url: string, headers: Record<string, string> = {}, method?: 'HEAD' | 'POST') =>
  proxy.get(url, undefined, headers, method);

test('/ redirects to the reference, also behind a path prefix', async () => {
  for (const path of ['/', '/docs/']) {
    const { statusCode, headers } = await get(path);
    expect([301, 302]).toContain(statusCode);
    expect(new URL(String(headers.location), `https://api.example.org/x${path}`).pathname).toBe(
      '/x/docs',
    );
  }
});

test('the page may load its own script and style and call this service, and nothing else', async () => {
  const { statusCode, headers, body } = await get('/docs');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive]),
  );
  expect(policy.get('default-src')).toBe("default-src 'none'");
  expect(policy.get('script-src')).toBe("script-src 'self'");
  expect(policy.get('connect-src')).toBe("connect-src 'self' https://api.example.org");
  expect(policy.get('frame-ancestors')).toBe("frame-ancestors 'none'");
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  });
  // Scripts are files, and every address is relative.
  expect(body).not.toMatch(
    /<script(?![^>]*\ssrc=)|<\w[^>]*\son\w+=|\s(src|href|action)="(\/|\w+:)/,
  );
});

test('script and style are compressed on request and immutable under their names', async () => {
  const { body: page } = await get('/docs');
  const names = page.match(/docs\/docs-[0-9a-f]{16}\.(?:css|js)/g)!;
  expect(names).toHaveLength(2);
  for (const name of names) {
    const plain = await get(`/${name}`);
    const packed = await get(`/${name}`, { 'accept-encoding': 'gzip' });
    const smaller = await get(`/${name}`, { 'accept-encoding': 'gzip, br' });
    for (const { statusCode, headers } of [plain, packed, smaller]) {
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(smaller.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(smaller.rawPayload).equals(plain.rawPayload)).toBe(true);
  }
  const gone = await get('/docs/docs-0000000000000000.js');
  expect([gone.statusCode, gone.json().type]).toEqual([404, expect.stringMatching(/\/not-found$/)]);
});

test('a page that is not there is a page of all others for browsers, and a problem for programs', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const { statusCode, headers, body } = await get('/docs/getBlockSumary', { accept });
  expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding' });
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  const [, text] = body.split('<main');
  for (const slug of ['basics', 'own-sites', 'getBlockSummary']) {
    expect(text).toContain(`<a href="${slug}">`);
  }
  for (const [page, to] of [
    ['/docs/no/such/page', '/docs/page'],
    ['/docs/basics/', '/docs/basics'],
    ['/docs//', '/docs/'],
  ]) {
    const { statusCode, headers } = await get(page, { accept });
    const { pathname } = new URL(String(headers.location), `https://api.example.org${page}`);
    expect([statusCode, pathname]).toEqual([302, to]);
  }
  for (const page of ['/docs/getBlockSumary', '/docs/docs-0000000000000000.js', '/docs/a/b']) {
    const gone = await get(page, { accept: '*/*' });
    expect([gone.statusCode, gone.json().detail]).toEqual([
      404,
      'no such page; /docs lists all pages',
    ]);
  }
});

test('each operation of the document has a page with a form and an example, and HEAD has none', async () => {
  const { body: start } = await get('/docs');
  const document = (await get('/openapi.json')).json();
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths);
  let examples = 0;
  for (const { head, get: read, post } of operations) {
    for (const { operationId } of [read, post].filter((one) => one !== undefined)) {
      expect(start).toContain(`href="docs/${operationId}"`);
      const { statusCode, headers, body: page } = await get(`/docs/${operationId}`);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.split('<form class="request"')).toHaveLength(2);
      expect(page).toContain(`<a href="${operationId}" aria-current="page">`);
      expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<\w[^>]*\son\w+=|\s(src|action)="(\/|\w+:)/);
      examples += page.split('<figcaption>curl</figcaption>').length - 1;
    }
    if (head) expect((await get(`/docs/${head.operationId}`)).statusCode).toBe(404);
  }
  expect(examples).toBeGreaterThan(40);
});

test('a page weighs at most 60 kB as sent, its files included, and its Markdown 40 kB', async () => {
  const { body: start } = await get('/docs');
  const pages = [
    'docs',
    ...[...start.matchAll(/<li><a href="(docs\/[\w-]+)"/g)].map(([, at]) => at),
  ];
  expect(pages.length).toBeGreaterThan(50);
  const sent = async (file: string) =>
    (await get(`/${file}`, { 'accept-encoding': 'br' })).rawPayload.length;
  const files = ['favicon.ico', ...start.match(/docs\/docs-[^"]*/g)!];
  const shared = (await Promise.all(files.map(sent))).reduce((sum, size) => sum + size, 0);
  for (const page of pages) {
    expect(shared + (await sent(page)), page).toBeLessThan(60_000);
    expect((await get(`/${page}.md`)).rawPayload.length, page).toBeLessThan(40_000);
  }
});

test('page and icon are revalidated, and accept GET and HEAD only', async () => {
  for (const path of ['/docs', '/docs/own-sites', '/favicon.ico']) {
    const { headers } = await get(path);
    expect((await get(path, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    expect((await get(path, {}, 'HEAD')).statusCode).toBe(200);
    const refused = await get(path, {}, 'POST');
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  }
  expect((await get('/favicon.ico')).headers['content-type']).toMatch(/^image\/svg\+xml/);
});

test('gzip is accepted by name or by star, and its own weight decides', async () => {
  expect(acceptsGzip(undefined)).toBe(false);
  const weight = fc.constantFrom('', ';q=0', '; q=0.000', ';q=0.5', ' ; q=1.0');
  const coding = fc.tuple(fc.constantFrom('gzip', 'GZIP', 'br', 'identity', '*', 'zgzip'), weight);
  await forAll(
    100,
    fc.uniqueArray(coding, { selector: ([name]) => name.toLowerCase() }),
    (list) => {
      const weightOf = (wanted: string) => {
        const found = list.find(([name]) => name.toLowerCase() === wanted);
        return found && Number(found[1].split('=')[1] ?? 1);
      };
      const expected = (weightOf('gzip') ?? weightOf('*') ?? 0) > 0;
      const header = list.map(([name, weight]) => name + weight).join(', ');
      expect([header, acceptsGzip(header)]).toEqual([header, expected]);
    },
  );
});

test('every operation with JSON has samples in four languages, and files and events have none or curl', async () => {
  const { paths } = (await proxy.get('/openapi.json')).json();
  const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap(
    ({ get, post }) => [get, post].flatMap((one) => one?.operationId ?? []),
  );
  expect(operations.length).toBeGreaterThan(45);
  const lacking: Record<string, string[]> = {};
  for (const operation of operations) {
    const page = (await proxy.get(`/docs/${operation}.md`)).body;
    const languages = ['curl', 'typescript', 'python', 'r'];
    const found = languages.filter((language) => page.includes(`\n\`\`\`${language}\n`));
    if (found.length < languages.length) lacking[operation] = found;
  }
  expect(lacking).toEqual({
    getTile: ['curl'],
    readArchive: [],
    readExport: [],
    callTools: ['curl'],
  });
});
