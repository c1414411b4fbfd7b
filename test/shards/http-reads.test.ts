import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { HttpsReader } from '../../shards/store/http/https-reader.ts';
import { openStore } from '../../shards/store/open-store.ts';
import { forAll } from '../support/for-all.ts';
import { settledWithin } from '../support/settled-within.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import {
  altered,
  type Fault,
  openWire,
  status,
  type Wire,
  withBody,
  withHeader,
} from '../support/wire.ts';
import { bytes, failure, readerSuite, refOf } from './reader-suite.ts';

const LONG_MS = 60_000;
const PATIENT = { connectMs: LONG_MS, silenceMs: LONG_MS, tryMs: LONG_MS, retryWithinMs: LONG_MS };

const root = folderOfTests();
const ref = refOf("kind/it's (é) +~*!.tta", bytes);
let files: Server;
let address: string;
let wire: Wire;
let reader: HttpsReader;

beforeAll(async () => {
  files = createServer(async (asked, reply) => {
    const send = (code: number, headers: Record<string, string>, body: Buffer) => {
      reply.writeHead(code, { 'content-length': String(body.length), ...headers });
      reply.end(asked.method === 'HEAD' ? undefined : body);
    };
    const body = await readFile(path.join(root, decodeURIComponent(asked.url!))).catch(() => null);
    if (body === null) return send(404, {}, Buffer.alloc(0));
    const range = /^bytes=(\d+)-(\d+)$/.exec(asked.headers.range ?? '');
    if (!range) return send(200, {}, body);
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)];
    if (from > to) return send(416, {}, Buffer.alloc(0));
    const headers = { 'content-range': `bytes ${from}-${to}/${body.length}` };
    send(206, headers, body.subarray(from, to + 1));
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  address = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  await new FolderStore(root).putContent(ref.name, bytes);
});
afterAll(async () => {
  files.closeAllConnections();
  await new Promise((resolve) => files.close(resolve));
});
beforeEach(async () => {
  wire = await openWire(address);
  reader = new HttpsReader(`${wire.address}/`, { patience: PATIENT });
  // Retries follow at once.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reader.close();
  await wire.close();
});

readerSuite({
  kind: 'http://, a folder',
  async make() {
    const folder = await mkdtemp(path.join(root, 'a store+'));
    const location = `${address}/${encodeURIComponent(path.basename(folder))}`;
    return { writer: new FolderStore(folder), open: () => openStore(location) };
  },
});

