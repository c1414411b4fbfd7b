import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreError } from '../../shards/errors.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const county = smallCounty({ fips: '24510', seed: 9, blocks: 12, pois: 40 });
const { geoid } = county.blocks[3];
const summary = `/v1/blocks/${geoid}/summary`;
const TOKENS = 5000;

const folder = folderOfEachTest();
let proxy: ProxyHarness;
let customer: { id: string; key: string };

beforeEach(async () => {
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
  customer = await proxy.customer({ tokens: TOKENS });
});
afterEach(() => proxy.close());

const balance = () => proxy.balance(customer.id);

test('an unforeseen error is 500, uncharged; its cause is in the log under the request id only', async () => {
  const logged: unknown[][] = [];
  proxy.app.log.error = (...entry: unknown[]) => void logged.push(entry);
  const cause = new TypeError(`cannot read ${folder}`);
  proxy.store.readRange = () => Promise.reject(cause);
  const response = await proxy.get(summary, customer.key, { 'x-request-id': 'trace-1' });
  expect([response.statusCode, response.headers['x-request-id']]).toEqual([500, 'trace-1']);
  expect(response.json().type).toMatch(/\/internal-error$/);
  expect(response.body).not.toContain(folder);
  expect(response.body).not.toMatch(/TypeError| at /);
  expect(logged).toEqual([[{ err: cause, reqId: 'trace-1' }, 'internal-error']]);
  expect(await balance()).toBe(TOKENS);
});

test('a service without its store is not ready, and is ready again once the store is back', async () => {
  const ready = async () => {
    const { statusCode, body, headers } = await proxy.get('/v1/ready');
    expect(headers['retry-after']).toBe(statusCode === 503 ? '5' : undefined);
    return [statusCode, JSON.parse(body).checks.store];
  };
  expect((await proxy.get(summary, customer.key)).statusCode).toBe(200);
  // New releases cannot be detected, but objects can be read.
  await rename(path.join(folder, 'latest.json'), path.join(folder, 'aside'));
  expect(await ready()).toEqual([200, 'ok']);
  await rename(path.join(folder, 'aside'), path.join(folder, 'latest.json'));
  await rename(folder, `${folder}.gone`);
  try {
    expect(await ready()).toEqual([503, 'unavailable']);
  } finally {
    await rename(`${folder}.gone`, folder);
  }
  expect(await ready()).toEqual([200, 'ok']);
});

test('a service with an unusable latest.json reports it, and stays ready on its current release', async () => {
  const ready = async () => {
    const { statusCode, body } = await proxy.get('/v1/ready');
    return [statusCode, JSON.parse(body).checks];
  };
  const latest = path.join(folder, 'latest.json');
  const whole = await readFile(latest, 'utf8');
  expect(await ready()).toEqual([200, { store: 'ok', release: 'current', ledger: 'ok' }]);
  const another = whole.replace(/"sha256": ?"[0-9a-f]{64}"/, `"sha256":"${'0'.repeat(64)}"`);
  expect(another).not.toBe(whole);
  for (const garbage of ['', '{', 'null', '{"release":1}', '\0\0\0', another]) {
    await writeFile(latest, garbage);
    await proxy.releases.refresh().catch(() => {});
    expect(await ready()).toEqual([200, { store: 'ok', release: 'held', ledger: 'ok' }]);
    expect((await proxy.get(summary, customer.key)).statusCode).toBe(200);
  }
  await rm(latest);
  expect(await ready()).toEqual([200, { store: 'ok', release: 'held', ledger: 'ok' }]);
  const down = () => Promise.reject(new StoreError('unavailable', folder, 'the disk is gone'));
  proxy.store.readRange = down;
  expect(await ready()).toEqual([
    503,
    { store: 'unavailable', release: 'unavailable', ledger: 'ok' },
  ]);
});

test('requests for the same cold response share its reads, and each is charged', async () => {
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => proxy.get(summary, customer.key)),
  );
  expect(new Set(responses.map((response) => response.body)).size).toBe(1);
  expect(proxy.store.reads).toHaveLength(2);
  const cost = Number(responses[0].headers['x-tokens-charged']);
  expect(await balance()).toBe(TOKENS - 50 * cost);
  const [day] = await proxy.ledger.usage(customer.id);
  expect(day).toMatchObject({ requests: 50, tokens: 50 * cost });
});

test('a ledger that fails at the debit is 503 with Retry-After, and delivers no row', async () => {
  const readRange = proxy.store.readRange.bind(proxy.store);
  // The ledger goes down between the admission and the debit.
  proxy.store.readRange = async (...range) => {
    await proxy.ledger.close();
    return readRange(...range);
  };
  const response = await proxy.get(summary, customer.key);
  expect(response.statusCode).toBe(503);
  expect(response.json().type).toMatch(/\/debit-unavailable$/);
  expect(response.json()).not.toHaveProperty('results');
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
});
