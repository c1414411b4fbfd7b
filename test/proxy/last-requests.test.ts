import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  closeGracefully,
  newShutdown,
  shutDownGracefully,
} from '../../proxy/http/graceful-shutdown.ts';
import type { Millis } from '../../shards/units.ts';

const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
/** Longer than a turn of the event loop that leaves no time for arrivals. */
const SLOW_MS = 5;
/** Longer than a server waits for the last requests of idle connections. */
const LONG_MS = 500;
const SENT_WITHIN_MS = 20_000;

const now = performance.now.bind(performance);
/** Lead of the server’s clock, which counts each wait for a client as `SLOW_MS`. */
let aheadMs = 0;

let app: FastifyInstance;
let port: number;
/** Called while the next requests are handled, one each. */
let meanwhile: (() => void)[] = [];

beforeEach(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  app = Fastify({ return503OnClosing: false });
  shutDownGracefully(app, newShutdown());
  app.post('/', async () => {
    meanwhile.shift()?.();
    return 'served';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as { port: number });
});

afterEach(() => void vi.restoreAllMocks());

/**
 * Starts a client in another thread, which sends a POST on demand: on a new connection, or on one
 * that has served `earlier` requests.
 */
async function client({ earlier }: { earlier: number }) {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(CLIENT, { eval: true, workerData: { port, flags, earlier, POST } });
  onTestFinished(async () => void (await worker.terminate()));
  const messages: string[] = [];
  worker.on('message', (message) => messages.push(message));
  await expect.poll(() => messages).toEqual(['waits']);
  return {
    /** Sends the request while the event loop of this thread, which serves it, is blocked. */
    sendNow() {
      const beganMs = now();
      Atomics.store(flags, 0, 1);
      Atomics.notify(flags, 0);
      Atomics.wait(flags, 1, 0, SENT_WITHIN_MS);
      aheadMs += SLOW_MS - (now() - beganMs);
    },
    /** All that the client has received, once the connection is closed. */
    async received(): Promise<string> {
      await expect.poll(() => messages.length).toBe(2);
      return messages[1];
    },
  };
}

const CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const { port, flags, earlier, POST } = workerData;
  let received = '';
  const socket = () => connect(port, '127.0.0.1')
    .on('data', (chunk) => { received += chunk; })
    .on('error', (error) => { received += error.code; })
    .on('close', () => parentPort.postMessage(received));
  const whenTold = () => { parentPort.postMessage('waits'); Atomics.wait(flags, 0, 0); };
  const send = (to) => to.write(POST, () => {
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
  });
  if (earlier === 0) {
    whenTold();
    const to = socket().on('connect', () => send(to));
  } else {
    const to = socket().once('data', () => { whenTold(); send(to); });
    to.write(POST);
  }
