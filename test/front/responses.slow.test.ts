import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { BY } from '../support/customers.ts';
import { HOSTS, startNginxFront, startVarnishFront } from '../support/front.ts';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';
import { openWire, type Wire, type WireRequest } from '../support/wire.ts';

const proxy = proxyOfTests();
let wire: Wire;
/** Statuses of the service's responses, in order. */
let statuses: number[];
const isProbe = ({ path }: WireRequest) => path === '/v1/ready';
const noted: Wire['fault'] = (request) =>
  isProbe(request) ? null : { alter: ({ status }) => void statuses.push(status) };
let blocks: string[];

beforeAll(async () => {
  wire = await openWire(`http://127.0.0.1:${await proxy.listen()}`);
  const release = proxy.releases.current;
  const index = await release.index(Object.values(release.manifest.counties)[0]);
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  blocks = ordinals.filter((i) => index.isRoutable(i)).map((i) => geoidFromNumber(index.geoids[i]));
  statuses = [];
  wire.fault = noted;
});
afterAll(() => wire.close());
afterEach(() => {
  statuses = [];
  wire.requests = [];
  wire.fault = noted;
});

const FRONTS = {
  nginx: () => startNginxFront({ api: [wire.address] }),
  Varnish: () => startVarnishFront(wire.address),
};

describe.each(Object.keys(FRONTS) as (keyof typeof FRONTS)[])('%s, across releases', (name) => {
  test('a revalidated response names the release in force, and is free', async () => {
    const shape = { blocks: 12, pois: 60 };
    const [same, before, after] = [
      smallCounty({ fips: '24510', seed: 1, ...shape }),
      smallCounty({ fips: '24005', seed: 2, ...shape }),
      smallCounty({ fips: '24005', seed: 3, ...shape }),
    ];
    const folder = await folderOfThisTest();
    await publishSmallRelease(folder, 'first', [same, before]);
    const service = await ofThisTest(openProxy(folder));
    const own = await openWire(`http://127.0.0.1:${await service.listen()}`);
    const front = await (name === 'nginx'
      ? startNginxFront({ api: [own.address] })
      : startVarnishFront(own.address));
    try {
      const { id, key } = await service.customer();
      const url = `https://${HOSTS.api}/v1/blocks/${same.blocks[3].geoid}/summary`;
      const ask = () => front.ask(url, { authorization: `Bearer ${key}` });
      const first = await ask();
      const release = service.releases.current.version;
      expect([first.status, first.headers['x-data-release']]).toEqual([200, release]);
      const paid = await service.balance(id);
      await publishSmallRelease(folder, 'second', [same, after]);
      expect(await service.releases.refresh()).toBe(true);
      const inForce = service.releases.current.version;
      expect(inForce).not.toBe(release);
      // nginx asks for the release in force once a second.
      await expect.poll(async () => (await ask()).headers['x-data-release']).toBe(inForce);
      const last = await ask();
      expect([last.status, last.body, last.headers['x-tokens-charged']]).toEqual([
        200,
        first.body,
        '0',
      ]);
      expect(await service.balance(id)).toBe(paid);
    } finally {
      await front.stop();
      await own.close();
    }
  });
});

