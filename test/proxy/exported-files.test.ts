import { createHash, createHmac, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import type { ExportFormat } from '../../shards/release/exported-table.ts';
import {
  encodeServedExports,
  type ServedExport,
  servedExportsName,
} from '../../shards/release/served-exports.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { putBodyOf } from '../../shards/store/put-body.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const MEDIA_TYPES = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8; header=present',
  geojson: 'application/geo+json',
  'gpkg-ready': 'application/vnd.flatgeobuf',
} as const satisfies Record<ExportFormat, string>;
const PATH = '/v1/exports/links';
/** A file of many pieces of 32 KiB, which responses consist of, and of a shorter last one. */
const FILE = randomBytes(500_001);
/** A table that costs 1,000 tokens. */
const nearest = { table: 'nearest', county: '24510' };

const folder = folderOfTests();
let proxy: ProxyHarness;

beforeAll(async () => {
  const county = smallCounty({ fips: '24510', seed: 5, blocks: 6, pois: 10 });
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
  const store = new FolderStore(folder);
  const put = async (name: string, bytes: Uint8Array): Promise<ObjectRef> => {
    await store.putContent(name, bytes);
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const sums = await pageSumsOf(putBodyOf(FILE));
  const exports: ServedExport[] = [];
  for (const [format, extension] of [
    ['parquet', 'parquet'],
    ['csv', 'csv'],
    ['geojson', 'geojson'],
    ['gpkg-ready', 'fgb'],
  ] as const) {
    const object = await put(`exports/nearest.${extension}`, FILE);
    const beside = await put(`exports/nearest.${extension}.sums`, sums);
    exports.push({ ...nearest, format, rows: 3, object, sums: beside });
  }
  const name = servedExportsName(proxy.releases.current.latest.manifest);
  await store.putContent(name, encodeServedExports({ exports, superseded: [] }));
  return () => proxy.close();
});

/** The path and query of a link, since tests have no socket. */
const local = (url: string) => url.slice(new URL(url).origin.length);

async function linkTo(format: string, by = proxy): Promise<string> {
  const { key } = await by.customer({ tokens: 1_000 });
  const response = await by.post(PATH, key, { ...nearest, format });
  expect([response.statusCode, response.headers['x-tokens-remaining']]).toEqual([201, '0']);
  return local(response.json().url);
}

describe('an exported file', () => {
  test.each(Object.entries(MEDIA_TYPES))('as %s is sent as %s', async (format, mediaType) => {
    const url = await linkTo(format);
    const file = await proxy.get(url);
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, mediaType]);
    expect(file.rawPayload.equals(FILE)).toBe(true);
    proxy.store.reads = [];
    const head = await proxy.get(url, undefined, {}, 'HEAD');
    expect(proxy.store.reads).toEqual([]);
    expect([head.statusCode, head.headers['content-type'], head.body]).toEqual([
      200,
      mediaType,
      '',
    ]);
    expect(head.headers).toMatchObject({
      'cache-control': file.headers['cache-control'],
      'content-length': `${FILE.length}`,
      etag: file.headers.etag,
    });
    const known = { 'if-none-match': `${file.headers.etag}` };
    expect((await proxy.get(url, undefined, known)).statusCode).toBe(304);
  });

  test('is immutable to caches, since its ETag is the hash of its content', async () => {
    const { headers } = await proxy.get(await linkTo('csv'));
    const sha256 = createHash('sha256').update(FILE).digest('hex');
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=31536000, immutable',
      etag: `"${sha256}"`,
    });
  });

  test('counts as one request of the client’s address, whatever its size, since its link was paid for', async () => {
    const few = await ofThisTest(openProxy(folder, { config: { freeRateLimitPerMinute: 3 } }));
    const url = await linkTo('csv', few);
    for (const left of [2, 1, 0]) {
      const { statusCode, headers } = await few.get(url);
      expect([statusCode, headers.ratelimit]).toEqual([
        200,
        expect.stringContaining(`;r=${left};`),
      ]);
    }
  });

  test('is sent in ranges of any length, with the bytes in the store', async () => {
    const url = await linkTo('parquet');
    const piece = 2 ** 15;
    for (const [start, end] of [
      [0, 0],
      [5, piece + 4],
      [5, piece + 5],
      [1, 2 * piece],
      [0, FILE.length - 1],
      [FILE.length - piece - 2, FILE.length - 1],
    ]) {
      const part = await proxy.get(url, undefined, { range: `bytes=${start}-${end}` });
      expect(part.headers).toMatchObject({
        'content-length': `${end + 1 - start}`,
        'content-range': `bytes ${start}-${end}/${FILE.length}`,
      });
      expect([part.statusCode, part.rawPayload.equals(FILE.subarray(start, end + 1))]).toEqual([
        206,
        true,
      ]);
    }
    const last = await proxy.get(url, undefined, { range: 'bytes=-8' });
    expect(last.rawPayload.equals(FILE.subarray(-8))).toBe(true);
    const past = await proxy.get(url, undefined, { range: `bytes=${FILE.length}-` });
    expect(past.statusCode).toBe(416);
  });

  /** Advances the clock as if the client read the given number of bytes a second. */
  const readAt = (bytesPerSecond: number) => {
    const { store } = proxy;
    const readRange = store.readRange.bind(store);
    let read = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      return (1_000 * read) / bytesPerSecond;
    });
    const reads = vi.spyOn(store, 'readRange').mockImplementation((ref, offset, length) => {
      read += length;
      return readRange(ref, offset, length);
    });
    onTestFinished(() => {
      clock.mockRestore();
      reads.mockRestore();
    });
    return () => read;
  };

  test('is sent whole to a client that reads 20 KB a second, however long that takes', async () => {
    const url = await linkTo('csv');
    readAt(20_000);
    expect((await proxy.get(url)).rawPayload.equals(FILE)).toBe(true);
  });

  test('is broken off after 20 seconds for a client that reads 10 KB a second', async () => {
    const url = await linkTo('csv');
    const read = readAt(10_000);
    await expect(proxy.get(url, undefined, { range: 'bytes=100000-' })).rejects.toThrow();
    expect(read()).toBeGreaterThan(20 * 10_000);
    // The first piece, and the one in hand after 20 seconds.
    expect(read()).toBeLessThanOrEqual(20 * 10_000 + 2 * 2 ** 15);
  });

  test('that is damaged beyond its first piece is broken off there, and the log names the file', async () => {
    const url = await linkTo('csv');
    const name = 'exports/nearest.csv';
    const damaged = Buffer.from(FILE);
    damaged[300_000] ^= 1;
    const file = path.join(folder, name);
    await writeFile(file, damaged);
    onTestFinished(() => writeFile(file, FILE));
    const { error } = proxy.app.log;
    const logged: { err: Error }[] = [];
    proxy.app.log.error = (entry: { err: Error }) => void logged.push(entry);
    onTestFinished(() => {
      proxy.app.log.error = error;
    });
    await expect(proxy.get(url)).rejects.toThrow();
    expect(logged.map(({ err }) => err.message)).toEqual([expect.stringContaining(name)]);
    const before = await proxy.get(url, undefined, { range: 'bytes=0-199999' });
    expect(before.rawPayload.equals(FILE.subarray(0, 200_000))).toBe(true);
  });
});

