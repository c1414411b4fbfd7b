import { createHook } from 'node:async_hooks';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

const get = (url: string, headers: Record<string, string> = {}, method?: 'HEAD') =>
  proxy.get(url, undefined, headers, method);
const gzip = { 'accept-encoding': 'gzip' };

const LONG = ['/v1/meta/destination-types', '/openapi.json'];

test.each(LONG)('%s is compressed for clients that accept it, under its own ETag', async (url) => {
  const [plain, packed] = [await get(url), await get(url, gzip)];
  const smaller = await get(url, { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(smaller.headers['content-encoding']).toBe('br');
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
  expect(smaller.rawPayload.length).toBeLessThan(packed.rawPayload.length);
  expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect(brotliDecompressSync(smaller.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect(new Set([plain, packed, smaller].map(({ headers }) => headers.etag)).size).toBe(3);
  for (const { headers } of [plain, packed, smaller]) {
    expect(headers.vary).toBe('Accept-Encoding');
    const again = await get(url, { ...gzip, 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers).toMatchObject({
      etag: packed.headers.etag,
      vary: 'Accept-Encoding',
      'cache-control': plain.headers['cache-control'],
    });
  }
});

test.each(LONG)('%s is compressed once, not per client', async (url) => {
  await get(url, gzip);
  let compressions = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ZLIB') compressions++;
    },
  });
  hook.enable();
  try {
    for (let i = 0; i < 20; i++) {
      expect((await get(url, gzip)).headers['content-encoding']).toBe('gzip');
    }
  } finally {
    hook.disable();
  }
  expect(compressions).toBe(0);
});

test('the taxonomy is rendered once per release, not per client', async () => {
  const url = '/v1/meta/destination-types';
  const first = await get(url);
  const { taxonomy } = proxy.releases.current;
  const leavesOf = taxonomy.leavesOf.bind(taxonomy);
  let rendered = 0;
  taxonomy.leavesOf = (type) => {
    rendered++;
    return leavesOf(type);
  };
  onTestFinished(() => {
    taxonomy.leavesOf = leavesOf;
  });
  for (let i = 0; i < 20; i++) expect((await get(url)).body).toBe(first.body);
  expect(rendered).toBe(0);
});

test('a response that fits in a packet is not compressed', async () => {
  const { headers } = await get('/v1/meta/modes', gzip);
  expect(headers['content-encoding']).toBeUndefined();
});

test('a boundary is GeoJSON for clients that request it, JSON for others', async () => {
  const url = '/v1/places/9957600/boundary';
  const typeOf = async (accept: string) => (await get(url, { accept })).headers['content-type'];
  const [json, geojson] = [await get(url), await get(url, { accept: 'application/geo+json' })];
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(geojson.headers['content-type']).toBe('application/geo+json; charset=utf-8');
  expect(geojson.body).toBe(json.body);
  expect(geojson.headers.etag).not.toBe(json.headers.etag);
  expect(json.headers.vary).toBe('Accept, Accept-Encoding');
  expect(await typeOf('application/geo+json;q=0.5, application/json')).toMatch(
    /^application\/json/,
  );
  expect(await typeOf('application/geo+json;q=0, */*')).toMatch(/^application\/json/);
  expect(await typeOf('application/json;q=0.1, application/geo+json;q=0.2')).toMatch(/geo\+json/);
});

test('an isochrone’s contours, but not its blocks, are GeoJSON for clients that request it', async () => {
  const { key } = proxy;
  const { results } = (
    await proxy.get('/v1/places/9957600/blocks?type=101&mode=walk&limit=1', key)
  ).json();
  const url = `/v1/isochrone?minutes=5&block=${results[0].geoid}`;
  const ask = (query: string, accept: string) => proxy.get(url + query, key, { accept });
  const json = await ask('', 'application/json');
  const geojson = await ask('', 'application/geo+json, application/json;q=0.9');
  expect([json, geojson].map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(geojson.headers['content-type']).toBe('application/geo+json; charset=utf-8');
  expect(geojson.body).toBe(json.body);
  expect(geojson.headers.etag).not.toBe(json.headers.etag);
  const blocks = await ask('&format=blocks', 'application/geo+json');
  expect([blocks.statusCode, blocks.json().formats]).toEqual([406, ['application/json']]);
});

test('the balance is stated without a charge, even if it is zero, and is not cached', async () => {
  const { id, key } = await proxy.customer({ tokens: 0 });
  const stated = await proxy.get('/v1/tokens', key);
  expect([stated.statusCode, stated.json()]).toEqual([200, { tokens_remaining: 0 }]);
  expect(stated.headers).toMatchObject({
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-tokens-charged': '0',
    'x-tokens-remaining': '0',
  });
  const rich = (await proxy.get('/v1/tokens', (await proxy.customer({ tokens: 7 })).key)).headers;
  expect(rich['x-tokens-remaining']).toBe('7');
  const refused = [
    await get('/v1/tokens'),
    await proxy.get('/v1/tokens?of=mine', key),
    await proxy.get('/v1/tokens', key, { accept: 'text/csv' }),
  ];
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([401, 400, 406]);
  expect(await proxy.ledger.usage(id)).toEqual([]);
});

test('probes ignore Accept and have no ETag; the catalogue is refused to clients that accept no JSON', async () => {
  const csv = { accept: 'text/csv' };
  for (const url of ['/v1/health', '/v1/ready']) {
    const { statusCode, headers } = await get(url, csv);
    expect([url, statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      url,
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('retry-after');
  }
  for (const url of ['/v1/meta/modes', '/v1/places?q=port', '/v1/places/9957600/boundary']) {
    const { statusCode, headers } = await get(url);
    expect([url, statusCode, headers['content-type'], headers.vary]).toEqual([
      url,
      200,
      'application/json; charset=utf-8',
      url.endsWith('/boundary') ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    ]);
    expect([url, (await get(url, csv)).statusCode]).toEqual([url, 406]);
    const typo = await get(`${url}${url.includes('?') ? '&' : '?'}typo=1`);
    expect([url, typo.statusCode]).toEqual([url, 400]);
  }
});
