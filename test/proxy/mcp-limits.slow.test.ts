import { expect, inject, test, vi } from 'vitest';
import { closeGracefully } from '../../proxy/http/graceful-shutdown.ts';
import { requestOf, sendMessage, type ToolCallResult } from '../support/mcp-client.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';

const VERSION = '2025-06-18';
const COMPARISON = {
  name: 'compare_places',
  arguments: { places: ['Port Meridian', 'Halcyon'], types: [101] },
};
/** Tokens for a comparison of two places. */
const PRICE = 20;

function openLimited(config: { freeRateLimitPerMinute?: number; shedAtLagMs?: number }) {
  return ofThisTest(openProxy(inject('demoStore'), { config }));
}

/** Calls a tool and returns its result, or the status of the refusal. */
async function call(
  proxy: ProxyHarness,
  params: object,
  key?: string,
): Promise<ToolCallResult | number> {
  const message = requestOf('tools/call', params, VERSION);
  const { status, json } = await sendMessage(proxy, message, { version: VERSION, key });
  return status === 200 ? json.result : status;
}

test('while load is shed, a tool’s own requests pass with the message that they are sent for', async () => {
  const proxy = await openLimited({ shedAtLagMs: 100 });
  const { key } = await proxy.customer({ tokens: 1_000 });
  const shedder = proxy.app.shedder!;
  shedder.close();
  for (let turn = 0; turn < 4; turn++) shedder.sample(150);
  for (let i = 0; i < 5; i++) {
    // The loop is not far too late, so that first requests of clients are let in.
    expect(await call(proxy, COMPARISON, key)).toMatchObject({
      structuredContent: { tokens: PRICE },
    });
  }
});

test('messages with a key count for its account, and the requests of their tools for no address', async () => {
  const proxy = await openLimited({ freeRateLimitPerMinute: 3 });
  const { key } = await proxy.customer({ tokens: 1_000 });
  for (let i = 0; i < 5; i++) {
    expect(await call(proxy, COMPARISON, key)).toMatchObject({
      structuredContent: { tokens: PRICE },
    });
  }
  const free = { name: 'list_types', arguments: { query: 'park' } };
  const unknown = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const results = [];
  for (const sent of [undefined, undefined, unknown, undefined, unknown]) {
    results.push(await call(proxy, free, sent));
  }
  expect(results.map((result) => (typeof result === 'number' ? result : 200))).toEqual([
    200, 200, 200, 429, 429,
  ]);
});

test('the messages of an account are limited by its rate', async () => {
  const proxy = await ofThisTest(openProxy(inject('demoStore'), { rateLimitPerMinute: 2 }));
  const { key } = await proxy.customer();
  const free = { name: 'list_types', arguments: { query: 'park' } };
  const results = [];
  for (let i = 0; i < 3; i++) results.push(await call(proxy, free, key));
  expect(results.map((result) => (typeof result === 'number' ? result : 200))).toEqual([
    200, 200, 429,
  ]);
});

test('a message and the requests of its tool are counted by their statuses', async () => {
  const proxy = await openLimited({});
  const { key } = await proxy.customer();
  const args = { origin: '36,-70.0066', types: [101] };
  await call(proxy, { name: 'explain_block', arguments: args }, key);
  await call(proxy, { name: 'explain_block', arguments: args });
  const counted = (route: string) =>
    [...(proxy.app.tally.routes.get(route)?.statuses ?? [])].filter(([, count]) => count > 0);
  await expect.poll(() => counted('POST /mcp')).toEqual([[200, 2]]);
  expect(counted('GET /v1/meta/destination-types')).toEqual([[200, 2]]);
  expect(counted('GET /v1/point/summary')).toEqual([
    [200, 1],
    [401, 1],
  ]);
});

test('each message of a batch counts towards the rate', async () => {
  const proxy = await openLimited({ freeRateLimitPerMinute: 3 });
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    const { status } = await sendMessage(proxy, batch, { version: VERSION });
    statuses.push(status);
  }
  expect(statuses).toEqual([200, 429]);
});

/** Sends a message; returns the status and length of the response. */
async function sent(proxy: ProxyHarness, method: string, params: object) {
  const message = requestOf(method, params, VERSION);
  const { status, text } = await sendMessage(proxy, message, { version: VERSION });
  return { status, length: text.length };
}

test('a message of over 64 KiB, or 2,500 values, is refused in few words', async () => {
  const proxy = await openLimited({});
  const unknown = Array.from({ length: 1_300 }, (_, i) => [`unknown${i}`, 1]);
  for (const [method, params] of [
    ['resources/read', { uri: `table://blocks/csv/${'x'.repeat(900_000)}` }],
    ['resources/read', { uri: `x://${'x'.repeat(66_000)}` }],
    ['tools/call', { name: 'x'.repeat(66_000), arguments: {} }],
    ['tools/call', { name: 'list_types', arguments: Object.fromEntries(unknown) }],
  ] as const) {
    const { status, length } = await sent(proxy, method, params);
    expect(status).toBe(413);
    expect(length).toBeLessThan(400);
  }
});

test('a long address of no table is quoted in part', async () => {
  const proxy = await openLimited({});
  const uri = `table://blocks/csv/${'x'.repeat(50_000)}`;
  const { length } = await sent(proxy, 'resources/read', { uri });
  expect(length).toBeLessThan(500);
});

test('a server that closes completes the calls in progress, which still send requests', async () => {
  const proxy = await openProxy(inject('demoStore'), { debitDelayMs: 300 });
  const { key } = await proxy.customer({ tokens: 1_000 });
  const url = `http://127.0.0.1:${await proxy.listen()}/mcp`;
  const admit = proxy.ledger.admit.bind(proxy.ledger);
  let closed: Promise<void> | undefined;
  vi.spyOn(proxy.ledger, 'admit').mockImplementation(async (...args) => {
    const admission = await admit(...args);
    closed ??= closeGracefully(proxy.app);
    return admission;
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(requestOf('tools/call', COMPARISON, VERSION)),
  });
  expect(await response.text()).toContain(`"tokens":${PRICE}`);
  await closed;
  await expect(fetch(url)).rejects.toThrow();
  await proxy.close();
});
