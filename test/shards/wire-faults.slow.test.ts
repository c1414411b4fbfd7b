import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { HttpsReader } from '../../shards/store/http/https-reader.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';
import { settledWithin } from '../support/settled-within.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import {
  altered,
  type Fault,
  openWire,
  status,
  type Wire,
  withBody,
  withHeader,
} from '../support/wire.ts';
import { bytes, failure, refOf } from './reader-suite.ts';

const ref = refOf('kind/object.tta', bytes);
const root = folderOfTests();
let nginx: Nginx;
let wire: Wire;
let reader: HttpsReader;
beforeAll(async () => {
  nginx = await startNginx(root);
  await new FolderStore(root).putContent(ref.name, bytes);
});
afterAll(() => nginx.stop());
beforeEach(async () => {
  wire = await openWire(nginx.http);
  reader = new HttpsReader(wire.address);
});
afterEach(async () => {
  await reader.close();
  await wire.close();
});

/** Reads bytes 100 to 199; they must match what was put. */
async function read(): Promise<void> {
  const range = await reader.readRange(ref, 100, 100);
  expect(Buffer.from(range).equals(bytes.subarray(100, 200))).toBe(true);
}

/** Applies the failure to the given number of requests, and no more. */
function meets(fault: Fault, times: number): void {
  let left = times;
  wire.fault = () => (left-- > 0 ? fault : null);
}

const whole = altered((response) => {
  response.status = 200;
  delete response.headers['content-range'];
  response.headers['content-length'] = '1000';
  response.body = Buffer.from(bytes);
});

/** Malformed or wrong responses of the server, none of which may pass for the range. */
const PASSING: readonly (readonly [what: string, fault: Fault])[] = [
  ['a connection that is reset', 'reset'],
  ['a response cut off in its body', { cut: 50 }],
  ['a response cut off before its body', { cut: 0 }],
  ['a server that says 500', status(500)],
  ['a server that says 503 SlowDown', status(503, '<Error><Code>SlowDown</Code></Error>')],
  ['a server that says 429', status(429)],
  ['a Content-Range of other bytes', withHeader('content-range', 'bytes 101-200/1000')],
  ['a Content-Range that says nothing', withHeader('content-range', 'bytes */*')],
  ['fewer bytes than the range, with a length to match', withBody((all) => all.subarray(1))],
  [
    'more bytes than the range, with a length to match',
    withBody((all) => Buffer.concat([all, all])),
  ],
  ['all of the object, as a 200', whole],
];

describe.each(PASSING)('%s', (_what, fault) => {
  test('once, or three times, is retried, and the right bytes arrive', async () => {
    for (const times of [1, 3]) {
      wire.requests = [];
      meets(fault, times);
      await read();
      expect(wire.requests).toHaveLength(times + 1);
    }
  });

  test('for ever is an error after four tries, never a wrong byte', async () => {
    wire.fault = () => fault;
    expect(await failure(reader.readRange(ref, 100, 100))).toBe('unavailable');
    expect(wire.requests).toHaveLength(4);
  });
});

test('abandons a silent server, and retries', async () => {
  meets('silence', 1);
  await read();
  expect(wire.requests).toHaveLength(2);
});

test('reports an object of another length at once, without another try', async () => {
  wire.fault = () => withHeader('content-range', 'bytes 100-199/1001');
  expect(await failure(reader.readRange(ref, 100, 100))).toBe('changed');
  wire.fault = () => status(416);
  expect(await failure(reader.readRange(ref, 100, 100))).toBe('changed');
  wire.fault = () => status(404);
  expect(await failure(reader.readRange(ref, 100, 100))).toBe('missing');
  expect(wire.requests).toHaveLength(3);
});

test('a changed ETag does not matter; a SHA-256 of other content does', async () => {
  for (const etag of ['"one"', '"two"']) {
    wire.fault = () => withHeader('etag', etag);
    await read();
  }
  wire.fault = () => withHeader('x-amz-meta-sha256', ref.sha256);
  await read();
  wire.fault = () => withHeader('x-amz-meta-sha256', 'f'.repeat(64));
  expect(await failure(reader.readRange(ref, 100, 100))).toBe('changed');
});

test('a failing server gets few more requests than a healthy one', async () => {
  wire.fault = () => status(503);
  const reads = 300;
  for (let at = 0; at < reads; at += 50) {
    const round = Array.from({ length: 50 }, () => reader.readRange(ref, 100, 100));
    const outcomes = await Promise.allSettled(round);
    expect(outcomes.every(({ status: outcome }) => outcome === 'rejected')).toBe(true);
  }
  // One request per read, fifty retries that are saved up, and a fifth of a retry per read.
  expect(wire.requests.length).toBeGreaterThan(reads + 50);
  expect(wire.requests.length).toBeLessThanOrEqual(reads + 50 + reads / 5);
});

test('limits the size of an object that is read whole, whatever length the server states', async () => {
  wire.fault = () => withHeader('content-length', String(2 ** 28 + 1));
  await expect(reader.readWhole(ref.name)).rejects.toThrow(/more than 268435456 bytes/);
});

test('requests latest.json past every cache, and reads each response in full', async () => {
  await new FolderStore(root).putContent('latest.json', Buffer.from('{}'));
  meets({ cut: 1 }, 1);
  const { bytes: latest } = await reader.readWhole('latest.json');
  expect(Buffer.from(latest).toString()).toBe('{}');
  const asked = wire.requests.map(({ cacheControl }) => cacheControl);
  expect(asked).toEqual(['no-cache', 'no-cache']);
});

describe('a late read', () => {
  // With such long limits, only late reads are requested again, however busy the machine.
  beforeEach(async () => {
    await reader.close();
    const long = 60_000;
    const patience = { connectMs: long, silenceMs: long, tryMs: long, retryWithinMs: long };
    reader = new HttpsReader(wire.address, { patience });
  });

  /**
   * Learns how long reads take, until few of the last hundred were late: those have earned ten
   * hedges and spent at most eight, so that some are left.
   */
  const learn = async () => {
    for (let block = 1; block <= 20; block++) {
      wire.requests = [];
      for (let i = 0; i < 100; i++) await read();
      if (block >= 3 && wire.requests.length <= 108) break;
    }
    // The request of an abandoned read may still be on its way.
    await pause(10);
    wire.requests = [];
  };
  test('is requested a second time, and the first response counts', async () => {
    await learn();
    meets({ delayMs: 60_000 }, 1);
    await settledWithin(30_000, read());
    expect(wire.requests).toHaveLength(2);
    // The connection of the abandoned read affects no other.
    await pause(10);
    await read();
  });

  test('is repeated for at most a tenth of the reads and ten, when all are late', async () => {
    await learn();
    wire.fault = () => ({ delayMs: 2_000 });
    // Fewer reads than the connection limit, so that a second request need not wait for the first.
    const reads = 100;
    const all = Array.from({ length: reads }, read);
    await Promise.all(all);
    expect(wire.requests.length).toBeGreaterThan(reads);
    // Ten hedges are saved up, and the reads earn a tenth of a hedge each.
    expect(wire.requests.length).toBeLessThanOrEqual(reads + 10 + reads / 10);
  });
});
