import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { respondInOrder } from '../../proxy/http/slow-clients.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { settledWithin } from '../support/settled-within.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const county = smallCounty({ fips: '24510', seed: 11, blocks: 12, pois: 40 });
const [hot, cold] = county.blocks.slice(3).map(({ geoid }) => `/v1/blocks/${geoid}/summary`);
const TOKENS = 5000;

const folder = folderOfEachTest();
let proxy: ProxyHarness;
let customer: { id: string; key: string };
/** Releases the reads that `holdReads` holds. */
let releaseReads = () => {};
/** The proxy's ends of the connections. */
const accepted = new Set<Socket>();

beforeEach(async () => {
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
  customer = await proxy.customer({ tokens: TOKENS });
  accepted.clear();
  proxy.app.server.on('connection', (socket) => accepted.add(socket));
  await proxy.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  releaseReads();
  await proxy.close();
});

/** Holds store reads; resolves when the first has started. */
function holdReads(): Promise<void> {
  const readRange = proxy.store.readRange.bind(proxy.store);
  const held = new Promise<void>((resolve) => {
    releaseReads = resolve;
  });
  return new Promise((begun) => {
    proxy.store.readRange = async (...range) => {
      begun();
      await held;
      return readRange(...range);
    };
  });
}

function open(): Promise<{ socket: Socket; received: () => string }> {
  const { port } = proxy.app.server.address() as { port: number };
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => resolve({ socket, received: () => text }));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
  });
}

/** The proxy's end of a connection. */
function proxyEnd(socket: Socket): Socket {
  return [...accepted].find(({ remotePort }) => remotePort === socket.localPort)!;
}

/** Resolves when the proxy has read everything that was written. */
async function arrived(socket: Socket): Promise<void> {
  const end = proxyEnd(socket);
  await expect.poll(() => end.bytesRead).toBe(socket.bytesWritten);
}

const ask = (url: string) =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.key}\r\n\r\n`;
const NOTHING = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n';
const balance = async () => (await proxy.ledger.account(customer.id))!.balance;

test('a pipelined request is not started early, and costs nothing when its client leaves', async () => {
  await proxy.get(hot, customer.key);
  const paid = await balance();
  const reading = holdReads();
  const { socket } = await open();
  socket.write(ask(cold) + ask(hot) + ask(hot));
  await reading;
  await arrived(socket);
  expect(await balance()).toBe(paid);
  const closed = new Promise((resolve) => proxyEnd(socket).once('close', resolve));
  socket.resetAndDestroy();
  await closed;
  releaseReads();
  // A response to a later request for the same shows that the one that had started has ended.
  await proxy.get(cold, customer.key);
  const [day] = await proxy.ledger.usage(customer.id);
  expect(day).toMatchObject({ requests: 2, tokens: TOKENS - (await balance()) });
});

test('other clients are served between requests sent at once', async () => {
  let [turn, isOver] = [0, false];
  const nextTurn = () => {
    turn++;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  const turns = new Set<number>();
  proxy.app.server.on('request', (_, response) => response.once('finish', () => turns.add(turn)));
  const { socket, received } = await open();
  socket.write(NOTHING.repeat(60));
  await expect.poll(() => received().match(/HTTP\/1\.1 404/g)).toHaveLength(60);
  isOver = true;
  expect(turns.size).toBe(60);
  socket.destroy();
});

test('a client that sends more than 64 requests ahead is disconnected', async () => {
  const reading = holdReads();
  const { socket, received } = await open();
  socket.write(ask(cold));
  await reading;
  socket.write(NOTHING.repeat(64));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(socket.closed).toBe(false);
  const { stackTraceLimit } = Error;
  socket.write(NOTHING);
  // An inactive connection would be closed too, after half a minute.
  await expect.poll(() => socket.closed, { timeout: 20_000 }).toBe(true);
  expect(received()).toBe('');
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});

/** Starts a request, with more behind it, and then closes the service. */
async function closeAmidRequest(more = '') {
  const reading = holdReads();
  const { socket, received } = await open();
  const ended = new Promise((resolve) => socket.on('close', resolve));
  socket.write(ask(cold) + more);
  await reading;
  await arrived(socket);
  return { received, ended: Promise.all([ended, proxy.app.close()]) };
}

test('while closing, a response declares itself the last, and later requests are not started', async () => {
  const { received, ended } = await closeAmidRequest(ask(hot));
  releaseReads();
  await ended;
  const statuses = [...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200']);
  expect(received()).toMatch(/\r\nconnection: close\r\n/i);
  const charged = Number(/x-tokens-charged: (\d+)/.exec(received())![1]);
  expect(await balance()).toBe(TOKENS - charged);
});

test('while closing, a connection ends with the response already started', async () => {
  const { received, ended } = await closeAmidRequest();
  await new Promise((resolve) => setTimeout(resolve, 50));
  releaseReads();
  // An inactive connection would be closed too, after half a minute.
  await settledWithin(20_000, ended);
  expect(received()).toMatch(/^HTTP\/1\.1 200 /);
});

/** A server of at most three connections, with a route that responds at once and one later. */
async function threeOnly() {
  const app = Fastify();
  let response = (_text: string) => {};
  const later = new Promise<string>((resolve) => {
    response = resolve;
  });
  app.get('/now', async () => 'now');
  let waiting = 0;
  app.get('/later', () => {
    waiting++;
    return later;
  });
  respondInOrder(app, 3);
  onTestFinished(() => app.close());
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const ended: number[] = [];
  const sockets: Socket[] = [];
  const request = (nr: number, path: string) =>
    sockets[nr].write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return {
    ended,
    response,
    request,
    waiting: () => waiting,
    answered: async (nr: number) => {
      request(nr, '/now');
      await once(sockets[nr], 'data');
    },
    open: async () => {
      const socket = connect(Number(port), '127.0.0.1');
      const nr = sockets.push(socket) - 1;
      socket.on('close', () => ended.push(nr)).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    },
  };
}

test('of too many connections, the one idle for longest is closed', async () => {
  const { open, request, answered, response, ended } = await threeOnly();
  for (let nr = 0; nr < 3; nr++) await open();
  request(0, '/later');
  for (const nr of [1, 2, 1]) await answered(nr);
  await open();
  await answered(3);
  // Connection 0 still waits for its response, and connection 1 has sent another request.
  await expect.poll(() => ended).toEqual([2]);
  response('later');
});

test('of too many connections, the oldest that has sent nothing is closed', async () => {
  const { open, answered, ended } = await threeOnly();
  for (let nr = 0; nr < 3; nr++) await open();
  await answered(0);
  await open();
  await answered(3);
  await expect.poll(() => ended).toEqual([1]);
});

test('a connection beyond the limit is refused while all others wait for responses', async () => {
  const { open, request, waiting, response, ended } = await threeOnly();
  for (let nr = 0; nr < 3; nr++) {
    await open();
    request(nr, '/later');
  }
  await expect.poll(waiting).toBe(3);
  await open();
  await expect.poll(() => ended).toEqual([3]);
  response('later');
});

test('the problem of a URL that is too long states the maximum length', async () => {
  const { socket, received } = await open();
  socket.write(ask(`${hot}?mode=${'walk,'.repeat(4000)}`));
  await once(socket, 'close');
  const [head, body] = received().split('\r\n\r\n');
  expect(head).toContain('HTTP/1.1 400');
  expect(JSON.parse(body).detail).toContain('16384 bytes');
});