describe('a link', () => {
  /** A link with the right signature for its path and expiry. */
  const signed = async (path: string, expires: number | string) => {
    const secret = await proxy.ledger.secret('export-links');
    const hash = createHmac('sha256', secret).update(`${path}\n${expires}`).digest('base64url');
    return `${path}?expires=${expires}&signature=${hash}`;
  };
  const refusal = (response: Awaited<ReturnType<typeof proxy.get>>) => {
    const { type, detail } = response.json();
    return [response.statusCode, type.split('/').at(-1), detail];
  };
  const nowSeconds = () => Math.floor(Date.now() / 1_000);

  test('works until the time that it names, and is refused as expired from then on', async () => {
    const [path] = (await linkTo('csv')).split('?');
    const end = nowSeconds() + 60;
    const link = await signed(path, end);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 * end - 1 });
    expect((await proxy.get(link)).statusCode).toBe(200);
    vi.setSystemTime(1_000 * end);
    expect(refusal(await proxy.get(link))).toEqual([
      403,
      'link-refused',
      'the link has expired; request another one',
    ]);
  });

  test('with another signature, end or file is refused as not signed by this service, and reads nothing', async () => {
    const link = await linkTo('csv');
    const [path, query] = link.split('?');
    const [, end, signature] = /^expires=(\d+)&signature=(.+)$/.exec(query)!;
    expect(await signed(path, end)).toBe(link);
    const all = vi.spyOn(proxy.store, 'readWhole');
    onTestFinished(() => all.mockRestore());
    proxy.store.reads = [];
    for (const forged of [
      path,
      `${path}?expires=${end}`,
      `${path}?signature=${signature}`,
      `${path}?expires=${Number(end) + 1}&signature=${signature}`,
      `${path}?expires=${end}&signature=${signature.toLowerCase()}`,
      `${path.replace('.csv', '.parquet')}?${query}`,
      // Right signatures of expiries that are not valid numbers of seconds.
      await signed(path, `${end}.5`),
      await signed(path, ` ${end}`),
      await signed(path, '1e12'),
      await signed(path, '1'.repeat(13)),
    ]) {
      const refused = refusal(await proxy.get(forged));
      expect([forged, ...refused]).toEqual([
        forged,
        403,
        'link-refused',
        'the link is not one that this service signed',
      ]);
    }
    expect([proxy.store.reads, all.mock.calls]).toEqual([[], []]);
  });

  test('to a file that is gone is refused with the reason', async () => {
    const [path] = (await linkTo('csv')).split('?');
    const gone = await signed(path.replace('nearest.csv', 'gone.csv'), nowSeconds() + 60);
    expect(refusal(await proxy.get(gone))).toEqual([
      404,
      'export-not-found',
      'the file has been removed; request another link',
    ]);
  });

  test('is refused without the tokens for it, and reads nothing', async () => {
    const { id, key } = await proxy.customer({ tokens: 999 });
    proxy.store.reads = [];
    const refused = await proxy.post(PATH, key, { ...nearest, format: 'csv' });
    expect(refusal(refused).slice(0, 2)).toEqual([429, 'tokens-exhausted']);
    expect([proxy.store.reads, await proxy.balance(id)]).toEqual([[], 999]);
  });

  test('whose tokens another request spends meanwhile is refused at the second debit', async () => {
    const { id, key } = await proxy.customer({ tokens: 1_000 });
    const { debit } = proxy.ledger;
    onTestFinished(() => void Object.assign(proxy.ledger, { debit }));
    const due: number[] = [];
    proxy.ledger.debit = async (charge) => {
      if (due.push(charge.tokens) === 1) {
        await debit.call(proxy.ledger, { ...charge, keyId: 'another', tokens: 1 });
      }
      return debit.call(proxy.ledger, charge);
    };
    const refused = await proxy.post(PATH, key, { ...nearest, format: 'csv' });
    expect([refused.statusCode, refused.json().tokens_remaining]).toEqual([429, 999]);
    expect(due).toEqual([1_000, 1_000]);
    expect(await proxy.balance(id)).toBe(999);
  });

  test('requested again under its Idempotency-Key is a new link to the same file, uncharged', async () => {
    const { id, key } = await proxy.customer({ tokens: 1_000 });
    const ask = () =>
      proxy.post(PATH, key, { ...nearest, format: 'csv' }, { 'idempotency-key': 'one' });
    const first = await ask();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
    expect((await proxy.get(local(first.json().url))).statusCode).toBe(403);
    const again = await ask();
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(again.headers).toMatchObject({
      'content-type': first.headers['content-type'],
      'x-data-release': first.headers['x-data-release'],
      'x-tokens-charged': '0',
    });
    expect(again.headers).not.toHaveProperty('content-encoding');
    expect((await proxy.get(local(again.json().url))).rawPayload.equals(FILE)).toBe(true);
    expect(await proxy.balance(id)).toBe(0);
  });
});
