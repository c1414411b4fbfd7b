import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { Body } from '../../proxy/http/body.ts';
import {
  type DeliveredFraction,
  ResponseWriter,
  type ResponseWriterLimits,
} from '../../proxy/http/response-writer.ts';
import { ControlledSocket } from '../support/controlled-socket.ts';

const MEBIBYTE = 2 ** 20;
/** More bytes than the kernel accepts for a reader that does not read. */
const LARGE = 32 * MEBIBYTE;

let responseWriter: ResponseWriter;
let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  vi.useRealTimers();
  responseWriter.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A body that calls back before its end is written. */
class WatchedBody extends Body {
  beforeEnd = () => {};

  override whole(): Buffer {
    this.beforeEnd();
    return super.whole();
  }

  override *cut(most: number): Generator<Buffer> {
    let cut = 0;
    for (const piece of super.cut(most)) {
      cut += piece.length;
      if (cut === this.length) this.beforeEnd();
      yield piece;
    }
  }
}

/** Starts a server whose responses have the number of bytes in the path. */
async function serve(limits: ResponseWriterLimits, beforeEnd = () => {}) {
  responseWriter = new ResponseWriter(limits);
  const shares = new Map<number, Promise<DeliveredFraction>>();
  const finished = new Set<number>();
  server = createServer((request, response) => {
    const bytes = Number(request.url!.slice(1));
    response.writeHead(200, { 'content-length': bytes });
    response.on('finish', () => finished.add(bytes));
    const body = new WatchedBody([Buffer.alloc(bytes, 'x')]);
    body.beforeEnd = beforeEnd;
    shares.set(bytes, responseWriter.send(response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { shares, finished };
}

/** Requests the given number of bytes, and stops reading after `read` of them. */
function ask(bytes: number, read = Number.POSITIVE_INFINITY): Promise<{ socket: Socket }> {
  const { port } = server.address() as { port: number };
  return new Promise((resolve) => {
    let got = 0;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET /${bytes} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      got += chunk.length;
      if (got < Math.min(read, bytes)) return;
      socket.pause();
      resolve({ socket });
    });
  });
}

test.each([0, 1, 16_384, 16_385, 5 * MEBIBYTE])(
  '%i bytes are delivered completely to a reader',
  async (bytes) => {
    const { shares } = await serve({ maxWaiting: MEBIBYTE * 64 });
    await ask(bytes);
    expect(await shares.get(bytes)).toBe(1);
    expect(responseWriter.waiting).toBe(0);
  },
);

test('of a response cut off by a reset, the share that the kernel accepted counts as delivered', async () => {
  const { shares } = await serve({ maxWaiting: MEBIBYTE * 64 });
  const { socket } = await ask(LARGE, MEBIBYTE);
  const read = socket.bytesRead;
  socket.resetAndDestroy();
  const share = (await shares.get(LARGE))!;
  expect(share * LARGE).toBeGreaterThanOrEqual(read - 16_384 - 200);
  expect(share).toBeLessThan(1);
  expect(responseWriter.waiting).toBe(0);
});

test.each([
  [100, 0],
  [16_384, 0],
  [16_385, 16_384],
  [40_000, 32_768],
])(
  'of %i bytes, the last of them written to a reset connection, %i count as delivered',
  async (bytes, delivered) => {
    // The kernel has detected the reset, but Node has not: it reports the response as finished.
    const { shares, finished } = await serve({ maxWaiting: MEBIBYTE }, () => {
      for (const socket of sockets) socket.resetAndDestroy();
    });
    void ask(bytes);
    await expect.poll(() => shares.has(bytes)).toBe(true);
    expect((await shares.get(bytes))! * bytes).toBeCloseTo(delivered);
    expect(finished).toContain(bytes);
    expect(responseWriter.waiting).toBe(0);
  },
);

test('a reader that stops just before the end has received it', async () => {
  const { shares } = await serve({ maxWaiting: MEBIBYTE * 64 });
  const { socket } = await ask(LARGE, LARGE - 4_000);
  expect(await shares.get(LARGE)).toBe(1);
  socket.resetAndDestroy();
});

test('a reader that does not keep up is disconnected, but not one that does', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval'] });
  const limits = { graceMs: 5_000, minBytesPerSecond: MEBIBYTE / 4 };
  const { shares } = await serve({ maxWaiting: MEBIBYTE * 256, ...limits });
  // By then the kernel has accepted at least 2 MiB of the slow reader's response; it never accepts
  // more than 8 MiB of the stalled one's.
  const slow = await ask(LARGE, 2 * MEBIBYTE);
  vi.advanceTimersByTime(7_000);
  const stalled = await ask(LARGE + 1, MEBIBYTE);
  const closed = new Promise((resolve) => stalled.socket.on('close', resolve));
  slow.socket.removeAllListeners('data').resume();
  expect(await shares.get(LARGE)).toBe(1);
  vi.advanceTimersByTime(120_000);
  expect(await shares.get(LARGE + 1)).toBeLessThan(1);
  stalled.socket.removeAllListeners('data').resume();
  await closed;
  expect(responseWriter.waiting).toBe(0);
});

test('when too much waits, the readers that have been stalled longest are disconnected', async () => {
  const { shares } = await serve({ maxWaiting: 3 * LARGE });
  const stalled = [LARGE, LARGE + 1, LARGE + 2];
  for (const bytes of stalled) await ask(bytes, 1);
  expect(responseWriter.waiting).toBeGreaterThan(2 * LARGE);
  await new Promise((resolve) => setTimeout(resolve, 50));
  // This reader reads everything, while there is no room for its response next to the others.
  await ask(LARGE + 3);
  expect(await shares.get(LARGE + 3)).toBe(1);
  expect(await shares.get(LARGE)).toBeLessThan(1);
  expect(responseWriter.waiting).toBeLessThanOrEqual(3 * LARGE);
});

test('a reader who leaves during an uncharged tail has received everything charged', async () => {
  responseWriter = new ResponseWriter({ maxWaiting: MEBIBYTE });
  const [paid, tail] = [100_000, 100_000];
  const shareAfter = async (allowance: number) => {
    const settled = new Promise<DeliveredFraction>((resolve) => {
      server = createServer((_, response) => {
        response.writeHead(200, { 'content-length': paid + tail });
        const body = new Body([Buffer.alloc(paid, 'x'), Buffer.alloc(tail, 'y')], tail);
        responseWriter.send(response, body).then(resolve);
      });
    });
    const socket = new ControlledSocket(allowance);
    server.emit('connection', socket);
    socket.ask('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await socket.stalled;
    socket.reset();
    return settled;
  };
  expect(await shareAfter(paid / 2)).toBeLessThan(0.7);
  expect(await shareAfter(paid + 500)).toBe(1);
});
