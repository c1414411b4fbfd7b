import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { S3Store } from '../../shards/store/s3/s3-store.ts';
import { lockHolder } from '../support/lock-holder.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { readerSuite, refOf } from './reader-suite.ts';
import { writerSuite } from './writer-suite.ts';

let rgw: RgwServer;
beforeAll(async () => {
  rgw = await startRgw();
  for (const [name, value] of Object.entries(rgw.env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rgw.stop();
});

/** Expiry time of locks. On a busy machine, a renewal may take seconds. */
const LAPSES_MS = 10_000;
const kind = 'S3, a bucket of Ceph’s gateway';
const make = async () => `s3://${await rgw.bucket()}/a prefix/of two+`;

readerSuite({
  kind,
  async make() {
    const location = await make();
    return {
      writer: await openWritableStore(location),
      open: () => openStore(location),
    };
  },
});
writerSuite({
  kind,
  make,
  open: (location) => new S3Store(location, LAPSES_MS),
  holder: (location) =>
    lockHolder(
      `import { S3Store } from '${path.resolve('dist/shards/store/s3/s3-store.js')}';`,
      `new S3Store(process.argv[1], ${LAPSES_MS})`,
      location,
      rgw.env,
    ),
  // The server's timestamps have a resolution of a second.
  lapsesMs: LAPSES_MS + 2_000,
});

async function inStore<T>(
  use: (store: S3Store, bucket: string) => Promise<T>,
  lapsesMs = LAPSES_MS,
): Promise<T> {
  const bucket = await rgw.bucket();
  const store = new S3Store(`s3://${bucket}/store`, lapsesMs);
  try {
    return await use(store, bucket);
  } finally {
    await store.close();
  }
}

test('large content is uploaded in parts, and identified by its hash without a read', () =>
  inStore(async (store, bucket) => {
    const large = Buffer.alloc(40_000_001, 'some bytes of no power of two');
    const ref = refOf('tiles/large.pmtiles', large);
    expect(await store.putContent(ref.name, large)).toBe('written');
    expect(await store.stat(ref.name)).toEqual({ bytes: ref.bytes, sha256: ref.sha256 });
    expect(await store.putContent(ref.name, large)).toBe('present');
    const { Body, ETag } = await rgw.client.getObject({ Bucket: bucket, Key: `store/${ref.name}` });
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(large)).toBe(true);
    expect(ETag).toMatch(/-3"$/);
    expect(await store.leftovers('tiles/')).toEqual([]);
  }));

test('interrupted uploads are leftovers, found and removed', () =>
  inStore(async (store, bucket) => {
    const begunMs = Date.now();
    const keys = ['store/tiles/a.pmtiles', 'store/tiles/b.pmtiles', 'store/pois/c.tta'];
    for (const Key of [...keys, 'elsewhere/tiles/d']) {
      await rgw.client.createMultipartUpload({ Bucket: bucket, Key });
    }
    const left = await store.leftovers('tiles/');
    expect(left.map(({ name }) => name.replace(/=.*/, ''))).toEqual([
      'tiles/a.pmtiles?uploadId',
      'tiles/b.pmtiles?uploadId',
    ]);
    for (const { modifiedMs } of left) {
      expect(Math.abs(modifiedMs - begunMs)).toBeLessThan(60_000);
    }
    expect(await store.leftovers('')).toEqual([]);
    expect(await store.list('tiles/')).toEqual([]);
    for (const { name } of left) {
      await store.remove(name);
      await store.remove(name);
    }
    expect(await store.leftovers('tiles/')).toEqual([]);
    expect(await store.leftovers('pois/')).toHaveLength(1);
  }));

test('more objects are listed than fit on one page of the server’s list', () =>
  inStore(async (store, bucket) => {
    const names = Array.from({ length: 1003 }, (_, i) => `pois/${10_000 + i}.tta`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(
        names
          .slice(at, at + 50)
          .map((name) => rgw.client.putObject({ Bucket: bucket, Key: `store/${name}`, Body: 'x' })),
      );
    }
    expect((await store.list('pois/')).map(({ name }) => name)).toEqual(names);
    expect(await store.topNames()).toEqual(['pois']);
  }));

test('a lock that its owner keeps renewing stays held, long past its expiry time', () =>
  inStore(async (store, bucket) => {
    const lock = await store.lock('section.lock');
    const other = new S3Store(`s3://${bucket}/store`, LAPSES_MS);
    for (const until = Date.now() + 3 * LAPSES_MS; Date.now() < until; ) {
      expect((await other.lock('section.lock')).taken).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (lock.taken) await lock.release();
    expect((await other.lock('section.lock')).taken).toBe(true);
    await other.close();
  }));
