import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let key: string;
/** A routable block with rows, and one that cannot be routed. */
let geoid: string;
let water: string;

const summary = (block: string, query = '') => `/v1/blocks/${block}/summary${query}`;
const NO_SUCH_BLOCK = '990019999999999';

beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  ({ key } = await proxy.customer({ tokens: 10_000_000 }));
  const index = await proxy.releases.current.index(proxy.releases.current.county('99001')!);
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  geoid = geoidFromNumber(index.geoids[ordinals.find((i) => index.isRoutable(i))!]);
  water = geoidFromNumber(index.geoids[ordinals.find((i) => !index.isRoutable(i))!]);
});
afterAll(() => proxy.close());

const balanceOf = async (id: string) => (await proxy.ledger.account(id))!.balance;
const slugOf = (body: string) => new URL(JSON.parse(body).type).pathname.split('/').at(-1);

describe('charging', () => {
  test('a summary costs a token a row, said in its headers, and in the ledger', async () => {
    const customer = await proxy.customer({ tokens: 1000 });
    const answer = await proxy.get(summary(geoid), customer.key);
    const rows = answer.json().results.length;
    expect(rows).toBeGreaterThan(10);
    expect(answer.headers['x-tokens-charged']).toBe(String(rows));
    expect(answer.headers['x-tokens-remaining']).toBe(String(1000 - rows));
    expect(await balanceOf(customer.id)).toBe(1000 - rows);
    const [day] = await proxy.ledger.usage(customer.id);
    expect(day).toMatchObject({ requests: 1, tokens: rows });
  });

  test('a known block without rows is 200, empty, and costs one token', async () => {
    const answer = await proxy.get(summary(water), key);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ block: { geoid: water }, results: [] });
    expect(answer.headers['x-tokens-charged']).toBe('1');
  });

  test('two hundred racing requests on a balance of one hundred answers charge exactly that', async () => {
    const cost = Number((await proxy.get(summary(geoid), key)).headers['x-tokens-charged']);
    const customer = await proxy.customer({ tokens: 100 * cost });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => proxy.get(summary(geoid), customer.key)),
    );
    const delivered = answers.filter((answer) => answer.statusCode === 200);
    const refused = answers.filter((answer) => answer.statusCode === 429);
    expect([delivered.length, refused.length]).toEqual([100, 100]);
    expect(await balanceOf(customer.id)).toBe(0);
    expect(slugOf(refused[0].body)).toBe('tokens-exhausted');
    expect(refused[0].json()).toMatchObject({ tokens_required: cost, tokens_remaining: 0 });
    expect(refused[0].headers['retry-after']).toMatch(/^\d+$/);
  });

  test('HEAD costs one token, and tells nothing of the answer but its ETag and cost', async () => {
    const customer = await proxy.customer({ tokens: 1000 });
    const head = await proxy.get(summary(geoid), customer.key, {}, 'HEAD');
    expect(await balanceOf(customer.id)).toBe(999);
    const get = await proxy.get(summary(geoid), customer.key);
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['x-tokens-cost']).toBe(get.headers['x-tokens-charged']);
    expect(head.headers['x-tokens-charged']).toBe('1');
    expect(head.headers['x-tokens-remaining']).toBe('999');
    for (const name of ['etag', 'cache-control', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
    const told = new Set(Object.keys(head.headers));
    for (const name of Object.keys(get.headers)) told.delete(name);
    expect([...told]).toEqual(['x-tokens-cost']);
    for (const name of ['content-length', 'content-type', 'content-encoding', 'link']) {
      expect(head.headers).not.toHaveProperty(name);
    }
  });

  test('HEAD of a page and of a point tells neither the next page nor the block', async () => {
    const [{ manifest: county }] = proxy.releases.current.counties;
    const { lon, lat } = await proxy.releases.current.index(county);
    const point = `lat=${lat[0] / 1e6}&lon=${lon[0] / 1e6}`;
    for (const url of [`/v1/blocks/${geoid}/pois?limit=1`, `/v1/point/summary?${point}`]) {
      const head = await proxy.get(url, key, {}, 'HEAD');
      expect([head.statusCode, head.headers['x-tokens-charged']]).toEqual([200, '1']);
      for (const name of ['link', 'x-next-cursor', 'x-resolved-block', 'content-length']) {
        expect(head.headers).not.toHaveProperty(name);
      }
    }
    const none = await proxy.customer({ tokens: 0 });
    const refused = await proxy.get(summary(geoid), none.key, {}, 'HEAD');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3600']);
    const { etag } = (await proxy.get(summary(geoid), key)).headers;
    const known = { 'if-none-match': String(etag) };
    expect((await proxy.get(summary(geoid), none.key, known, 'HEAD')).statusCode).toBe(304);
  });

  test('/v1/tokens is free, also at a zero balance', async () => {
    const customer = await proxy.customer({ tokens: 0 });
    const answer = await proxy.get('/v1/tokens', customer.key);
    expect(answer.json()).toEqual({ tokens_remaining: 0 });
  });

  test('an answer that the client did not wait for is refunded, and one it waited for is not', async () => {
    const slow = await openProxy(inject('demoStore'), { debitDelayMs: 500 });
    try {
      const customer = await slow.customer({ tokens: 5000 });
      await slow.app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = slow.app.server.address() as { port: number };
      const ask = (leaveAfterMs: number | 'the answer') =>
        new Promise<void>((resolve) => {
          const request = `GET ${summary(geoid)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.key}\r\n\r\n`;
          const socket = connect(port, '127.0.0.1', () => {
            socket.write(request);
            if (leaveAfterMs !== 'the answer') {
              setTimeout(() => socket.resetAndDestroy(), leaveAfterMs);
            }
          });
          socket.on('data', () => socket.resetAndDestroy());
          socket.on('close', () => resolve());
        });
      await Promise.all(Array.from({ length: 20 }, () => ask(40)));
      await new Promise((resolve) => setTimeout(resolve, 600));
      await vi.waitFor(async () => expect(await slow.ledger.usage(customer.id)).toEqual([]));
      expect((await slow.ledger.account(customer.id))!.balance).toBe(5000);
      await ask('the answer');
      const { balance } = (await slow.ledger.account(customer.id))!;
      expect(balance).toBeLessThan(5000);
    } finally {
      await slow.close();
    }
  });
});

