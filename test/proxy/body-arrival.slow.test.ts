import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const MEBIBYTE = 2 ** 20;
/** The limit on bodies in flight, in bodies of the maximum size. */
const FULL = 128;
const TIMEOUT_MS = 600_000;

const proxy = proxyOfTests();
let port: number;
/** The times in which a request must arrive, before they are changed here. */
let times: number[];
beforeAll(async () => {
  port = await proxy.listen();
  const { server } = proxy.app;
  times = [server.headersTimeout, server.requestTimeout];
  // No test here is about slow clients, but on a busy machine all of them are.
  Object.assign(server, { requestTimeout: TIMEOUT_MS, timeout: TIMEOUT_MS });
});

function head(method: string, length: string): string {
  const lines = [
    `${method} /v1/blocks/summary HTTP/1.1`,
    'Host: x',
    length,
    `Authorization: Bearer ${proxy.key}`,
    'Content-Type: application/json',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<unknown>;
}

async function open(): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, received: () => text, closed };
}

/** A body in chunks of the given number of bytes, all of it valid JSON. */
function chunked(bytes: number, chunks: number): string {
  const blanks = `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`.repeat(chunks);
  return `${head('POST', 'Transfer-Encoding: chunked')}${blanks}b\r\n{"origins":\r\n3\r\n[1]\r\n1\r\n}\r\n0\r\n\r\n`;
}

test('a body in hundreds of small pieces, or in many larger ones, is accepted', async () => {
  for (const body of [chunked(1, 500), chunked(100, 5_000)]) {
    const { socket, received } = await open();
    socket.write(body);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 .*block-not-found/s);
  }
});

test('a body in thousands of crumbs ends its connection', async () => {
  const { socket, received, closed } = await open();
  socket.write(chunked(1, 50_000));
  await closed;
  expect(received()).toBe('');
});

test.each([
  ['is refused', () => chunked(1, 50_000).replace(proxy.key, 'none')],
  ['takes none', () => chunked(1, 50_000).replace('POST', 'GET')],
])(
  'crumbs of a body after the response end the connection of a request that %s',
  async (_, request) => {
    const { socket, received, closed } = await open();
    const sent = request();
    socket.write(sent.slice(0, 1_000));
    await expect.poll(received).toMatch(/^HTTP\/1\.1 4/);
    socket.write(sent.slice(1_000));
    await closed;
    expect(received().match(/HTTP/g)).toHaveLength(1);
  },
);

test('the connection of a refused request whose body arrives at once continues', async () => {
  const { socket, received } = await open();
  const body = ' '.repeat(MEBIBYTE - 1);
  socket.write(head('POST', `Content-Length: ${body.length}`).replace(proxy.key, 'none') + body);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 401 /);
  socket.write('GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(received).toContain('HTTP/1.1 200 ');
});

/** Sends a body of the given size, and reads the response only after all of it has been sent. */
async function responseAfter(bytes: number, connection: string): Promise<string> {
  const { socket, received, closed } = await open();
  socket.pause();
  const line = `Content-Length: ${bytes}\r\nConnection: ${connection}`;
  socket.write(head('POST', line));
  const pieces = Math.ceil(bytes / MEBIBYTE);
  for (let left = bytes; left > 0 && !socket.destroyed; left -= MEBIBYTE) {
    socket.write(Buffer.alloc(Math.min(left, MEBIBYTE), ' '));
    // As over a network, where sent data takes a while to arrive.
    await new Promise((resolve) => setTimeout(resolve, 200 / pieces));
  }
  socket.resume();
  await Promise.race([closed, expect.poll(received).toMatch(/^HTTP/)]);
  return received();
}

test.each(['close', 'keep-alive'])(
  'a client that sends a too large body to its end sees the response: %s',
  async (connection) => {
    for (const bytes of [1.1e6, 3e6]) {
      const text = await responseAfter(bytes, connection);
      expect(text).toMatch(/^HTTP\/1\.1 413 .*payload-too-large/s);
      // Nothing is left over, so the connection may continue.
      expect(text).not.toMatch(/^connection: close/im);
    }
  },
);

