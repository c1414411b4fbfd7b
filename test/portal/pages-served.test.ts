import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PAGE_PATHS } from '../../portal/page-paths.ts';
import { PLANS } from '../../proxy/plans.ts';
import { openPortal } from '../support/portal-harness.ts';
import { ofTests } from '../support/test-resources.ts';

const API = 'https://api.example.org';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const KILOBYTE = 1_000;

const portal = ofTests(() =>
  openPortal({
    config: { apiUrl: `${API}/below`, exampleBlock: '990010001001000' },
  }),
);

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  portal.app.inject({ method, url, headers });

/** Scripts that the map loads for a button or a browser without WebGL, or that it never loads. */
const ON_REQUEST = new Set([
  'access-panel',
  'area-file',
  'area-tools',
  'basket-panel',
  'block-panel',
  'block-files',
  'block-polygons',
  'catchment-panel',
  'changes-panel',
  'compare-panel',
  'csv-line',
  'file-field',
  'groups-panel',
  'key-dialog',
  'make-picture',
  'minutes-slider',
  'people-within',
  'reach-panel',
  'run-to-completion',
  'share-ways',
  'sites-files',
  'sites-panel',
  'still-map',
  'sums-table',
  'sweep-line',
  'tabs',
  'my-page',
]);

/** The addresses of scripts and styles in a document. */
async function assets(document = '/'): Promise<string[]> {
  const { body } = await get(document);
  return [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address]) => address);
}

/** The scripts that a document loads, at once or later, by the name of their source. */
async function scriptsOf(document: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const follow = async (address: string) => {
    const name = /([\w-]+)-[\w-]{8}\.js$/.exec(address)?.[1];
    if (name === undefined || found.has(name)) return;
    found.set(name, address);
    const { body } = await get(address);
    const files = body.matchAll(/[\w-]+-[\w-]{8}\.js/g);
    for (const [file] of files) await follow(`/assets/${file}`);
  };
  for (const address of await assets(document)) await follow(address);
  return found;
}

test('all pages share one document, the map’s with links to its parts, and a policy against inline code', async () => {
  const { body: document } = await get('/');
  for (const path of Object.values(PAGE_PATHS)) {
    const { statusCode, headers, body } = await get(path, BROWSER);
    expect([path, statusCode]).toEqual([path, 200]);
    const lines = document.split('\n');
    const more = body.split('\n').filter((line) => !lines.includes(line));
    // The map's document names its own script and style.
    expect(more.length > 0, path).toBe(path === '/map');
    for (const line of more) {
      expect(line).toMatch(
        /^ {2}<link rel="(modulepreload|stylesheet)" crossorigin href="\/[^"]+">$/,
      );
    }
    expect(body.split('\n').filter((line) => !more.includes(line))).toEqual(lines);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
      "base-uri 'none'",
      `connect-src 'self' ${API}`,
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
      "worker-src 'self'",
    ]);
    expect(headers['x-robots-tag']).toBe(['/', '/map'].includes(path) ? undefined : 'noindex');
  }
  expect(document).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  expect(document).toMatch(/<meta name="description" content=".{50,160}">/);
});

test('the map’s document asks at once for what the map reads first', async () => {
  for (const path of ['/map', '/embed']) {
    const link = String((await get(path, BROWSER)).headers.link);
    expect(link).toContain(`<${API}/below/v1/meta/tiles>; rel=preload; as=fetch; crossorigin`);
  }
  expect((await get('/', BROWSER)).headers).not.toHaveProperty('link');
});

test('only /embed may be shown in frames of other pages, of any scheme, and it sets no cookie', async () => {
  const embed = await get('/embed', BROWSER);
  expect(embed.statusCode).toBe(200);
  expect(embed.headers['content-security-policy']).toContain("default-src 'none'");
  expect(embed.headers['content-security-policy']).not.toContain('frame-ancestors');
  expect(embed.headers).not.toHaveProperty('x-frame-options');
  expect(embed.headers).not.toHaveProperty('set-cookie');
  expect(embed.headers['x-robots-tag']).toBe('noindex');
  for (const path of [...Object.values(PAGE_PATHS), '/config.json', '/nowhere']) {
    const { headers } = await get(path, BROWSER);
    expect([path, headers['x-frame-options']]).toEqual([path, 'DENY']);
    expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
  }
  for (const address of await assets('/embed')) expect((await get(address)).statusCode).toBe(200);
  const names = [...(await scriptsOf('/embed')).keys()];
  expect(names).toContain('draw-map');
  expect(names).not.toContain('index');
});

