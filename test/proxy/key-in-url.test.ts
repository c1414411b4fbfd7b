import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { mintApiKey } from '../../proxy/ledger/api-key.ts';
import { openPortal, type PortalHarness } from '../support/portal-harness.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let portal: PortalHarness;
const logged: string[] = [];
beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'), { config: { logLevel: 'debug' } });
  portal = await openPortal({ config: { logLevel: 'debug' } });
  for (const { app } of [proxy, portal]) {
    const { log } = app;
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) {
      log[level] = (...said: unknown[]) => void logged.push(JSON.stringify(said));
    }
  }
});
afterAll(async () => {
  await proxy.close();
  await portal.close();
});

test('a key in a URL is refused with an explanation, costs nothing, and is not logged', async () => {
  const { key, id } = await proxy.customer({ tokens: 100 });
  const everything = (text: string) => text.replaceAll(/./g, (c) => encodeHex(c));
  const encoded = [
    key.replaceAll('_', '%5F'),
    key.replace('t', '%74'),
    everything(key),
    everything(key).replaceAll('%', '%25'),
  ];
  const urls = (some: string) => [
    `/v1/places?q=${some}`,
    `/v1/blocks/990010001001000/summary?key=${some}`,
    `/v1/blocks/${some}/summary`,
    `/keys/${some}`,
    `/nowhere/${some}`,
    `/%zz/${some}`,
    `/auth/verify?token=${some}`,
  ];
  for (const url of [key, ...encoded, mintApiKey(), 'ta_live_half'].flatMap(urls)) {
    for (const { app } of [proxy, portal]) {
      const response = await app.inject({ url, headers: { authorization: `Bearer ${key}` } });
      expect([url, response.statusCode]).toEqual([url, 400]);
      expect(response.json().type).toMatch(/\/key-in-url$/);
      expect(response.json().detail).toContain('Authorization: Bearer');
      expect(response.body).not.toMatch(/ta(_|%5F)live/i);
    }
  }
  expect(logged.join('\n')).not.toMatch(/ta(_|%5F)live/);
  expect((await proxy.ledger.account(id))!.balance).toBe(100);
});

const encodeHex = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
