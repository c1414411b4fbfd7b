import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const TOKENS = 10_000;

describe('rows of a block', () => {
  const county = smallCounty({ fips: '24510', seed: 31, blocks: 12, pois: 40 });
  const block = `/v1/blocks/${county.blocks[3].geoid}`;
  const unknown = '/v1/blocks/245100000000000';
  /** Paths of a response that fits in a packet, and of one that is worth compressing. */
  const [short, long] = [`${block}/pois?limit=3`, `${block}/pois?limit=90`];
  const proxy = proxyOfTests({ store: smallReleaseOfTests(county) });
  const get = (url: string, headers: Record<string, string> = {}, method?: 'HEAD') =>
    proxy.get(url, proxy.key, headers, method);

  test.each([
    ['JSON', {}, 'application/json; charset=utf-8'],
    ['CSV', { accept: 'text/csv' }, 'text/csv; charset=utf-8; header=present'],
  ])(
    'as %s state their price, release and encoding, and have an ETag per encoding',
    async (...of) => {
      const [, headers, type] = of;
      const { id, key } = await proxy.customer({ tokens: TOKENS });
      const ask = (encoding: string, url = long) =>
        proxy.get(url, key, { ...headers, 'accept-encoding': encoding });
      const plain = await ask('identity');
      expect(plain.headers).toMatchObject({
        'content-type': type,
        'content-length': `${plain.rawPayload.length}`,
        'cache-control': 'public, no-cache',
        vary: 'Authorization, Accept-Encoding, Accept',
        etag: expect.stringMatching(/^"[^"]+"$/),
        'x-data-release': proxy.releases.current.version,
        'x-tokens-charged': '90',
        'x-tokens-remaining': `${TOKENS - 90}`,
      });
      expect(plain.headers).not.toHaveProperty('content-encoding');
      for (const left of [TOKENS - 180, TOKENS - 270]) {
        const zipped = await ask('gzip');
        expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
        expect(zipped.headers).toMatchObject({
          'content-encoding': 'gzip',
          'content-length': `${zipped.rawPayload.length}`,
          etag: `${String(plain.headers.etag).slice(0, -1)}-gzip"`,
          'x-tokens-charged': '90',
          'x-tokens-remaining': `${left}`,
        });
      }
      expect((await ask('identity')).rawPayload.equals(plain.rawPayload)).toBe(true);
      expect((await ask('gzip', short)).headers).not.toHaveProperty('content-encoding');
      expect(await proxy.ledger.usage(id)).toMatchObject([
        { route: 'GET /v1/blocks/{geoid}/pois', requests: 5, tokens: 4 * 90 + 3 },
      ]);
    },
  );

  test('have the columns of their format, and are compressed unless the format is', async () => {
    const csv = await get(short, { accept: 'text/csv' });
    const [head, ...rows] = csv.body.trimEnd().split('\n');
    const { results } = (await get(short)).json();
    expect(rows.length).toBe(results.length);
    const at = ['dest_id', 'mode', 'travel_time'].map((name) => head.split(',').indexOf(name));
    expect(rows.map((row) => at.map((i) => row.split(',')[i]))).toEqual(
      results.map((row: Record<string, unknown>) => [
        `${row.dest_id}`,
        row.mode,
        `${row.travel_time}`,
      ]),
    );
    const parquet = { accept: 'application/vnd.apache.parquet' };
    for (const encoding of ['identity', 'gzip']) {
      const { headers, rawPayload } = await get(long, { ...parquet, 'accept-encoding': encoding });
      expect([headers['content-type'], headers['content-encoding']]).toEqual([
        parquet.accept,
        undefined,
      ]);
      expect(rawPayload.subarray(0, 4).toString() + rawPayload.subarray(-4)).toBe('PAR1PAR1');
    }
  });

  test('link to the page that their cursor leads to', async () => {
    const { headers, body } = await get(short);
    const { next_cursor } = JSON.parse(body);
    expect(headers['x-next-cursor']).toBe(next_cursor);
    expect(headers.link).toBe(`<?limit=3&cursor=${encodeURIComponent(next_cursor)}>; rel="next"`);
    const last = await get(`${block}/pois?limit=1000`);
    expect(last.json().next_cursor).toBeNull();
    expect(last.headers).not.toHaveProperty('link');
  });

  test('that a client has in an encoding are neither sent in it nor charged', async () => {
    const { id, key } = await proxy.customer({ tokens: 0 });
    const etags = new Set<string>();
    for (const accept of ['application/json', 'text/csv']) {
      for (const encoding of ['identity', 'gzip']) {
        const headers = { accept, 'accept-encoding': encoding };
        const etag = String((await get(long, headers)).headers.etag);
        etags.add(etag);
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
          const same = await proxy.get(long, key, { ...headers, 'if-none-match': known });
          expect([known, same.statusCode, same.body, same.headers.etag]).toEqual([
            known,
            304,
            '',
            etag,
          ]);
          expect(same.headers).toMatchObject({
            'cache-control': 'public, no-cache',
            'x-tokens-charged': '0',
            'x-tokens-remaining': '0',
          });
        }
      }
    }
    expect(etags.size).toBe(4);
    expect((await get(long, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    expect(await proxy.ledger.usage(id)).toEqual([]);
  });

  test('match an ETag to which a proxy has appended a coding, and no other ending', async () => {
    const { id, key } = await proxy.customer({ tokens: 100 });
    for (const accept of ['application/json', 'text/csv']) {
      const { etag } = (await proxy.get(long, proxy.key, { accept })).headers;
      const tag = String(etag).slice(1, -1);
      const status = async (known: string) => {
        const headers = { accept, 'if-none-match': known };
        const { statusCode } = await proxy.get(long, key, headers, 'HEAD');
        return [known, statusCode];
      };
      const codings = ['gzip', 'br', 'zstd', 'deflate'];
      const ends = codings.flatMap((coding) => [`-${coding}`, `--${coding}`, `;${coding}`]);
      for (const end of ends) {
        for (const known of [`"${tag}${end}"`, `W/"${tag}${end}"`, `"a", W/"${tag}${end}", "b"`]) {
          expect(await status(known)).toEqual([known, 304]);
        }
      }
      expect(await proxy.ledger.usage(id)).toEqual([]);
    }
    const { etag } = (await proxy.get(long, proxy.key)).headers;
    const tag = String(etag).slice(1, -1);
    for (const other of [
      ...[
        '-xz',
        'gzip',
        '---gzip',
        ';;gzip',
        '-gzip-gzip',
        '-gzip;br',
        '-GZIP',
        '-',
        ';',
        ' -gzip',
      ],
    ]) {
      const headers = { 'if-none-match': `"${tag}${other}"` };
      const { statusCode } = await proxy.get(long, proxy.key, headers);
      expect([other, statusCode]).toEqual([other, 200]);
    }
    for (const known of [`"${tag.slice(1)}-gzip"`, `"${tag.slice(0, -1)}--gzip"`, `${tag}-gzip`]) {
      const { statusCode } = await proxy.get(long, proxy.key, { 'if-none-match': known });
      expect([known, statusCode]).toEqual([known, 200]);
    }
  });

  test('match * if their block exists, which is looked up in the index alone', async () => {
    const any = { 'if-none-match': '*' };
    await get(long);
    proxy.store.reads = [];
    const [known, none] = [await get(long, any), await get(`${unknown}/pois`, any)];
    const { etag } = (await get(long)).headers;
    expect([known.statusCode, known.headers.etag]).toEqual([304, etag]);
    expect([none.statusCode, none.json().type]).toEqual([
      404,
      expect.stringMatching(/\/block-not-found$/),
    ]);
    expect(proxy.store.reads).toEqual([]);
  });

  test('are refused without tokens before any times are read, and not found for an unknown block', async () => {
    const { key } = await proxy.customer({ tokens: 0 });
    const other = county.blocks[4].geoid;
    proxy.store.reads = [];
    for (const method of ['GET', 'HEAD'] as const) {
      const refused = await proxy.get(`/v1/blocks/${other}/pois`, key, {}, method);
      expect([method, refused.statusCode, refused.headers['x-tokens-remaining']]).toEqual([
        method,
        429,
        '0',
      ]);
    }
    expect((await proxy.get(`${unknown}/pois`, key)).statusCode).toBe(404);
    expect(proxy.store.reads.filter((name) => !name.startsWith('index/'))).toEqual([]);
  });

  test('cost a token to price with HEAD, which states only their ETag besides', async () => {
    const { id, key } = await proxy.customer({ tokens: 1 });
    for (const encoding of ['gzip', 'identity']) {
      const whole = await get(long, { 'accept-encoding': encoding });
      const headers = { 'accept-encoding': encoding };
      const head = await proxy.get(long, encoding === 'gzip' ? key : proxy.key, headers, 'HEAD');
      expect([head.statusCode, head.body]).toEqual([200, '']);
      expect(head.headers).toMatchObject({
        etag: whole.headers.etag,
        'x-tokens-cost': '90',
        'x-tokens-charged': '1',
      });
      const stated = Object.keys(head.headers);
      expect(stated.filter((name) => /^content-|link|cursor/.test(name))).toEqual([]);
    }
    expect(await proxy.balance(id)).toBe(0);
  });

  test('cost as many tokens as there are rows, and are refused to a balance one short', async () => {
    for (const rows of [1, 2, 17]) {
      const [exact, short] = [
        await proxy.customer({ tokens: rows }),
        await proxy.customer({ tokens: Math.max(1, rows - 1) }),
      ];
      const url = `${block}/pois?limit=${rows}`;
      const paid = await proxy.get(url, exact.key);
      expect([paid.statusCode, paid.json().results.length]).toEqual([200, rows]);
      expect(await proxy.balance(exact.id)).toBe(0);
      if (rows === 1) continue;
      const refused = await proxy.get(url, short.key);
      expect([refused.statusCode, refused.json().tokens_remaining]).toEqual([429, rows - 1]);
      expect(await proxy.balance(short.id)).toBe(rows - 1);
    }
  });
});

describe('maps of the demo city', () => {
  const proxy = proxyOfTests();
  const TILES = '/v1/isochrone/tiles/walk/101';
  let isochrone: string;
  let tile: string;
  beforeAll(async () => {
    const release = proxy.releases.current;
    const index = await release.index(release.county('99001')!);
    const ordinal = index.geoids.findIndex((_, i) => index.isRoutable(i));
    isochrone = `/v1/isochrone?block=${geoidFromNumber(index.geoids[ordinal])}`;
    const [west, south, east, north] = release.county('99001')!.block_box;
    const sine = Math.sin((((south + north) / 2) * Math.PI) / 180);
    const x = 2 ** 12 * (((west + east) / 2 + 180) / 360);
    const y = 2 ** 12 * (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI));
    tile = `${TILES}/12/${Math.floor(x)}/${Math.floor(y)}.mvt`;
  });

  test('an isochrone is charged per contour, whatever it reaches, and HEAD reads none of it', async () => {
    const url = `${isochrone}&contours=3&contours=4`;
    const { id, key } = await proxy.customer({ tokens: 19 });
    proxy.store.reads = [];
    const refused = await proxy.get(url, key);
    expect([refused.statusCode, refused.json().tokens_remaining]).toEqual([429, 19]);
    const prices: [string, string | undefined][] = [];
    for (const encoding of ['gzip', 'identity']) {
      const head = await proxy.get(url, key, { 'accept-encoding': encoding }, 'HEAD');
      expect(head.headers).toMatchObject({ 'x-tokens-cost': '20', 'x-tokens-charged': '1' });
      prices.push([encoding, head.headers.etag as string]);
    }
    expect(proxy.store.reads.filter((name) => !name.startsWith('index/'))).toEqual([]);
    expect(await proxy.balance(id)).toBe(17);
    for (const [encoding, etag] of prices) {
      const whole = await proxy.get(url, proxy.key, { 'accept-encoding': encoding });
      expect([encoding, whole.headers.etag, whole.headers['x-tokens-charged']]).toEqual([
        encoding,
        etag,
        '20',
      ]);
      expect(whole.headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
    }
  });

  test('an isochrone of a pinned version is cached for ever, by its client only', async () => {
    const { version } = proxy.releases.current;
    const cached = async (url: string) =>
      (await proxy.get(url, proxy.key)).headers['cache-control'];
    const url = `${isochrone}&minutes=3`;
    expect([await cached(url), await cached(`${url}&v=${version}`)]).toEqual([
      'public, no-cache',
      'private, max-age=31536000, immutable',
    ]);
  });

  test('a member pays for no isochrone, and the responses have no token headers', async () => {
    const { id, key } = await proxy.customer({ tokens: 0, member: true });
    const whole = await proxy.get(`${isochrone}&minutes=3`, key);
    const head = await proxy.get(`${isochrone}&minutes=3`, key, {}, 'HEAD');
    const etag = { 'if-none-match': String(whole.headers.etag) };
    const same = await proxy.get(`${isochrone}&minutes=3`, key, etag);
    expect([whole, head, same].map(({ statusCode }) => statusCode)).toEqual([200, 200, 304]);
    for (const { headers } of [whole, head, same]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('x-tokens'))).toEqual([]);
    }
    expect(whole.json().type).toBe('FeatureCollection');
    // Other routes are not free.
    const rows = `/v1/blocks/${isochrone.split('=')[1]}/summary`;
    expect((await proxy.get(rows, key)).statusCode).toBe(429);
    expect(await proxy.ledger.usage(id)).toEqual([]);
  });

  test('an empty tile is free, also without tokens; any other costs a token', async () => {
    const { id, key } = await proxy.customer({ tokens: 0 });
    for (const method of ['GET', 'HEAD'] as const) {
      const empty = await proxy.get(`${TILES}/12/0/0.mvt`, key, {}, method);
      expect([empty.statusCode, empty.body, empty.headers['x-tokens-charged']]).toEqual([
        204,
        '',
        '0',
      ]);
      expect(empty.headers).not.toHaveProperty('content-type');
      const refused = await proxy.get(tile, key, {}, method);
      expect([method, refused.statusCode]).toEqual([method, 429]);
    }
    const any = await proxy.get(tile, key, { 'if-none-match': '*' });
    expect([any.statusCode, any.body]).toEqual([304, '']);
    expect(await proxy.ledger.usage(id)).toEqual([]);
    const plain = await proxy.get(tile, proxy.key);
    const zipped = await proxy.get(tile, proxy.key, { 'accept-encoding': 'gzip' });
    for (const { headers } of [plain, zipped]) {
      expect(headers).toMatchObject({
        'content-type': 'application/vnd.mapbox-vector-tile',
        'x-tokens-charged': '1',
      });
    }
    expect([plain, zipped].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
    ]);
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
  });
});
