import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
let port: number;
beforeAll(async () => {
  port = await proxy.listen();
  const { server } = proxy.app;
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
  // The interval of Node's timeout checks, shortened so that the test need not wait as long.
  Object.assign(server, { headersTimeout: 1_000, requestTimeout: 3_000 });
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

describe.concurrent('a request that stops half-way frees its connection', () => {
  test.each([
    ['with nothing sent', () => '', 1, 5],
    ['in its first line', () => 'GET /v1/he', 1, 5],
    ['in its headers', () => 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-', 1, 5],
    ['in its body', () => `${post()}Content-Length: 1000\r\n\r\n{"origins":`, 3, 9],
    ['in a chunk of its body', () => `${post()}Transfer-Encoding: chunked\r\n\r\n40\r\n{"o`, 3, 9],
  ])('%s', async (_, sent, atLeast, within) => {
    const passed = await seconds(sent());
    expect(passed).toBeGreaterThanOrEqual(atLeast);
    expect(passed).toBeLessThan(within);
  });
});