test('script and style are immutable under their names, compressed, and small', async () => {
  const sizes = { js: 0, css: 0 };
  for (const address of await assets()) {
    const plain = await get(address);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const [accepted, coding, unpacked] of [
      ['gzip', 'gzip', gunzipSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['br', 'br', brotliDecompressSync],
    ] as const) {
      const packed = await get(address, { 'accept-encoding': accepted });
      expect(packed.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(unpacked(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
      if (accepted === 'br') {
        sizes[address.endsWith('.js') ? 'js' : 'css'] += packed.rawPayload.length;
      }
    }
  }
  expect(sizes.js).toBeLessThan(40 * KILOBYTE);
  expect(sizes.css).toBeLessThan(10 * KILOBYTE);
  expect((await get('/assets/index-00000000.js')).statusCode).toBe(404);
});

test('the map and its libraries are separate files, which other pages do not load', async () => {
  const atOnce = await assets();
  const scripts = await scriptsOf('/');
  for (const name of ['map-page', 'draw-map']) {
    expect(atOnce).not.toContain(scripts.get(name));
  }
  const bytesOf = async (address: string) => {
    const { statusCode, headers, rawPayload } = await get(address, { 'accept-encoding': 'br' });
    expect([address, statusCode]).toEqual([address, 200]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    return rawPayload.length;
  };
  let ownBytes = 0;
  for (const [name, address] of scripts) {
    if (name === 'draw-map' || ON_REQUEST.has(name) || atOnce.includes(address)) continue;
    ownBytes += await bytesOf(address);
  }
  expect(ownBytes).toBeGreaterThan(10 * KILOBYTE);
  expect(ownBytes).toBeLessThan(60 * KILOBYTE);
  const bodies = await Promise.all([...scripts.values()].map(async (of) => (await get(of)).body));
  const [worker] = /\/assets\/maplibre-gl-worker-[\w-]+\.mjs/.exec(bodies.join())!;
  const { statusCode, headers } = await get(worker);
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
  // All that the map loads before it is asked for a file, a picture, a way to share, or a view.
  let wire = await bytesOf(worker);
  for (const [name, address] of await scriptsOf('/map')) {
    if (!ON_REQUEST.has(name)) wire += await bytesOf(address);
  }
  expect(wire).toBeLessThan(440 * KILOBYTE);
});

test('cached files are not sent again, and HEAD sends no body', async () => {
  for (const address of ['/', '/favicon.svg', '/robots.txt', ...(await assets())]) {
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers = { 'accept-encoding': coding };
      const { etag } = (await get(address, headers)).headers;
      const again = await get(address, { ...headers, 'if-none-match': `"other", W/${etag}` });
      expect([address, again.statusCode, again.body]).toEqual([address, 304, '']);
      const head = await get(address, headers, 'HEAD');
      expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', etag]);
    }
  }
  expect((await get('/')).headers['cache-control']).toBe('public, no-cache');
  expect((await get('/favicon.svg')).headers['content-type']).toBe('image/svg+xml');
});

test('llms.txt states what requests cost, no prices of a portal that sells nothing, and links the API, the map and sign-in', async () => {
  const { statusCode, headers, body } = await get('/llms.txt');
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(body).toContain(`(${API}/below/llms.txt)`);
  expect(body).toContain(`An isochrone costs ${PLANS.charges.isochrone_contour} tokens`);
  expect(body).not.toContain('$');
  const own = body.slice(body.indexOf('## Portal'));
  for (const [, url] of own.matchAll(/\]\(([^)]+)\)/g)) {
    expect((await get(new URL(url).pathname)).statusCode).toBe(200);
  }
});

test('for a missing page, browsers get a page and programs the problem document', async () => {
  const page = await get('/nowhere', BROWSER);
  expect([page.statusCode, page.headers['content-type']]).toEqual([
    404,
    'text/html; charset=utf-8',
  ]);
  expect(page.body).toBe((await get('/')).body);
  expect([page.headers.vary, (await get('/nowhere')).headers.vary]).toEqual([
    'Accept, Accept-Encoding',
    'Accept',
  ]);
  const known = await get('/nowhere', { ...BROWSER, 'if-none-match': String(page.headers.etag) });
  expect(known.statusCode).toBe(404);
  const problem = await get('/nowhere', { accept: 'application/json' });
  expect([problem.statusCode, problem.json().error]).toEqual([404, problem.json().detail]);
  const posted = await portal.app.inject({ method: 'POST', url: '/nowhere', headers: BROWSER });
  expect(posted.headers['content-type']).toMatch(/^application\/problem\+json/);
});

test('crawlers are kept out of account pages and sign-in routes', async () => {
  const { body } = await get('/robots.txt');
  expect(body.split('\n')).toEqual(['User-agent: *', 'Disallow: /my', 'Disallow: /auth/', '']);
});

test('/config.json has the URL of the API, and what is for sale', async () => {
  expect((await get('/config.json')).json()).toEqual({
    api_url: `${API}/below`,
    membership_available: false,
    signup_grants: true,
    plans: JSON.parse(JSON.stringify(PLANS)),
    example_block: '990010001001000',
  });
});
