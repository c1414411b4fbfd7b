import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer, totalsOf } from '../support/account-totals.ts';
import { forAll } from '../support/for-all.ts';
import { freePort } from '../support/free-port.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { startServer } from '../support/server-process.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { TTA } from '../support/tta.ts';

/** Rounds of each property; more by `LAST_CHARGES_ROUNDS`. */
const ROUNDS = Number(process.env.LAST_CHARGES_ROUNDS ?? 2);
const CLIENTS = 12;

const folder = folderOfEachTest();
const county = smallCounty({ fips: '24510', seed: 3, blocks: 12, pois: 60 });
const store = () => path.join(folder, 'store');
beforeEach(() => publishSmallRelease(store(), 'first', [county]));

/** Makes a program load a module first. */
const before = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

/**
 * Returns a module that makes a disk slow: reports of the ledger's thread, and scripts for a Redis,
 * arrive later.
 */
const slowDisk = (delayMs: number) => `
  import { Socket } from 'node:net';
  import { Worker } from 'node:worker_threads';
  const { emit } = Worker.prototype;
  Worker.prototype.emit = function (name, ...args) {
    if (name !== 'message' || !JSON.stringify(args).includes('outcomes')) return emit.call(this, name, ...args);
    setTimeout(() => emit.call(this, name, ...args), ${delayMs});
    return true;
  };
  const { write } = Socket.prototype;
  Socket.prototype.write = function (...args) {
    // Commands after a script wait too: replies come in the order of commands.
    this.hasScripts ||= String(args[0]).includes('evalsha');
    if (!this.hasScripts) return write.apply(this, args);
    setTimeout(() => write.apply(this, args), ${delayMs});
    return true;
  };
`;

/** A path and its price, which is that of several rows. */
async function dearest(address: string, key: string): Promise<{ url: string; price: number }> {
  const prices = county.blocks.map(async ({ geoid }) => {
    const url = `/v1/blocks/${geoid}/pois`;
    const headers = { authorization: `Bearer ${key}` };
    const { headers: stated } = await fetch(address + url, { method: 'HEAD', headers });
    return { url, price: Number(stated.get('x-tokens-cost')) };
  });
  const [first] = (await Promise.all(prices)).sort((a, b) => b.price - a.price);
  expect(first.price).toBeGreaterThan(2);
  return first;
}

/** Tokens stated by whole responses that clients have received, and requests of those who left. */
interface Tally {
  received: number;
  abandoned: number;
}

interface Target {
  readonly port: number;
  readonly url: string;
  readonly key: string;
}

/** Sends one request after another, until the server cannot be reached; waits for each response. */
async function stay(target: Target, tally: Tally): Promise<void> {
  for (;;) {
    const text = await exchange(target);
    const [head, body = ''] = text.split('\r\n\r\n');
    if (text === '') return;
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (body.length !== length) return;
    tally.received += Number(/x-tokens-charged: (\d+)/i.exec(head)?.[1] ?? 0);
  }
}

/**
 * Sends one request after another, and leaves each: at once, or when a slow ledger has admitted it
 * and not yet made its debit.
 */
async function leave(target: Target, delayMs: number, tally: Tally): Promise<void> {
  for (let n = 0; ; n++) {
    const text = await exchange(target, n % 2 === 0 ? 3 : delayMs + 10);
    if (text === 'refused') return;
    tally.abandoned++;
  }
}

/**
 * Sends a request on a connection of its own; returns what it receives until that is closed.
 * Compressed, the response is of one piece, which is delivered whole or not at all.
 */
function exchange({ port, url, key }: Target, leaveAfterMs?: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      if (leaveAfterMs !== undefined) setTimeout(() => socket.resetAndDestroy(), leaveAfterMs);
    });
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED' && leaveAfterMs !== undefined) {
        text = 'refused';
      }
    });
    socket.on('close', () => resolve(text));
  });
}

/** Exit code as shells show it. */
async function exitOf(child: ChildProcess): Promise<number> {
  const [code, signal] = await once(child, 'exit');
  if (signal === null) return code;
  return signal === 'SIGKILL' ? 137 : 143;
}

describe.each([
  ['SQLite', newSqliteLedgers()],
  ['Redis', newRedisLedgers()],
] as const)('with a ledger on %s', (_, newAddress) => {
  test('whenever signals arrive and however slow its disk, what is charged is what is delivered', () =>
    forAll(
      ROUNDS,
      fc.constantFrom(0, 10, 40, 120),
      fc.constantFrom('0', '1'),
      fc.integer({ min: 0, max: 60 }),
      fc.option(fc.integer({ min: 0, max: 1_500 })),
      async (delayMs, drain, firstMs, secondMs) => {
        const address = newAddress();
        const ledger = await openLedger(address, { rateLimitPerMinute: 1 });
        const [patient, hasty, other] = await Promise.all(
          [0, 1, 2].map(() => openCustomer(ledger, { tokens: 1e6 })),
        );
        const args = ['--port', `${await freePort()}`, '--store', store(), '--ledger', address];
        const server = await startServer([TTA, 'serve', ...args], {
          ...before(slowDisk(delayMs)),
          DRAIN_SECONDS: drain,
          RATE_LIMIT_PER_MINUTE: '1000000',
        });
        const ended = exitOf(server.child);
        const port = Number(new URL(server.address).port);
        const { url, price } = await dearest(server.address, other.key);
        const tally = { received: 0, abandoned: 0 };
        const clients = Array.from({ length: CLIENTS }, (_, i) =>
          i % 2 === 0
            ? stay({ port, url, key: patient.key }, tally)
            : leave({ port, url, key: hasty.key }, delayMs, tally),
        );
        await expect.poll(() => tally.received, { interval: 5 }).toBeGreaterThan(0);
        await pause(firstMs);
        server.child.kill('SIGTERM');
        let isSecond = false;
        if (secondMs !== null) {
          await Promise.race([pause(secondMs), ended]);
          isSecond = server.child.exitCode === null && server.child.kill('SIGTERM');
        }
        const exitCode = await ended;
        await Promise.all(clients);
        // A second signal may come when the work is done.
        if (!isSecond) expect(exitCode).toBe(0);
        else if (exitCode !== 0) expect(exitCode).toBe(137);
        const [stayed, left] = await Promise.all(
          [patient, hasty].map(({ account }) => totalsOf(ledger, account)),
        );
        await ledger.close();
        expect(server.said() + server.noise()).not.toMatch(/refund failed|internal error/);
        expect([stayed.used, stayed.balance]).toEqual([
          tally.received,
          stayed.granted - tally.received,
        ]);
        // One who leaves pays the minimum, or the price of what the kernel had accepted.
        expect(left.granted - left.used).toBe(left.balance);
        expect(left.requests).toBeLessThanOrEqual(tally.abandoned);
        expect((left.used - left.requests) % (price - 1)).toBe(0);
      },
    ));
});

test('a start that is signalled to stop while the store does not respond ends at once, and reports no service', async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const asked = once(silent, 'request');
  // Test runners set their own BASE_URL, which is also one of our settings.
  const { BASE_URL: _, ...env } = process.env;
  const ledger = `sqlite:${path.join(folder, 'ledger')}`;
  const at = ['--port', '0', '--store', `http://127.0.0.1:${port}/`, '--ledger', ledger];
  const child = spawn(process.execPath, [TTA, 'serve', ...at], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const ended = exitOf(child);
  await asked;
  child.kill('SIGTERM');
  expect([await ended, said]).toEqual([0, '']);
  silent.closeAllConnections();
  silent.close();
});
