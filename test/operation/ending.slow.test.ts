import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, inject, test } from 'vitest';
import { totalsOf, withLedger } from '../support/account-totals.ts';
import { linkedBlocks, runService } from '../support/running-service.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

test('a service that shuts down is not ready, completes started requests, and refunds what a slow reader missed', async () => {
  const folder = await folderOfThisTest();
  const service = await runService(inject('demoStore'), folder, { DRAIN_SECONDS: '10' });
  const origins = await linkedBlocks(service, 250);
  const { port } = new URL(service.address);
  const body = JSON.stringify({ origins });
  const { socket, head } = await new Promise<{
    socket: ReturnType<typeof connect>;
    head: string;
  }>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const lines = [
        'POST /v1/blocks/pois HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        `Authorization: Bearer ${service.key}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      // Stops reading, with some megabytes still to come.
      socket.pause();
      resolve({ socket, head: String(chunk) });
    });
  });
  const charged = Number(/x-tokens-charged: (\d+)/.exec(head)?.[1]);
  expect(charged).toBeGreaterThan(10_000);

  const ended = service.close();
  const ready = await fetch(`${service.address}/v1/ready`);
  expect([ready.status, ((await ready.json()) as { ready: boolean }).ready]).toEqual([503, false]);
  const responses = [await service.ask('/v1/tokens'), await service.ask(summaryOf(origins[0]))];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  // Clients with keep-alive must open the next connection elsewhere.
  const connections = [ready, ...responses].map(({ headers }) => headers.get('connection'));
  expect(connections).toEqual(['close', 'close', 'close']);
  await ended;
  await expect(fetch(`${service.address}/v1/health`)).rejects.toThrow();
  socket.destroy();
  await withLedger(`${folder}/ledger`, async (ledger) => {
    const { granted, used, balance } = await totalsOf(ledger, service.account);
    expect(balance).toBe(granted - used);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(charged);
  });
});

test('a closing service refuses new connections, and responds to requests on open ones', async () => {
  const folder = await folderOfThisTest();
  const service = await runService(inject('demoStore'), folder);
  const [geoid] = await linkedBlocks(service, 1);
  const { port } = new URL(service.address);
  const { socket, received } = await openConnection(Number(port));
  const head = ['Host: x', `Authorization: Bearer ${service.key}`, '', ''].join('\r\n');
  socket.write(`GET ${summaryOf(geoid)} HTTP/1.1\r\n${head}`);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i);

  const ended = service.close();
  const another = () => openConnection(Number(port)).catch(() => null);
  for (let open = await another(); open !== null; open = await another()) open.socket.destroy();
  socket.write(`GET ${summaryOf(geoid)} HTTP/1.1\r\n${head}`);
  await once(socket, 'close');
  expect(received()).toMatch(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 [\s\S]*connection: close/i);
  await ended;
});

const summaryOf = (geoid: string) => `/v1/blocks/${geoid}/summary`;

/** Opens a connection, and records everything received on it. */
async function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'connect');
  return { socket, received: () => text };
}

test('a failed start does not wait to drain, and leaves no ledger open', async () => {
  const folder = await folderOfThisTest();
  const service = await ofThisTest(runService(inject('demoStore'), `${folder}/first`));
  const { port } = new URL(service.address);
  for (const wrong of ['PORT', 'METRICS_PORT']) {
    // Draining would outlast the test.
    const env = { [wrong]: port, DRAIN_SECONDS: '600' };
    const second = runService(inject('demoStore'), `${folder}/second`, env);
    await expect(second).rejects.toThrow('EADDRINUSE');
  }
  const openIn = async (name: string) =>
    (await openFiles()).filter((file) => file.includes(`${folder}/${name}`));
  expect(await openIn('first')).not.toEqual([]);
  // A closed database closes its files only once its statements have been garbage-collected.
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await expect
    .poll(async () => {
      collect();
      return openIn('second');
    })
    .toEqual([]);
});

/** Lists the files that this process has open. */
async function openFiles(): Promise<string[]> {
  const fds = await readdir('/proc/self/fd');
  return Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
}