describe('the order of a metered request', () => {
  test('key before rate before parameters before If-None-Match before debit', async () => {
    const limited = await openProxy(inject('demoStore'), { rateLimitPerMinute: 3 });
    try {
      const customer = await limited.customer({ tokens: 1 });
      const bad = summary('12', '?limt=3');
      expect(slugOf((await limited.get(bad)).body)).toBe('missing-key');
      expect(slugOf((await limited.get(bad, 'ta_live_nonsense')).body)).toBe('invalid-key');
      expect(slugOf((await limited.get(bad, customer.key)).body)).toBe('invalid-parameters');
      const etag = (await proxy.get(summary(geoid), key)).headers.etag!;
      const unchanged = await limited.get(summary(geoid), customer.key, { 'if-none-match': etag });
      expect(unchanged.statusCode).toBe(304);
      expect(slugOf((await limited.get(summary(geoid), customer.key)).body)).toBe(
        'tokens-exhausted',
      );
      const refused = await limited.get(bad, customer.key);
      expect(slugOf(refused.body)).toBe('rate-limited');
      expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"default";q=3;w=60' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await limited.ledger.account(customer.id))!.balance).toBe(1);
    } finally {
      await limited.close();
    }
  });

  test('what is refused costs nothing', async () => {
    const customer = await proxy.customer({ tokens: 100 });
    const refusals = [
      [summary('123'), 'invalid-parameters'],
      [summary(geoid, '?mode=car'), 'invalid-parameters'],
      [summary(geoid, '?type=99999'), 'invalid-parameters'],
      [summary(geoid, '?type=1e6'), 'invalid-parameters'],
      [summary(geoid, '?typ=101'), 'invalid-parameters'],
      [summary(NO_SUCH_BLOCK), 'block-not-found'],
      [summary('110010001001000'), 'block-not-found'],
      [`/v1/blocks/${geoid}/pois?limit=0`, 'invalid-parameters'],
      [`/v1/blocks/${geoid}/pois?limit=1001`, 'invalid-parameters'],
      [`/v1/blocks/${geoid}/pois?limit=5&limit=6`, 'invalid-parameters'],
      [`/v1/blocks/${geoid}/pois?max_minutes=31`, 'invalid-parameters'],
      [`/v1/blocks/${geoid}/pois?max_minutes=NaN`, 'invalid-parameters'],
      [`/v1/blocks/${geoid}/pois?cursor=abc`, 'invalid-cursor'],
    ] as const;
    for (const [url, slug] of refusals) {
      expect([url, slugOf((await proxy.get(url, customer.key)).body)]).toEqual([url, slug]);
    }
    expect(await balanceOf(customer.id)).toBe(100);
  });

  test('an unknown parameter is named, and the allowed ones are', async () => {
    const { errors } = (await proxy.get(summary(geoid, '?modes=walk'), key)).json();
    expect(errors).toEqual([
      {
        loc: ['query', 'modes'],
        msg: 'unknown parameter; this route takes mode, type, limit, cursor',
        type: 'unrecognized_keys',
      },
    ]);
  });

  test('a revoked key and a disabled account are refused', async () => {
    const customer = await proxy.customer();
    await proxy.ledger.setDisabled(customer.id, true);
    const disabled = await proxy.get(summary(geoid), customer.key);
    expect([disabled.statusCode, slugOf(disabled.body)]).toEqual([403, 'account-disabled']);
    await proxy.ledger.setDisabled(customer.id, false);
    const [{ id }] = await proxy.ledger.keys(customer.id);
    await proxy.ledger.revokeKey(customer.id, id);
    const revoked = await proxy.get(summary(geoid), customer.key);
    expect([revoked.statusCode, slugOf(revoked.body)]).toEqual([401, 'invalid-key']);
    expect(revoked.headers['www-authenticate']).toMatch(/^Bearer/);
  });
});