`;

/** Blocks this thread, and so the event loop of the server. */
const block = (ms: Millis) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Runs something in the timers phase of the event loop, before its poll phase. */
const asTimer = (run: () => void) => new Promise<void>((done) => setTimeout(() => done(run())));

test('requests that had arrived on new connections when the server stopped listening are served', async () => {
  // The event loop accepts one connection per turn.
  const clients = await Promise.all(Array.from({ length: 6 }, () => client({ earlier: 0 })));
  let closed: Promise<void> | undefined;
  await asTimer(() => {
    for (const { sendNow } of clients) sendNow();
    closed = closeGracefully(app);
  });
  for (const { received } of clients) {
    expect(await received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*served/);
  }
  await closed;
});

test('a connection that arrives while earlier requests are handled is served', async () => {
  const [first, second] = [await client({ earlier: 1 }), await client({ earlier: 1 })];
  const last = await client({ earlier: 0 });
  const sendLast = () => {
    last.sendNow();
    block(SLOW_MS);
  };
  // The second request is handled in the turn after that of the first.
  meanwhile = [second.sendNow, sendLast];
  let closed: Promise<void> | undefined;
  await asTimer(() => {
    first.sendNow();
    closed = closeGracefully(app);
  });
  expect(await last.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*served/);
  await closed;
});

test('responses keep their connections until the server has stopped listening', async () => {
  const { sendNow, received } = await client({ earlier: 1 });
  const other = await openConnection();
  const listened: boolean[] = [];
  meanwhile = [() => void listened.push(app.server.listening)];
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  let closed: Promise<void> | undefined;
  await asTimer(() => {
    sendNow();
    closed = closeGracefully(app);
  });
  await expect.poll(() => app.server.listening).toBe(false);
  expect(await other.post()).toBe('HTTP/1.1 200 OK');
  expect(other.received()).toMatch(/connection: close/i);
  expect(listened).toEqual([true]);
  clock.mockReturnValue(LONG_MS);
  expect(await received()).not.toMatch(/connection: close/i);
  await closed;
});

test('a request that had arrived on an idle connection when the server closed it is served', async () => {
  const { sendNow, received } = await client({ earlier: 1 });
  const { setClock, closed } = await closing();
  await asTimer(() => {
    sendNow();
    // Longer than the pause between two polls, so that the next one precedes all reads.
    block(50);
    setClock(LONG_MS);
  });
  expect(await received()).toMatch(
    /served[\s\S]*HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*served/i,
  );
  setClock(2 * LONG_MS);
  await closed;
});

/** Begins to close the server under a clock that the test sets, which starts at 0 ms. */
async function closing() {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const closed = closeGracefully(app);
  await expect.poll(() => app.server.listening).toBe(false);
  return { setClock: (ms: Millis) => void clock.mockReturnValue(ms), closed };
}

/** Opens a connection that has been used once. */
async function openConnection() {
  let received = '';
  let isClosed = false;
  const socket = connect(port, '127.0.0.1')
    .setEncoding('utf8')
    .on('data', (chunk) => {
      received += chunk;
    })
    .on('error', () => {})
    .on('close', () => {
      isClosed = true;
    });
  onTestFinished(() => void socket.destroy());
  const post = async () => {
    received = '';
    socket.write(POST);
    await expect.poll(() => isClosed || received.endsWith('served')).toBe(true);
    return received.slice(0, received.indexOf('\r\n'));
  };
  expect(await post()).toBe('HTTP/1.1 200 OK');
  return { post, received: () => received, isClosed: () => isClosed };
}

test('idle connections stay open while requests arrive on others, for two seconds at most', async () => {
  const connections = [];
  for (let n = 0; n < 12; n++) connections.push(await openConnection());
  const { setClock, closed } = await closing();
  for (const [n, { post }] of connections.slice(0, 9).entries()) {
    setClock(200 * (n + 1));
    expect(await post()).toBe('HTTP/1.1 200 OK');
  }
  const unused = connections.slice(9);
  expect(unused.some(({ isClosed }) => isClosed())).toBe(false);
  setClock(2_000);
  await closed;
  await expect.poll(() => unused.every(({ isClosed }) => isClosed())).toBe(true);
});

test('idle connections are closed once no request has arrived for a quarter of a second', async () => {
  const [used, unused] = [await openConnection(), await openConnection()];
  const { setClock, closed } = await closing();
  setClock(240);
  expect(await used.post()).toBe('HTTP/1.1 200 OK');
  setClock(480);
  // Longer than the pause between two looks at the clock.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unused.isClosed()).toBe(false);
  setClock(500);
  await closed;
  await expect.poll(unused.isClosed).toBe(true);
});

test('requests that arrive during a stall of the event loop keep idle connections open', async () => {
  const unused = await openConnection();
  const { sendNow, received } = await client({ earlier: 1 });
  const { setClock, closed } = await closing();
  await asTimer(() => {
    sendNow();
    // Longer than the pause between two polls, so that the next one precedes all reads.
    block(50);
    setClock(400);
  });
  expect(await received()).toMatch(/served[\s\S]*served/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unused.isClosed()).toBe(false);
  setClock(700);
  await closed;
  await expect.poll(unused.isClosed).toBe(true);
});
