import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { RequestScheduler } from '../../proxy/http/overload.ts';
import { httpServer } from '../../proxy/http/server.ts';
import { RateWindow } from '../../proxy/ledger/rate-window.ts';

const MANY = 200;
/** A path without a route, one that the router cannot decode, and one that it cannot parse. */
const PATHS = ['/none', '/%zz', 'http://x/none#here'];

function spend(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('a client’s only request enters before all but one of those that another client has waiting', async () => {
  const scheduler = new RequestScheduler();
  const entered: string[] = [];
  const begin = (clientId: string) => () => {
    entered.push(clientId);
    spend(1);
  };
  for (let i = 0; i < MANY; i++) scheduler.pass(() => 'many', begin('many'));
  // Requests that the turn has no time for have not started.
  const atOnce = entered.length;
  scheduler.pass(() => 'few', begin('few'));
  let turns = 0;
  for (; entered.length <= MANY; turns++) await turn();
  expect(entered.indexOf('few')).toBeLessThanOrEqual(atOnce + 1);
  // A turn starts only the requests that fit in four milliseconds, at a millisecond each.
  expect(atOnce).toBeLessThan(10);
  expect(turns).toBeGreaterThan(MANY / 10);
});

test('requests of one client enter in order, whether they wait or not', async () => {
  const scheduler = new RequestScheduler();
  const entered: number[] = [];
  for (let i = 0; i < MANY; i++) {
    scheduler.pass(
      () => 'any',
      () => entered.push(i),
    );
    if (i % 50 === 0) await turn();
  }
  while (entered.length < MANY) await turn();
  expect(entered).toEqual(Array.from({ length: MANY }, (_, i) => i));
});

/** A server whose requests each take a millisecond to count, and the addresses counted. */
async function slowServer() {
  const counted: string[] = [];
  class SlowRates extends RateWindow {
    override take(subject: string, nowMs: number) {
      counted.push(subject);
      spend(1);
      return super.take(subject, nowMs);
    }
  }
  const app = httpServer({
    problems: { base: 'https://example.org/problems' },
    rates: new SlowRates(MANY),
    logLevel: 'silent',
    maxBodyBytes: 1_000,
    setCommonHeaders: () => {},
  });
  onTestFinished(() => app.close());
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  /** Resolves when the server has accepted the connection: it accepts one per turn of the loop. */
  const open = async (localAddress: string) => {
    const taken = once(app.server, 'connection');
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await taken;
    return socket;
  };
  return { counted, open };
}

async function openMany(open: (localAddress: string) => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < MANY) sockets.push(await open('127.0.0.2'));
  return sockets;
}

test.each(PATHS)('requests for %s on many connections let other clients in', async (url) => {
  const { counted, open } = await slowServer();
  const many = await openMany(open);
  const few = await open('127.0.0.3');
  for (const socket of [...many, few]) socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => counted.length).toBe(MANY + 1);
  expect(counted.indexOf('127.0.0.3')).toBeLessThan(MANY / 2);
});

test.each(PATHS)('a request for %s whose client has left is not started', async (url) => {
  const { counted, open } = await slowServer();
  const many = await openMany(open);
  for (const socket of many) socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => counted.length, { interval: 1 }).toBeGreaterThan(0);
  for (const socket of many) socket.resetAndDestroy();
  const stays = await open('127.0.0.3');
  stays.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => counted).toContain('127.0.0.3');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(counted.length).toBeLessThan(MANY / 2);
});
