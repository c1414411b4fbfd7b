import { afterEach, expect, inject, test } from 'vitest';
import type { ProxyConfigInput } from '../../proxy/config.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

const LIMIT = 3;
let proxy: ProxyHarness | undefined;
afterEach(() => proxy?.close());

/**
 * Requests a free route over a socket with each of the given `X-Forwarded-For` in turn; returns the
 * statuses.
 */
async function asked(
  trustProxy: ProxyConfigInput['trustProxy'],
  forwarded: readonly (string | undefined)[],
  path = '/v1/meta/modes',
): Promise<number[]> {
  const config = { freeRateLimitPerMinute: LIMIT, trustProxy };
  proxy = await openProxy(inject('demoStore'), { config });
  const address = await proxy.app.listen({ port: 0, host: '127.0.0.1' });
  const statuses: number[] = [];
  for (const text of forwarded) {
    const headers: Record<string, string> = text === undefined ? {} : { 'x-forwarded-for': text };
    const response = await fetch(address + path, { headers });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
}

const FORGED = [
  '198.51.100.1',
  '198.51.100.2',
  '2001:db8::3',
  '198.51.100.4, 10.9.9.9',
  'nonsense',
];
const REFUSED_AFTER_LIMIT = FORGED.map((_, i) => (i < LIMIT ? 200 : 429));

test('no forwarded address is trusted without a trusted proxy', async () => {
  expect(await asked(undefined, FORGED)).toEqual(REFUSED_AFTER_LIMIT);
});

test('a peer outside the trusted networks is not trusted', async () => {
  expect(await asked(['10.0.0.0/8'], FORGED)).toEqual(REFUSED_AFTER_LIMIT);
});

test.each([
  ['one proxy', 1, ''],
  ['two proxies', 2, ', 10.1.2.3'],
  ['proxies by their networks', ['loopback', '10.0.0.0/8'], ', 10.1.2.3, 10.1.2.4'],
])('behind %s, forged addresses before the client’s own change nothing', async (_, trust, hops) => {
  const behind = (client: string) => FORGED.map((forged) => `${forged}, ${client}${hops}`);
  const statuses = await asked(trust, [
    ...behind('203.0.113.7'),
    // Another client has its own limit.
    ...behind('203.0.113.8'),
  ]);
  expect(statuses).toEqual([...REFUSED_AFTER_LIMIT, ...REFUSED_AFTER_LIMIT]);
});

test('all addresses of an IPv6 client’s network count as one', async () => {
  const addresses = Array.from({ length: 5 }, (_, i) => `2001:db8:0:1:${i}::${i}`);
  expect(await asked(1, [...addresses, '2001:db8:0:2::1'])).toEqual([200, 200, 200, 429, 429, 200]);
});

test('a path that cannot be decoded counts for the client, too', async () => {
  const clients = ['203.0.113.7', '203.0.113.7', '203.0.113.7', '203.0.113.7', '203.0.113.8'];
  expect(await asked(1, clients, '/%zz')).toEqual([400, 400, 400, 429, 400]);
});
