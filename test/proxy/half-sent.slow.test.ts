import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
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

describe('a request that stops half-way frees its connection', () => {
  // Shortened so that the tests need not wait as long.
  const inHeaders = { headersTimeout: 1_000, requestTimeout: 600_000 };
  const inBody = { headersTimeout: 1_000, requestTimeout: 3_000 };
  test.each([
    ['with nothing sent', () => '', inHeaders, 1],
    ['in its first line', () => 'GET /v1/he', inHeaders, 1],
    ['in its headers', () => 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-', inHeaders, 1],
    ['in its body', () => `${post()}Content-Length: 1000\r\n\r\n{"origins":`, inBody, 3],
    [
      'in a chunk of its body',
      () => `${post()}Transfer-Encoding: chunked\r\n\r\n40\r\n{"o`,
      inBody,
      3,
    ],
  ])('%s', async (_, sent, limits, atLeast) => {
    Object.assign(proxy.app.server, limits);
    const passed = await seconds(sent());
    expect(passed).toBeGreaterThanOrEqual(atLeast);
    expect(passed).toBeLessThan(INACTIVE_SECONDS);
  });
});
