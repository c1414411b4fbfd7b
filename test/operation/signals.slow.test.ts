import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { openCustomer, totalsOf, withLedger } from '../support/account-totals.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/server-process.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

const folder = folderOfEachTest();
const at = (name: string) => path.join(folder, name);

const county = smallCounty({ fips: '24510', seed: 1, blocks: 4, pois: 4 });
const [{ geoid }] = county.blocks;

beforeEach(() => publishSmallRelease(at('store'), 'first', [county]));

/** Makes a program load a module first. */
const before = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

/** Starts `tta serve`, compiled, as an operator does. */
const start = async (env: Record<string, string> = {}) => {
  const port = `${await freePort()}`;
  const args = ['--port', port, '--store', at('store'), '--ledger', `sqlite:${at('ledger')}`];
  return ofThisTest(startServer([TTA, 'serve', ...args], env));
};
const statusOf = (url: string) => fetch(url).then(({ status }) => status);

test.each([
  ['SIGTERM twice', 'SIGTERM', 'SIGTERM'],
  ['Ctrl-C twice', 'SIGINT', 'SIGINT'],
  ['Ctrl-C and SIGTERM', 'SIGINT', 'SIGTERM'],
  ['SIGTERM, and an error while it does', 'SIGTERM', 'SIGUSR2'],
] as const)('a server signalled to stop by %s stops at once', async (_, one, other) => {
  const server = await start({
    ...before("process.on('SIGUSR2', () => { throw new Error('of this test'); })"),
    DRAIN_SECONDS: '60',
  });
  const ended = once(server.child, 'exit');
  server.child.kill(one);
  await expect.poll(() => statusOf(`${server.address}/v1/ready`)).toBe(503);
  server.child.kill(other);
  expect(await ended).toEqual([null, 'SIGKILL']);
  if (other === 'SIGUSR2') expect(server.noise()).toContain('of this test');
});

/** Module that makes the ledger's thread report debits only once a file is gone. */
const debitsHeldBy = (file: string) => `
  import { existsSync } from 'node:fs';
  import { Worker } from 'node:worker_threads';
  const { emit } = Worker.prototype;
  Worker.prototype.emit = function (name, ...args) {
    if (!JSON.stringify(args).includes('debited')) return emit.call(this, name, ...args);
    const timer = setInterval(() => {
      if (existsSync(${JSON.stringify(file)})) return;
      clearInterval(timer);
      emit.call(this, name, ...args);
    }, 5);
    return true;
  };
`;

test('a server signalled to stop twice between a debit and its response refunds the debit', async () => {
  const { key, account } = await withLedger(at('ledger'), (ledger) =>
    openCustomer(ledger, { tokens: 100 }),
  );
  const held = at('held');
  await writeFile(held, '');
  const server = await start({ ...before(debitsHeldBy(held)), DRAIN_SECONDS: '60' });
  const ended = once(server.child, 'exit');
  let received = 0;
  await withLedger(at('ledger'), async (ledger) => {
    const asked = fetch(`${server.address}/v1/blocks/${geoid}/summary`, {
      headers: { authorization: `Bearer ${key}` },
    }).then(
      (response) => {
        received += Number(response.headers.get('x-tokens-charged'));
      },
      () => {},
    );
    // The debit is on disk, but the server has not been notified yet.
    await expect
      .poll(async () => (await totalsOf(ledger, account)).used, { interval: 5 })
      .toBeGreaterThan(0);
    server.child.kill('SIGTERM');
    await expect.poll(() => statusOf(`${server.address}/v1/ready`)).toBe(503);
    server.child.kill('SIGTERM');
    rmSync(held);
    expect(await ended).toEqual([null, 'SIGKILL']);
    await asked;
    const { granted, used, balance } = await totalsOf(ledger, account);
    expect([used, balance]).toEqual([received, granted - received]);
  });
});

test('a server signalled to stop completes the requests it has begun, and exits with 0', async () => {
  const { key } = await withLedger(at('ledger'), (ledger) => openCustomer(ledger, { tokens: 100 }));
  const server = await start();
  const { hostname, port } = new URL(server.address);
  const body = JSON.stringify({ origins: [geoid], mode: ['walk'] });
  const post = request({
    host: hostname,
    port,
    path: '/v1/blocks/summary',
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  const answered = once(post, 'response');
  post.write(body.slice(0, -1));
  const [socket] = await once(post, 'socket');
  await once(socket, 'connect');
  // Connections are accepted in turn, so a response to a later one shows that the POST has its own.
  expect(await statusOf(`${server.address}/v1/ready`)).toBe(200);
  const stopped = server.stop();
  await expect.poll(() => statusOf(`${server.address}/v1/health`).catch(() => null)).toBe(null);
  post.end(body.slice(-1));
  const [response] = await answered;
  expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
  expect(await stopped).toBe(0);
  expect(server.noise()).toBe('');
});

describe('a process', () => {
  const MODULE = pathToFileURL(path.resolve('dist/infra/shutdown-signals.js')).href;
  /** Runs a program that stops on signals, and returns its outcome. */
  const ended = async (close: string, then: string, cutOff = '') => {
    const code = `
      import { shutDownOnSignals } from '${MODULE}';
      setInterval(() => {}, 1000);
      const close = async () => { ${close} };
      const cutOff = async () => { ${cutOff} };
      shutDownOnSignals({ close, withinMs: 100, cutOff });
      ${then}
    `;
    const args = ['--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let noise = '';
    child.stderr.on('data', (chunk) => {
      noise += chunk;
    });
    const [exitCode, signal] = await once(child, 'close');
    return { exitCode, signal, noise };
  };
  const interrupt = "process.kill(process.pid, 'SIGINT');";
  const forEver = 'await new Promise(() => {});';

  test('exits with 0 once it has closed', async () => {
    expect(await ended('', interrupt)).toEqual({ exitCode: 0, signal: null, noise: '' });
  });

  test('exits with 1 once it has closed after an error, which it reports', async () => {
    const { exitCode, noise } = await ended('', "setTimeout(() => { throw new Error('odd'); })");
    expect(exitCode).toBe(1);
    expect(noise).toMatch(/^internal error, please report it: Error: odd\n/);
  });

  test('is killed when it does not close in time, or cannot', async () => {
    const late = await ended(forEver, interrupt);
    expect(late).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      noise: 'shutdown did not finish within 0.1 s\n',
    });
    const failed = await ended("throw new Error('shut')", interrupt);
    expect(failed).toMatchObject({ signal: 'SIGKILL', noise: expect.stringContaining('shut') });
  });

  test('is killed after a second signal, even if it has closed before its work is cut off', async () => {
    const cutOff = `
      process.emit('of this test');
      await new Promise((resolve) => setTimeout(resolve, 100));
      process.stderr.write('refunded');
    `;
    const close = "await new Promise((resolve) => process.once('of this test', resolve));";
    expect(await ended(close, interrupt + interrupt, cutOff)).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      noise: 'refunded',
    });
  });

  test('has time to cut off its work after a second signal, however late that comes', async () => {
    const cutOff = `
      await new Promise((resolve) => setTimeout(resolve, 500));
      process.stderr.write('refunded');
    `;
    expect(await ended(forEver, interrupt + interrupt, cutOff)).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      noise: 'refunded',
    });
  });
});
