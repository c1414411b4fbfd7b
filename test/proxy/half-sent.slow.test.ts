import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
let port: number;
beforeAll(async () => {
  port = await proxy.listen();
});

/**
 * Sends some bytes, and then nothing more; resolves with the seconds until the connection closes.
 */
function seconds(sent: string): Promise<number> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => resolve((performance.now() - begun) / 1000));
  });
}

const post = () =>
  `POST /v1/blocks/pois HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${proxy.key}\r\nContent-Type: application/json\r\n`;

/** Seconds after which a merely inactive connection is closed too. */
const INACTIVE_SECONDS = 30;

test('the headers of a request must arrive within ten seconds, and all of it within thirty', () => {
  const { server } = proxy.app;
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
});

test.each([
  ['its body', 'Content-Length: 1000\r\n\r\n{"origins":'],
  ['a chunk of its body', 'Transfer-Encoding: chunked\r\n\r\n40\r\n{"o'],
])('a request that stops in %s frees its connection', async (_, sent) => {
  // Shortened so that the tests need not wait as long.
  Object.assign(proxy.app.server, { headersTimeout: 1_000, requestTimeout: 3_000 });
  const passed = await seconds(post() + sent);
  expect(passed).toBeGreaterThanOrEqual(3);
  expect(passed).toBeLessThan(INACTIVE_SECONDS);
});
