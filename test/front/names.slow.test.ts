import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type Front, HOSTS, startNginxFront } from '../support/front.ts';
import { type NameServer, openNameServer } from '../support/name-server.ts';
import { newerNginx } from '../support/newer-nginx.ts';

const [BEFORE, AFTER] = ['127.0.0.2', '127.0.0.3'];
let names: NameServer;
let front: Front;
let servers: Server[];

/** Starts a server that responds with its own address. */
async function serverAt(host: string, port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end(host)).listen(port, host);
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  names = await openNameServer(BEFORE);
  const port = await freePort();
  servers = [await serverAt(BEFORE, port)];
  front = await startNginxFront(
    {},
    {
      program: await newerNginx(),
      settings: {
        API_SERVERS: `server proxy.test:${port} resolve;`,
        FRONT_RESOLVER: `${names.address} valid=1s`,
      },
    },
  );
  servers.push(await serverAt(AFTER, port));
});
afterAll(async () => {
  await front?.stop();
  for (const server of servers) server.close();
  names.close();
});

test('nginx finds a server that was restarted at another address, and loses no request meanwhile', async () => {
  const asked = async () => `${(await front.ask(`https://${HOSTS.api}/`)).body}`;
  expect(await asked()).toBe(BEFORE);
  names.leadsTo = AFTER;
  await expect.poll(asked, { interval: 100 }).toBe(AFTER);
  servers[0].closeAllConnections();
  await new Promise((resolve) => servers[0].close(resolve));
  for (let again = 0; again < 20; again++) expect(await asked()).toBe(AFTER);
});
