import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { openPortal } from '../support/portal-harness.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { ofTests } from '../support/test-resources.ts';

const servers = { portal: ofTests(openPortal), proxy: proxyOfTests() };
type ServerName = keyof typeof servers;
const ports = new Map<ServerName, number>();
beforeAll(async () => {
  for (const [name, { app }] of Object.entries(servers)) {
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    ports.set(name as ServerName, Number(new URL(address).port));
  }
});

/**
 * Sends `text` on a separate connection, and returns everything received until the server closes
 * it.
 */
async function heardAfter(server: ServerName, text: string): Promise<string> {
  const socket = connect(ports.get(server)!, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  if (text !== '') socket.write(text);
  await once(socket, 'close');
  return heard;
}

async function reset(server: ServerName): Promise<void> {
  const socket = connect(ports.get(server)!, '127.0.0.1');
  await once(socket, 'connect');
  socket.resetAndDestroy();
}

// Browsers open connections ahead of requests, and take a 408 on one for the response to the next.
test('a connection without any bytes is closed silently and uncounted; half a head gets 408', async () => {
  const heard = [...ports.keys()].map(async (server) => {
    const [unused, half] = await Promise.all([
      heardAfter(server, ''),
      heardAfter(server, 'GET /v1/health HTTP/1.1\r\nHo'),
      reset(server),
    ]);
    expect(unused).toBe('');
    const [head, body] = half.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(head).toMatch(/^Connection: close$/m);
    expect(JSON.parse(body)).toMatchObject({
      status: 408,
      type: expect.stringMatching(/\/problems\/request-timeout$/),
    });
    const refused = servers[server].app.tally.routes.get('unmatched')?.statuses;
    expect([...(refused ?? [])]).toEqual([
      [500, 0],
      [408, 1],
    ]);
  });
  await Promise.all(heard);
});