/** Faulty responses after which a read is retried. */
const PASSING: readonly Fault[] = [
  'reset',
  'lost',
  { cut: 0 },
  { cut: 1 },
  ...[500, 503, 429, 408].map((code) => status(code)),
  withHeader('content-range', 'bytes 7-8/1000'),
  withHeader('content-range', 'bytes */*'),
  withHeader('content-range', ''),
  // Content ranges that are almost right.
  ...[
    (range: string) => range.replace(/(\d+)-/, (_, from) => `${Number(from) + 1}-`),
    (range: string) => range.replace(/(\d+)\//, (_, to) => `${Number(to) + 1}/`),
    (range: string) => `x${range}`,
    (range: string) => `${range}x`,
  ].map((change) =>
    altered(({ headers }) => {
      headers['content-range'] = change(String(headers['content-range']));
    }),
  ),
  withBody((all) => all.subarray(1)),
  withBody((all) => Buffer.concat([all, all])),
  altered((response) => {
    response.status = 200;
    response.headers = { 'content-length': '1000' };
    response.body = Buffer.from(bytes);
  }),
];

/** Responses that are not retried, each with the failure that it means. */
const FINAL: readonly (readonly [Fault, string])[] = [
  [status(404), 'missing'],
  [status(410), 'missing'],
  [status(416), 'changed'],
  [withHeader('x-amz-meta-sha256', 'f'.repeat(64)), 'changed'],
  [
    altered(({ headers }) => {
      headers['content-range'] = `${headers['content-range']}0`;
    }),
    'changed',
  ],
  ...[400, 401, 403, 301].map((code) => [status(code), 'refused'] as const),
];

test('the right bytes arrive, or one error that says why, whatever happens to each try', () =>
  forAll(
    50,
    fc.nat(900),
    fc.integer({ min: 2, max: 100 }),
    fc.array(fc.nat(PASSING.length - 1), { maxLength: 5 }),
    fc.option(fc.nat(FINAL.length - 1)),
    async (offset, length, passing, last) => {
      wire.requests = [];
      const faults = passing.map((at) => PASSING[at]);
      if (last !== null) faults.push(FINAL[last][0]);
      let asked = 0;
      wire.fault = () => faults[asked++] ?? null;
      // A new reader has recorded no latencies yet, so it hedges no read.
      const reader = await ofThisTest(new HttpsReader(wire.address, { patience: PATIENT }));
      const reading = reader.readRange(ref, offset, length);
      const tries = Math.min(4, passing.length + 1);
      if (passing.length >= 4) expect(await failure(reading)).toBe('unavailable');
      else if (last !== null) expect(await failure(reading)).toBe(FINAL[last][1]);
      else
        expect(Buffer.from(await reading)).toEqual(
          Buffer.from(bytes).subarray(offset, offset + length),
        );
      expect(wire.requests).toHaveLength(tries);
      expect(reader.wireCounts.retries).toBe(tries - 1);
      const { origin, pathname } = new URL(`${wire.address}/kind/it's (é) +~*!.tta`);
      for (const { path: to, range, headers } of wire.requests) {
        expect(decodeURIComponent(to)).toBe(decodeURIComponent(pathname));
        expect(to).toBe('/kind/it%27s%20%28%C3%A9%29%20%2B~%2A%21.tta');
        expect(range).toBe(`bytes=${offset}-${offset + length - 1}`);
        expect(headers['accept-encoding']).toBe('identity');
        expect(`http://${headers.host}`).toBe(origin);
      }
      await reader.close();
    },
  ));

test('errors name the object, the number of tries, and what to do', async () => {
  const told = async (fault: Fault, read = () => reader.readRange(ref, 100, 50)) => {
    wire.fault = () => fault;
    const error = await read().then(
      () => expect.fail('it succeeded'),
      (reason: Error) => reason,
    );
    expect(error.message.startsWith(`${wire.address}/${ref.name}: `)).toBe(true);
    return error.message.slice(`${wire.address}/${ref.name}: `.length);
  };
  expect(await told(status(503))).toBe('the server responded with 503 (4 attempts)');
  expect(await told({ cut: 10 })).toMatch(
    /^http:\/\/127.*: the (connection broke|response .*) \(4 attempts\)/,
  );
  expect(await told(withBody((all) => all.subarray(1)))).toBe('49 of 50 bytes came (4 attempts)');
  expect(await told(withBody((all) => Buffer.concat([all, all])))).toMatch(
    /^more than 50 bytes came \(4 attempts\)/,
  );
  expect(await told(withHeader('content-range', 'bytes 7-8/1000'))).toBe(
    'bytes 100 to 149 were asked for; the response says "bytes 7-8/1000" (4 attempts)',
  );
  expect(await told(status(200))).toMatch(/^the server sent all of an object for a range of it/);
  expect(await told(status(404))).toBe('no such object');
  expect(await told(status(416))).toBe('has no byte 100: build the release again');
  expect(await told(withHeader('content-range', 'bytes 100-149/999'))).toBe(
    'has 999 bytes; its manifest says 1000: build the release again',
  );
  expect(await told(withHeader('x-amz-meta-sha256', 'f'))).toBe(
    `has the SHA-256 f; its manifest says ${ref.sha256}: build the release again`,
  );
  for (const code of [401, 403]) {
    expect(await told(status(code))).toMatch(
      new RegExp(`^the server refuses it to the public \\(${code}\\); a bucket that hides`),
    );
  }
  const moved = (code: number) =>
    altered((response) => {
      response.status = code;
      response.headers.location = 'https://elsewhere.example';
    });
  for (const code of [300, 302, 399]) {
    expect(await told(moved(code))).toBe(
      `the server leads on to https://elsewhere.example (${code}); give that address as the store`,
    );
  }
  for (const code of [299, 400]) {
    expect(await told(moved(code))).toBe(`the server responded with ${code}`);
  }
  expect(await told(status(302))).toBe('the server responded with 302');
  wire.requests = [];
  const beyond = () => reader.readRange(ref, 990, 11);
  expect(await told(status(500), beyond)).toBe('has no 11 bytes at 990: build the release again');
  expect(wire.requests).toEqual([]);
});

test('a range of no bytes is a HEAD, which checks the length and hash of its object', async () => {
  const none = () => reader.readRange(ref, 500, 0);
  expect(await none()).toHaveLength(0);
  wire.fault = () => withHeader('x-amz-meta-sha256', ref.sha256);
  expect(await none()).toHaveLength(0);
  expect(wire.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  for (const [fault, meaning] of [
    [withHeader('content-length', '999'), 'changed'],
    [withHeader('x-amz-meta-sha256', 'f'.repeat(64)), 'changed'],
    [status(404), 'missing'],
    [status(403), 'refused'],
  ] as const) {
    wire.fault = () => fault;
    expect(await failure(none())).toBe(meaning);
  }
  wire.fault = () => status(404);
  await expect(none()).rejects.toThrow(`${wire.address}/${ref.name}: no such object`);
  // Objects without a recorded hash are identified by their length.
  wire.fault = () => withHeader('x-amz-meta-sha256', 'f');
  expect(await reader.readRange({ ...ref, sha256: '' }, 0, 0)).toHaveLength(0);
  expect(await reader.presignedUrl(ref.name, 1)).toBeNull();
});

test('a whole object arrives with or without a stated length, and latest.json bypasses every cache', async () => {
  await new FolderStore(root).putContent('latest.json', bytes);
  const unstated = altered((response) => {
    delete response.headers['content-length'];
  });
  const faults: (Fault | null)[] = [unstated, { cut: 3 }, null];
  wire.fault = () => faults.shift() ?? null;
  for (const name of ['latest.json', 'latest.json', ref.name]) {
    const { bytes: whole, identity } = await reader.readWhole(name);
    expect(Buffer.from(whole).equals(bytes)).toBe(true);
    expect(identity).toBe(ref.sha256);
  }
  const asked = wire.requests.map(({ cacheControl }) => cacheControl);
  expect(asked).toEqual(['no-cache', 'no-cache', 'no-cache', null]);
  wire.fault = () => withHeader('content-length', String(2 ** 28 + 1));
  await expect(reader.readWhole(ref.name)).rejects.toThrow(/more than 268435456 bytes are said/);
});

test('the bytes received are counted, including those of failed tries', async () => {
  const faults: Fault[] = [withBody((all) => all.subarray(40)), status(503, 'not an object')];
  wire.fault = () => faults.shift() ?? null;
  await reader.readRange(ref, 0, 100);
  await reader.readWhole(ref.name);
  await reader.stat(ref.name);
  expect(reader.wireCounts).toEqual({ fetchedBytes: 60 + 100 + 1000, retries: 2, hedges: 0 });
});

test('a failing server gets fifty requests more than a healthy one, and a fifth more', async () => {
  wire.fault = () => status(503);
  const [reads, atOnce] = [100, 25];
  for (let at = 0; at < reads; at += atOnce) {
    const round = Array.from({ length: atOnce }, () => reader.readRange(ref, 100, 100));
    const outcomes = await Promise.allSettled(round);
    expect(outcomes.every(({ status: outcome }) => outcome === 'rejected')).toBe(true);
  }
  // The budget starts full at fifty retries, so the first reads earn none.
  const retries = 50 + (reads - atOnce) / 5;
  expect(wire.requests).toHaveLength(reads + retries);
  expect(reader.wireCounts.retries).toBe(retries);
});

describe('time', () => {
  const impatient = (patience: Partial<typeof PATIENT>) =>
    ofThisTest(new HttpsReader(wire.address, { patience: { ...PATIENT, ...patience } }));

  test('of a try has a limit, which grows with the length of the read', async () => {
    const contents = Buffer.alloc(1_000_000, 'large');
    const large = refOf('kind/large.tta', contents);
    await new FolderStore(root).putContent(large.name, contents);
    const hasty = await impatient({ tryMs: 300, retryWithinMs: -1 });
    wire.fault = () => ({ delayMs: 600 });
    // At the slowest rate that is allowed, this read may take 8 s.
    expect(await hasty.readRange(large, 0, large.bytes)).toHaveLength(large.bytes);
    for (const ask of [() => hasty.readRange(large, 0, 100), () => hasty.stat(large.name)]) {
      await expect(ask()).rejects.toMatchObject({
        failure: 'unavailable',
        message: expect.stringMatching(/no whole response within 0 s$/),
      });
    }
    // On a busy machine a try may end before its request arrives.
    expect(wire.requests.length).toBeLessThanOrEqual(3);
  });

  test('for further tries has a limit', async () => {
    wire.fault = () => status(500);
    const hasty = await impatient({ retryWithinMs: -1 });
    await expect(hasty.readRange(ref, 0, 1)).rejects.toThrow(/responded with 500$/);
    expect(wire.requests).toHaveLength(1);
  });

  test('of a connection ends when its reader is closed', async () => {
    wire.fault = () => 'silence';
    const reading = failure(reader.readRange(ref, 0, 1));
    await expect.poll(() => wire.requests.length).toBe(1);
    wire.fault = () => null;
    await reader.close();
    expect(await reading).toBe('unavailable');
    expect(wire.requests).toHaveLength(1);
  });
});

describe('a late read', () => {
  /** Makes just enough reads for latencies to be known, so that none of these is hedged. */
  const learn = async () => {
    for (let at = 0; at < 64; at += 16) {
      await Promise.all(Array.from({ length: 16 }, () => reader.readRange(ref, 0, 10)));
    }
  };
  const hedgesOf = async (read: () => Promise<unknown>) => {
    const before = reader.wireCounts.hedges;
    await read();
    return reader.wireCounts.hedges - before;
  };
  /** Delays the next response so that only another request can be in time. */
  const delayNext = () => {
    let isNext = true;
    wire.fault = () => {
      const fault: Fault | null = isNext ? { delayMs: LONG_MS } : null;
      isNext = false;
      return fault;
    };
  };

  test('is made a second time, and the first response counts', async () => {
    await learn();
    delayNext();
    const hedges = await hedgesOf(async () => {
      const range = await settledWithin(LONG_MS / 2, reader.readRange(ref, 0, 10));
      expect(Buffer.from(range)).toEqual(Buffer.from(bytes).subarray(0, 10));
    });
    expect([hedges, reader.wireCounts.retries]).toEqual([1, 0]);
    await reader.readRange(ref, 0, 10);
  });

  test('is made once if it is large, or if no latencies are known yet', async () => {
    const large = refOf('kind/hedged.tta', Buffer.alloc(70_000, 'large'));
    await new FolderStore(root).putContent(large.name, Buffer.alloc(70_000, 'large'));
    wire.fault = () => ({ delayMs: 60 });
    expect(await hedgesOf(() => reader.readRange(ref, 0, 10))).toBe(0);
    await learn();
    wire.fault = () => ({ delayMs: 100 });
    expect(await hedgesOf(() => reader.readRange(large, 0, 2 ** 16 + 1))).toBe(0);
    delayNext();
    expect(await hedgesOf(() => reader.readRange(large, 0, 2 ** 16))).toBe(1);
  });

  test('is made again for at most ten of many, when all are late', async () => {
    await learn();
    wire.fault = () => ({ delayMs: 100 });
    const reads = () => Array.from({ length: 60 }, () => reader.readRange(ref, 0, 10));
    const hedges = await hedgesOf(() => Promise.all(reads()));
    // At most ten hedges are saved up, including those that these reads earn as they begin.
    expect(hedges).toBeLessThanOrEqual(10);
  });
});