test('hardly anything is read of a body that is far too large', async () => {
  const { socket, received, closed } = await open();
  socket.write(head('POST', `Content-Length: ${1e9}`));
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 413 /);
});

test('a too large body in endless chunks ends its connection', async () => {
  const { socket, received, closed } = await open();
  socket.write(head('POST', 'Transfer-Encoding: chunked'));
  const piece = `100000\r\n${' '.repeat(MEBIBYTE)}\r\n`;
  let sent = 0;
  for (; sent < 64 && !socket.destroyed; sent++) {
    const drained = new Promise((resolve) => socket.once('drain', resolve));
    if (!socket.write(piece)) await Promise.race([drained, closed]);
  }
  await closed;
  expect(sent).toBeLessThan(64);
  expect(received()).not.toMatch(/HTTP\/1\.1 200/);
});

test('when there is no room for bodies in flight, the oldest is dropped', async () => {
  const held: Connection[] = [];
  const ended: number[] = [];
  for (let i = 0; i <= FULL; i++) {
    const connection = await open();
    held.push(connection);
    void connection.closed.then(() => ended.push(i));
    connection.socket.write(head('POST', `Content-Length: ${MEBIBYTE}`));
    connection.socket.write(Buffer.alloc(MEBIBYTE - 1, ' '));
  }
  await expect.poll(() => ended).toEqual([0]);
  const { socket, received } = await open();
  const body = JSON.stringify({ origins: ['000000000000000'] });
  socket.write(`${head('POST', `Content-Length: ${body.length}`)}${body}`);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200 /);
  // The last of the held bodies is answered once all of it has arrived.
  const last = held.at(-1)!;
  last.socket.write(' ');
  await expect.poll(last.received).toMatch(/^HTTP\/1\.1 400 /);
  expect(ended).toEqual([0]);
});

test('a preflight is answered without its body', async () => {
  const { socket, received } = await open();
  socket.write(head('OPTIONS', `Content-Length: ${MEBIBYTE}`));
  await expect.poll(received).toMatch(/^HTTP\/1\.1 204 /);
});

test.each([
  ['OPTIONS', 'application/json'],
  ['GET', 'application/json'],
  ['POST', 'text/plain'],
])('data after the response to %s of %s affects no other body', async (method, type) => {
  const honest = await open();
  const body = JSON.stringify({ origins: ['000000000000000'] });
  honest.socket.write(head('POST', `Content-Length: ${body.length}`) + body.slice(0, 9));
  const other = await open();
  other.socket.write(head(method, `Content-Length: ${1e9}`).replace('application/json', type));
  await expect.poll(other.received).toMatch(/^HTTP\/1\.1 /);
  const piece = Buffer.alloc(MEBIBYTE, ' ');
  for (let i = 0; i <= FULL && !other.socket.destroyed; i++) {
    const drained = new Promise((resolve) => other.socket.once('drain', resolve));
    if (!other.socket.write(piece)) await Promise.race([drained, other.closed]);
  }
  honest.socket.write(body.slice(9));
  await expect.poll(honest.received).toMatch(/^HTTP\/1\.1 200 /);
});

test('the headers of a request must arrive within ten seconds, and all of it within thirty', () => {
  expect(times).toEqual([10_000, 30_000]);
});

test.each([
  ['its body', 'Content-Length: 1000', '{"origins":'],
  ['a chunk of its body', 'Transfer-Encoding: chunked', '40\r\n{"o'],
])('a request that stops in %s frees its connection', async (_, length, begun) => {
  // Shorter than for the tests above, so that no test waits as long.
  Object.assign(proxy.app.server, { headersTimeout: 1_000, requestTimeout: 3_000 });
  const { socket, closed } = await open();
  const begunMs = performance.now();
  socket.write(head('POST', length) + begun);
  await closed;
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(3_000);
  expect(performance.now() - begunMs).toBeLessThan(TIMEOUT_MS);
});
