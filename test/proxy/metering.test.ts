import { appendFile, cp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import fc from 'fast-check';
import { Client } from 'undici';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { mintApiKey } from '../../proxy/ledger/api-key.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { forAll } from '../support/for-all.ts';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const proxy = proxyOfTests();
/** Paths of rows of a routable block, and of the summary of one that cannot be routed. */
let summary: string;
let water: string;
let pois: string;
beforeAll(async () => {
  const index = await proxy.releases.current.index(proxy.releases.current.county('99001')!);
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  const blockOf = (i: number) => `/v1/blocks/${geoidFromNumber(index.geoids[i])}`;
  const routable = ordinals.find((i) => index.isRoutable(i))!;
  [summary, pois] = ['summary', 'pois'].map((route) => `${blockOf(routable)}/${route}`);
  water = `${blockOf(ordinals.find((i) => !index.isRoutable(i))!)}/summary`;
});

/** Opens a proxy for the current test alone. */
async function ownProxy(...[store, options]: Parameters<typeof openProxy>) {
  const own = await ofThisTest(openProxy(store, options));
  return own;
}

test('two hundred racing requests on a balance of one hundred responses charge exactly that', async () => {
  const cost = Number((await proxy.get(summary, proxy.key)).headers['x-tokens-charged']);
  const customer = await proxy.customer({ tokens: 100 * cost });
  const responses = await Promise.all(
    Array.from({ length: 200 }, () => proxy.get(summary, customer.key)),
  );
  const delivered = responses.filter((response) => response.statusCode === 200);
  const refused = responses.filter((response) => response.statusCode === 429);
  expect([delivered.length, refused.length]).toEqual([100, 100]);
  expect(await proxy.balance(customer.id)).toBe(0);
  expect(refused[0].json()).toMatchObject({
    type: expect.stringMatching(/\/tokens-exhausted$/),
    tokens_remaining: 0,
  });
});

test('HEAD of a route free for members charges a member nothing, and has no token headers', async () => {
  const member = await proxy.customer({ tokens: 500, member: true });
  const { block_box: box } = proxy.releases.current.county('99001')!;
  const [lon, lat] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  const sin = Math.sin((lat * Math.PI) / 180);
  const x = Math.floor(((lon + 180) / 360) * 2 ** 12);
  const y = Math.floor((0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * 2 ** 12);
  const free = [
    `/v1/isochrone?minutes=10&block=${summary.split('/')[3]}`,
    `/v1/isochrone/tiles/walk/101/12/${x}/${y}.mvt`,
  ];
  for (const url of free) {
    const paid = await proxy.get(url, proxy.key, {}, 'HEAD');
    expect([url, paid.statusCode]).toEqual([url, 200]);
    expect(Number(paid.headers['x-tokens-charged'])).toBeGreaterThan(0);
    const { statusCode, headers } = await proxy.get(url, member.key, {}, 'HEAD');
    expect(statusCode).toBe(200);
    expect(headers.etag).toBe(paid.headers.etag);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-tokens'))).toEqual([]);
  }
  expect(await proxy.balance(member.id)).toBe(500);
  expect(await proxy.ledger.usage(member.id)).toEqual([]);
});

test('with any sequence of keys on one connection, each pays for its own requests', async () => {
  const cost = Number((await proxy.get(summary, proxy.key)).headers['x-tokens-charged']);
  const own = await ownProxy(inject('demoStore'));
  const client = new Client(`http://127.0.0.1:${await own.listen()}`);
  onTestFinished(() => client.destroy());
  const sent = fc.constantFrom('first', 'second', 'unknown', 'nonsense', null);
  await forAll(15, fc.array(sent, { minLength: 2, maxLength: 10 }), async (who) => {
    const [first, second] = [await own.customer(), await own.customer()];
    const keys = {
      first: first.key,
      second: second.key,
      unknown: mintApiKey(),
      nonsense: 'ta_live_x',
    };
    const paid = { first: 0, second: 0 };
    for (const one of who) {
      const headers = one === null ? {} : { authorization: `Bearer ${keys[one]}` };
      const { statusCode, body } = await client.request({ method: 'GET', path: summary, headers });
      await body.dump();
      expect([one, statusCode]).toEqual([one, one === 'first' || one === 'second' ? 200 : 401]);
      if (one === 'first' || one === 'second') paid[one] += cost;
    }
    expect(await own.balance(first.id)).toBe(10_000 - paid.first);
    expect(await own.balance(second.id)).toBe(10_000 - paid.second);
  });
});

test('a response that the client did not wait for is refunded but for the minimum, and not one that it waited for', async () => {
  const slow = await ownProxy(inject('demoStore'), { debitDelayMs: 500 });
  const customer = await slow.customer({ tokens: 5000 });
  const port = await slow.listen();
  const ask = (leaveAfterMs: number | 'the response') =>
    new Promise<void>((resolve) => {
      const request = `GET ${summary} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.key}\r\n\r\n`;
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(request);
        if (leaveAfterMs !== 'the response') {
          setTimeout(() => socket.resetAndDestroy(), leaveAfterMs);
        }
      });
      socket.on('data', () => socket.resetAndDestroy());
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: 20 }, () => ask(40)));
  await slow.app.services.charges.end();
  const left = await slow.balance(customer.id);
  // A busy machine may notice that a client has left before its debit.
  expect(left).toBeGreaterThanOrEqual(5000 - 20);
  expect(await slow.ledger.usage(customer.id)).toMatchObject(
    left < 5000 ? [{ requests: 5000 - left, tokens: 5000 - left }] : [],
  );
});

test('a cold summary takes one range read once the index is cached; a hot one takes none', async () => {
  const cold = await ownProxy(inject('demoStore'));
  const { key } = await cold.customer();
  await cold.get(water, key);
  cold.store.reads = [];
  await cold.get(summary, key);
  expect(cold.store.reads).toHaveLength(1);
  await cold.get(summary, key);
  expect(cold.store.reads).toHaveLength(1);
  await cold.get(pois, key);
  cold.store.reads = [];
  await cold.get(`${pois}?limit=7`, key);
  expect(cold.store.reads).toHaveLength(1);
});

test.each(['flipped', 'longer', 'absent'])(
  'an object that is %s is 503, uncharged, and reveals no internals',
  async (harm) => {
    const folder = await folderOfThisTest();
    await cp(inject('demoStore'), folder, { recursive: true });
    const broken = await ownProxy(folder);
    const customer = await broken.customer({ tokens: 500 });
    const { nearest } = broken.releases.current.county('99001')!.objects;
    const file = path.join(folder, nearest.name);
    if (harm === 'flipped') await writeFile(file, Buffer.alloc(nearest.bytes));
    if (harm === 'longer') await appendFile(file, 'x');
    if (harm === 'absent') await rm(file);
    const response = await broken.get(summary, customer.key);
    expect([response.statusCode, response.json().type]).toEqual([
      503,
      expect.stringMatching(/\/store-unavailable$/),
    ]);
    expect(response.headers['retry-after']).toBeDefined();
    expect(response.body).not.toContain(folder);
    expect(await broken.balance(customer.id)).toBe(500);
  },
);

test('without a ledger the catalogue stays up, and readiness fails', async () => {
  const broken = await ownProxy(inject('demoStore'));
  await broken.ledger.close();
  const urls = ['/v1/meta/modes', '/v1/ready', '/v1/health'];
  const responses = await Promise.all(urls.map((url) => broken.get(url)));
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 503, 200]);
});
