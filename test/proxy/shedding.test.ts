import type { FastifyInstance } from 'fastify';
import { expect, inject, test } from 'vitest';
import { LoadShedder } from '../../proxy/http/overload.ts';
import { httpServer } from '../../proxy/http/server.ts';
import { mintApiKey } from '../../proxy/ledger/api-key.ts';
import { RateWindow } from '../../proxy/ledger/rate-window.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';

const LATE_MS = 100;

/** Simulates the given number of loop turns, each late by `lateMs`. */
const turns = (shedder: LoadShedder, count: number, lateMs: number) => {
  for (let i = 0; i < count; i++) shedder.sample(lateMs);
};

test('one long step of work sheds no request; a persistently late loop does, until it recovers', () => {
  const changes: boolean[] = [];
  const shedder = new LoadShedder(LATE_MS, (isShedding) => changes.push(isShedding));
  shedder.close();
  turns(shedder, 1, 5_000);
  turns(shedder, 3, 5);
  expect(shedder.isShedding).toBe(false);
  turns(shedder, 4, 150);
  expect(shedder.isShedding).toBe(true);
  turns(shedder, 1, 5);
  expect(shedder.isShedding).toBe(false);
  expect(changes).toEqual([true, false]);
});

test('a client gets one request in at a time; new clients get in, or half of them if the loop is far too late', () => {
  const shedder = new LoadShedder(LATE_MS);
  shedder.close();
  turns(shedder, 4, 150);
  const [many, few] = ['many', 'few'].map((address) => ({ id: address, address }));
  expect([shedder.take(many), shedder.take(many), shedder.take(few)]).toEqual([true, false, true]);
  shedder.leave(many);
  expect(shedder.take(many)).toBe(true);
  turns(shedder, 4, 1_000);
  const newcomers = Array.from({ length: 100 }, (_, i) =>
    shedder.take({ id: `newcomer ${i}`, address: `address ${i}` }),
  );
  expect(newcomers.filter(Boolean)).toHaveLength(50);
  expect(shedder.shed).toBe(51);
});

test('a shed request is 503 with Retry-After, uncharged and before its key is checked; probes pass', async () => {
  const proxy = await ofThisTest(
    openProxy(inject('demoStore'), { config: { shedAtLagMs: LATE_MS } }),
  );
  const { id, key } = await proxy.customer({ tokens: 100 });
  makeLate(proxy.app, 10 * LATE_MS);
  const responses = [];
  for (let i = 0; i < 10; i++) responses.push(await proxy.get('/v1/tokens', key));
  const shed = responses.filter(({ statusCode }) => statusCode === 503);
  expect(shed).toHaveLength(5);
  for (const response of shed) {
    expect(response.json().type).toMatch(/\/overloaded$/);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    // The account is not known yet.
    expect(response.headers).not.toHaveProperty('x-tokens-remaining');
  }
  for (let i = 0; i < 4; i++) {
    expect((await proxy.get('/v1/health')).statusCode).toBe(200);
    expect((await proxy.get('/v1/ready')).statusCode).toBe(200);
  }
  expect(await proxy.balance(id)).toBe(100);
});

test('while load is shed, a signed request always gets in, alongside others that do not', async () => {
  const app = await ofThisTest(shedding());
  app.post('/signed', { config: { signed: true } }, async () => 'taken');
  app.post('/other', async () => 'taken');
  makeLate(app, 10 * LATE_MS);
  const statuses = async (url: string) => {
    const responses = Array.from({ length: 20 }, () => app.inject({ method: 'POST', url }));
    return (await Promise.all(responses)).map(({ statusCode }) => statusCode);
  };
  expect(new Set(await statuses('/signed'))).toEqual(new Set([200]));
  expect(new Set(await statuses('/other'))).toEqual(new Set([503, 200]));
});

test('while load is shed, invented credentials get no more requests in than an address is allowed', async () => {
  const app = await ofThisTest(shedding());
  let held: (() => void)[] = [];
  const hold = () => new Promise<string>((resolve) => held.push(() => resolve('taken')));
  app.get('/free', hold);
  app.get('/keyed', { config: { keyed: true } }, hold);
  makeLate(app, 1.5 * LATE_MS);
  /** Sends requests at once; ends and counts the admitted ones once the others are refused. */
  const admitted = async (url: string, credentials: readonly string[]) => {
    held = [];
    let refused = 0;
    const responses = credentials.map(async (authorization) => {
      const { statusCode } = await app.inject({ url, headers: { authorization } });
      if (statusCode === 503) refused++;
    });
    await expect.poll(() => held.length + refused).toBe(credentials.length);
    const count = held.length;
    for (const end of held) end();
    await Promise.all(responses);
    return count;
  };
  const invented = Array.from({ length: 40 }, (_, i) => `Bearer ${i}`);
  const wellFormed = invented.map(() => `Bearer ${mintApiKey()}`);
  expect(await admitted('/free', invented)).toBe(1);
  expect(await admitted('/free', wellFormed)).toBe(1);
  expect(await admitted('/keyed', invented)).toBe(1);
  expect(await admitted('/keyed', wellFormed)).toBe(8);
  // However the header is spaced, a key is one client.
  const key = mintApiKey();
  const spaced = ['Bearer ', 'bearer  ', 'BEARER   '].map((scheme) => `${scheme}${key} `);
  expect(await admitted('/keyed', spaced)).toBe(1);
});

/** A server that sheds load, without routes yet. */
function shedding(): FastifyInstance {
  return httpServer({
    problems: { base: 'http://localhost/problems' },
    rates: new RateWindow(1_000),
    logLevel: 'silent',
    maxBodyBytes: 1_000,
    shedAtLagMs: LATE_MS,
    setCommonHeaders: () => {},
  });
}

/** Makes an application's loop appear late for good: it stops the samples that would reset that. */
function makeLate({ shedder }: FastifyInstance, lateMs: number): void {
  shedder!.close();
  turns(shedder!, 4, lateMs);
}