describe('conditional requests', () => {
  test('a 304 is free, has the ETag and no body, and reads no shard', async () => {
    const customer = await proxy.customer({ tokens: 1000 });
    const first = await proxy.get(summary(geoid), customer.key);
    const balance = await balanceOf(customer.id);
    // A proxy that has read nothing yet knows it too.
    const cold = await openProxy(inject('demoStore'));
    try {
      const stranger = await cold.customer({ tokens: 0 });
      const etag = first.headers.etag!;
      for (const value of [etag, `W/${etag}`, `"other", W/${etag} , "x"`]) {
        const unchanged = await cold.get(summary(geoid), stranger.key, { 'if-none-match': value });
        expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
        expect(unchanged.headers.etag).toBe(etag);
      }
      expect(cold.store.reads).toEqual([]);
      const other = await cold.get(summary(geoid), stranger.key, { 'if-none-match': '"other"' });
      expect(slugOf(other.body)).toBe('tokens-exhausted');
    } finally {
      await cold.close();
    }
    expect(await balanceOf(customer.id)).toBe(balance);
  });

  test('* is 304 for what exists and 404 for what does not', async () => {
    const any = { 'if-none-match': '*' };
    expect((await proxy.get(summary(geoid), key, any)).statusCode).toBe(304);
    expect((await proxy.get(summary(NO_SUCH_BLOCK), key, any)).statusCode).toBe(404);
  });

  test('the ETag does not depend on key, balance or the spelling of the query', async () => {
    const etag = async (query: string, k = key) =>
      (await proxy.get(summary(geoid, query), k)).headers.etag;
    const other = await proxy.customer({ tokens: 777 });
    const reference = await etag('?mode=walk&mode=bike&type=101&type=201');
    expect(await etag('?type=201&mode=bike&type=101&mode=walk&mode=walk', other.key)).toBe(
      reference,
    );
    expect(await etag('?mode=walk&type=101&type=201')).not.toBe(reference);
    const [school, ...levels] = [310, 311, 312, 313, 314].map((id) => `type=${id}`);
    expect(await etag(`?${school}`)).toBe(await etag(`?${levels.join('&')}`));
  });

  test('a cold summary is one range read once the index is cached; a hot one none', async () => {
    const cold = await openProxy(inject('demoStore'));
    try {
      const customer = await cold.customer();
      await cold.get(summary(water), customer.key);
      cold.store.reads = [];
      await cold.get(summary(geoid), customer.key);
      expect(cold.store.reads).toHaveLength(1);
      await cold.get(summary(geoid), customer.key);
      expect(cold.store.reads).toHaveLength(1);
      const pois = `/v1/blocks/${geoid}/pois`;
      await cold.get(pois, customer.key);
      cold.store.reads = [];
      await cold.get(`${pois}?limit=7`, customer.key);
      expect(cold.store.reads).toHaveLength(1);
    } finally {
      await cold.close();
    }
  });
});

describe('when something is broken', () => {
  test('a damaged, shortened or absent object is 503, uncharged, and says nothing internal', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tta-broken-'));
    try {
      await cp(inject('demoStore'), folder, { recursive: true });
      for (const harm of ['flip', 'lengthen', 'remove'] as const) {
        const broken = await openProxy(folder);
        const customer = await broken.customer({ tokens: 500 });
        const { nearest } = broken.releases.current.county('99001')!.objects;
        const file = path.join(folder, nearest.name);
        if (harm === 'flip') await writeFile(file, Buffer.alloc(nearest.bytes));
        if (harm === 'lengthen') await appendFile(file, 'x');
        if (harm === 'remove') await rm(file);
        const answer = await broken.get(summary(geoid), customer.key);
        expect([harm, answer.statusCode, slugOf(answer.body)]).toEqual([
          harm,
          503,
          'store-unavailable',
        ]);
        expect(answer.headers['retry-after']).toBeDefined();
        expect(answer.body).not.toContain(folder);
        expect((await broken.ledger.account(customer.id))!.balance).toBe(500);
        await broken.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('without a ledger there is no metered answer, and the catalogue stays up', async () => {
    const broken = await openProxy(inject('demoStore'));
    const customer = await broken.customer();
    await broken.ledger.close();
    const answer = await broken.get(summary(geoid), customer.key);
    expect([answer.statusCode, slugOf(answer.body)]).toEqual([503, 'debit-unavailable']);
    expect((await broken.get('/v1/meta/modes')).statusCode).toBe(200);
    expect((await broken.get('/v1/ready')).statusCode).toBe(503);
    expect((await broken.get('/v1/health')).statusCode).toBe(200);
    await broken.close();
  });
});
