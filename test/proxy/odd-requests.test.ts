import { connect } from 'node:net';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let port: number;
beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  await proxy.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = proxy.app.server.address() as { port: number });
});
afterAll(() => proxy.close());

/** Sends lines as they are; all that comes back until the service closes the connection. */
function exchange(...lines: string[]): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write([...lines, '', ''].join('\r\n')));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head, body] = text.split('\r\n\r\n', 2);
      resolve({ head, body });
    });
  });
}

test('HTTP/1.1 without a Host is refused with a problem, and the connection closed', async () => {
  for (const target of ['/v1/health', '/v1/blocks/990010001001000/summary', '/']) {
    const { head, body } = await exchange(`GET ${target} HTTP/1.1`);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(head).toMatch(/^x-request-id: \S+/im);
    expect(head).toMatch(/^connection: close/im);
    expect(JSON.parse(body)).toMatchObject({
      status: 400,
      type: expect.stringMatching(/\/invalid-parameters$/),
      errors: [{ loc: ['header', 'host'], type: 'missing' }],
    });
  }
});

test('a second Host is refused, whatever it says', async () => {
  for (const version of ['1.0', '1.1']) {
    const { head, body } = await exchange(`GET /v1/health HTTP/${version}`, 'Host: x', 'hOST: x');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body).errors).toMatchObject([{ loc: ['header', 'host'], type: 'repeated' }]);
  }
});

test('HTTP/1.0 needs no Host', async () => {
  for (const [target, status] of [
    ['/v1/health', 200],
    ['/docs', 200],
    ['/', 302],
  ] as const) {
    expect((await exchange(`GET ${target} HTTP/1.0`)).head).toContain(`HTTP/1.1 ${status} `);
  }
});

test('an expectation that is not known is passed over', async () => {
  const { head, body } = await exchange(
    'GET /v1/health HTTP/1.1',
    'Host: x',
    'Expect: 200-maybe',
    'Connection: close',
  );
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(JSON.parse(body).status).toBe('ok');
});

test('what the framework refuses does not carry its names', async () => {
  const { head, body } = await exchange(
    'GET /v1/blocks/%zz/summary HTTP/1.1',
    'Host: x',
    'Connection: close',
  );
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(body).errors).toMatchObject([{ type: 'malformed' }]);
  expect(body).not.toMatch(/FST_|fastify/i);
  // No key was checked, so nothing is said of tokens.
  expect(head).not.toMatch(/^x-tokens/im);
});

test('a path is as long as it is: its route says what is wrong with it', async () => {
  const digits = '9'.repeat(10_000);
  const place = await exchange(
    `GET /v1/places/${digits}/boundary HTTP/1.1`,
    'Host: x',
    'Connection: close',
  );
  expect(place.head).toMatch(/^HTTP\/1\.1 404 /);
  expect(JSON.parse(place.body).type).toMatch(/\/place-not-found$/);
  expect(place.body.length).toBeLessThan(1_000);
});
