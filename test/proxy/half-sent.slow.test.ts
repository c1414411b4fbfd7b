import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let key: string;
beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  ({ key } = await proxy.customer());
  await proxy.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => proxy.close());

/** Sends something, and then nothing more; resolves with the seconds until the connection ends. */
function seconds(sent: string): Promise<number> {
  const { port } = proxy.app.server.address() as { port: number };
  return new Promise((resolve) => {
    const begun = performance.now();
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => resolve((performance.now() - begun) / 1000));
  });
}

const post = () =>
  `POST /v1/blocks/pois HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;

describe.concurrent('a request that stops half-way gives its connection back', () => {
  test.each([
    ['with nothing sent', () => '', 15],
    ['in its first line', () => 'GET /v1/he', 15],
    ['in its headers', () => 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-', 15],
    ['in its body', () => `${post()}Content-Length: 1000\r\n\r\n{"origins":`, 35],
    ['in a chunk of its body', () => `${post()}Transfer-Encoding: chunked\r\n\r\n40\r\n{"o`, 35],
  ])(
    '%s',
    async (_, sent, within) => {
      expect(await seconds(sent())).toBeLessThan(within);
    },
    60_000,
  );
});