describe.each(Object.keys(FRONTS) as (keyof typeof FRONTS)[])('%s', (name) => {
  const front = ofTests(() => FRONTS[name]());

  /** Returns the URL of a summary that has not been requested from this front before. */
  const unasked = () =>
    `https://${HOSTS.api}/v1/blocks/${blocks.pop()}/summary?mode=walk&mode=bike`;
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const seen = () => statuses.splice(0);
  /**
   * Possible statuses of the service for a response that the front stored before an error, since
   * Varnish may drop the stored response.
   */
  const afterAnError = name === 'nginx' ? [304] : [200, 304];

  test('a response is charged once; from then on it is cached, and each use is a free 304 at the service', async () => {
    const { id, key } = await proxy.customer();
    const url = unasked();
    const first = await front.ask(url, as(key));
    const paid = Number(first.headers['x-tokens-charged']);
    expect([first.status, paid]).toEqual([200, JSON.parse(`${first.body}`).results.length]);
    expect(await proxy.balance(id)).toBe(10_000 - paid);
    for (let again = 0; again < 3; again++) {
      const response = await front.ask(url, { ...as(key), 'x-request-id': `again-${again}` });
      expect(response.status).toBe(200);
      expect(response.body.equals(first.body)).toBe(true);
      // Headers of the first response are not repeated in this one.
      expect(response.headers).toMatchObject({
        'x-tokens-charged': '0',
        'x-request-id': `again-${again}`,
        etag: first.headers.etag,
        vary: first.headers.vary,
        'cache-control': 'public, no-cache',
      });
      expect([undefined, `${10_000 - paid}`]).toContain(response.headers['x-tokens-remaining']);
    }
    expect(await proxy.balance(id)).toBe(10_000 - paid);
    expect(seen()).toEqual([200, 304, 304, 304]);
  });

  test('no client gets a response paid for with another key', async () => {
    const [a, b] = [await proxy.customer(), await proxy.customer()];
    const url = unasked();
    for (const { key } of [a, b, a, b]) expect((await front.ask(url, as(key))).status).toBe(200);
    expect(seen()).toEqual([200, 200, 304, 304]);
    expect(await proxy.balance(a.id)).toBe(await proxy.balance(b.id));
    expect(await proxy.balance(b.id)).toBeLessThan(10_000);
    for (const headers of [{}, as('ta_live_nobody'), { authorization: `Basic ${a.key}` }]) {
      const refused = await front.ask(url, headers);
      expect([refused.status, refused.headers['content-type']]).toEqual([
        401,
        expect.stringContaining('problem+json'),
      ]);
    }
  });

  test('a revoked or disabled key gets none of the responses cached for it', async () => {
    const [a, b] = [await proxy.customer(), await proxy.customer()];
    const url = unasked();
    for (const { key } of [a, b, a, b]) await front.ask(url, as(key));
    const [keyOfA] = await proxy.ledger.keys(a.id);
    await proxy.ledger.revokeKey(a.id, keyOfA.id, BY);
    await proxy.ledger.setDisabled(b.id, true, BY);
    const refused = [await front.ask(url, as(a.key)), await front.ask(url, as(b.key))];
    expect(refused.map(({ status }) => status)).toEqual([401, 403]);
    for (const { body } of refused) expect(`${body}`).not.toContain('travel_time');
    await proxy.ledger.setDisabled(b.id, false, BY);
    expect((await front.ask(url, as(b.key))).status).toBe(200);
    const replies = seen();
    expect(replies.slice(0, -1)).toEqual([200, 200, 304, 304, 401, 403]);
    expect(afterAnError).toContain(replies.at(-1));
  });

  test('a client that has a response gets a free 304, even if the front has never seen it', async () => {
    const { id, key } = await proxy.customer();
    const url = unasked();
    const direct = await proxy.get(url.slice(`https://${HOSTS.api}`.length), key);
    const balance = await proxy.balance(id);
    const etag = `${direct.headers.etag}`;
    const held = await front.ask(url, { ...as(key), 'if-none-match': etag });
    expect([held.status, held.body.length, held.headers.etag]).toEqual([304, 0, etag]);
    expect(held.headers).toMatchObject({
      'x-tokens-charged': '0',
      'x-tokens-remaining': `${balance}`,
    });
    expect(await proxy.balance(id)).toBe(balance);
    const other = await front.ask(url, { ...as(key), 'if-none-match': '"another"' });
    expect(other.status).toBe(200);
    expect(await proxy.balance(id)).toBeLessThan(balance);
  });

  test('preconditions are decided by the service, before the debit', async () => {
    const { id, key } = await proxy.customer();
    const url = unasked();
    const first = await front.ask(url, as(key));
    const etag = String(first.headers.etag);
    const paid = await proxy.balance(id);
    for (const [failing, method] of [
      [{ 'if-match': '"x"' }, 'GET'],
      [{ 'if-match': `W/${etag}` }, 'GET'],
      [{ 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 'GET'],
      [{ 'if-match': '"x"' }, 'HEAD'],
    ] as const) {
      for (const target of [url, unasked()]) {
        const refused = await front.ask(target, { ...as(key), ...failing }, method);
        expect([refused.status, refused.headers['content-type']]).toEqual([
          412,
          'application/problem+json; charset=utf-8',
        ]);
        expect(await proxy.balance(id)).toBe(paid);
      }
    }
    const holdings: readonly Readonly<Record<string, string>>[] = [
      { 'if-match': etag },
      { 'if-match': '*' },
      { 'if-unmodified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
      { 'if-match': etag, 'accept-encoding': 'gzip' },
    ];
    for (const holding of holdings) {
      const before = await proxy.balance(id);
      const response = await front.ask(url, { ...as(key), ...holding });
      expect(response.status).toBe(200);
      expect(before - (await proxy.balance(id))).toBe(Number(response.headers['x-tokens-charged']));
    }
    const catalogue = `https://${HOSTS.api}/v1/meta/modes`;
    for (let again = 0; again < 2; again++) {
      const refused = await front.ask(catalogue, { 'if-match': '"x"' });
      expect([refused.status, JSON.parse(`${refused.body}`).type]).toEqual([
        412,
        expect.stringMatching(/\/precondition-failed$/),
      ]);
    }
  });

  test('a HEAD costs the price of a HEAD and leaves nothing in the cache', async () => {
    const { id, key } = await proxy.customer();
    const url = unasked();
    const head = await front.ask(url, as(key), 'HEAD');
    expect([head.status, head.headers['x-tokens-charged']]).toEqual([200, '1']);
    expect(await proxy.balance(id)).toBe(9_999);
    const { body } = await front.ask(url, as(key));
    expect(JSON.parse(`${body}`).results.length).toBe(Number(head.headers['x-tokens-cost']));
    const asked = wire.requests.filter((request) => !isProbe(request));
    expect(asked.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  test('formats and codings of one response are cached separately', async () => {
    const { key } = await proxy.customer();
    const url = `https://${HOSTS.api}/v1/places/9957600/blocks?mode=walk&limit=${blocks.length}`;
    const wishes: Record<string, string>[] = [
      {},
      { 'accept-encoding': 'gzip' },
      { accept: 'text/csv' },
      { accept: 'text/csv', 'accept-encoding': 'gzip' },
    ];
    const kinds = [];
    for (const round of [1, 2]) {
      for (const wish of wishes) {
        const { headers, body } = await front.ask(url, { ...as(key), ...wish });
        const isZipped = headers['content-encoding'] === 'gzip';
        const text = `${isZipped ? gunzipSync(body) : body}`;
        kinds.push([round, isZipped, text.startsWith('{') ? 'json' : 'csv']);
      }
    }
    const each = (round: number) => [
      [round, false, 'json'],
      [round, true, 'json'],
      [round, false, 'csv'],
      [round, true, 'csv'],
    ];
    expect(kinds).toEqual([...each(1), ...each(2)]);
    expect(seen()).toEqual([200, 200, 200, 200, 304, 304, 304, 304]);
  });

  test('caches no error, of the service or of a request', async () => {
    const { id, key } = await proxy.customer();
    const url = unasked();
    await front.ask(url, as(key));
    const balance = await proxy.balance(id);
    const ask = () => front.ask(url, as(key)).then(({ status }) => status);
    for (const status of [500, 503, 404, 429]) {
      wire.fault = () => ({ alter: (response) => void Object.assign(response, { status }) });
      expect(await ask()).toBe(status);
    }
    wire.fault = noted;
    expect(await ask()).toBe(200);
    const missing = `https://${HOSTS.api}/v1/blocks/990019999999999/summary`;
    for (const _ of [1, 2]) expect((await front.ask(missing, as(key))).status).toBe(404);
    const [stored, reply, ...others] = seen();
    expect([stored, ...others]).toEqual([200, 404, 404]);
    expect(afterAnError).toContain(reply);
    const paidAgain = balance - (await proxy.balance(id));
    expect(paidAgain > 0).toBe(reply === 200);
  });

  test('responds 503 with a problem while the service is away, and serves nothing from the cache', async () => {
    const { key } = await proxy.customer();
    const url = unasked();
    await front.ask(url, as(key));
    wire.fault = () => 'reset';
    const refused = await front.ask(url, as(key));
    expect([
      refused.status,
      refused.headers['content-type'],
      refused.headers['retry-after'],
    ]).toEqual([503, 'application/problem+json', '5']);
    expect(JSON.parse(`${refused.body}`)).toMatchObject({ status: 503, title: expect.any(String) });
    wire.fault = noted;
    expect((await front.ask(url, as(key))).status).toBe(200);
  });

  test('does not mention charges in the 503 for a server without a response, since it may have charged', async () => {
    const { id, key } = await proxy.customer();
    const before = await proxy.balance(id);
    wire.fault = () => 'lost';
    const refused = await front.ask(unasked(), as(key));
    wire.fault = noted;
    expect(refused.status).toBe(503);
    expect(await proxy.balance(id)).toBeLessThan(before);
    expect(JSON.parse(`${refused.body}`).detail).not.toMatch(/charged/);
  });

  test('requests the catalogue once, for all clients', async () => {
    const url = `https://${HOSTS.api}/v1/meta/modes?`;
    const responses = [];
    for (const _ of [1, 2, 3]) responses.push(await front.ask(url));
    expect(new Set(responses.map(({ body }) => `${body}`)).size).toBe(1);
    expect(seen()).toEqual([200]);
    // The rate limit is that of the client that caused the request.
    expect(responses.map(({ headers }) => headers.ratelimit !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('no front caches a pinned isochrone, which is private to its client', async () => {
    const { key } = await proxy.customer();
    const { version } = proxy.releases.current;
    const url = `https://${HOSTS.api}/v1/isochrone?block=${blocks[0]}&minutes=5&v=${version}`;
    for (const _ of [1, 2]) {
      const { headers } = await front.ask(url, as(key));
      expect(headers).toMatchObject({
        'cache-control': 'private, max-age=31536000, immutable',
        'x-tokens-charged': '10',
      });
    }
    expect(seen()).toEqual([200, 200]);
  });

  test('passes the longest headers that list origins', async () => {
    const { key } = await proxy.customer({ tokens: 1e6 });
    const url = `https://${HOSTS.api}/v1/blocks/summary`;
    const origins = Array.from({ length: 250 }, (_, i) => blocks[i % blocks.length]);
    const body = JSON.stringify({ origins, mode: ['walk'], max_rows: 1 });
    const wish = { ...as(key), accept: 'text/csv', 'content-type': 'application/json' };
    const { status, headers } = await front.ask(url, wish, 'POST', body);
    expect(status).toBe(200);
    expect(headers['x-truncated']!.split(',')).toEqual(origins.slice(1));
  });

  test('never caches a POST', async () => {
    const { key } = await proxy.customer();
    const url = `https://${HOSTS.api}/v1/blocks/summary`;
    for (const _ of [1, 2]) await front.ask(url, as(key), 'POST');
    expect(seen()).toHaveLength(2);
  });
});
