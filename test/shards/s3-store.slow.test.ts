import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import { S3Store } from '../../shards/store/s3/s3-store.ts';
import { lockHolder } from '../support/lock-holder.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { type Fault, openWire, type Wire } from '../support/wire.ts';
import { bytes, failure, readerSuite, refOf } from './reader-suite.ts';
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
/** Expiry time of a lock whose renewal a test prevents. */
const SOON_LAPSES_MS = 2_000;
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

test('caches may keep an object for ever, and must revalidate a mutable one', () =>
  inStore(async (store, bucket) => {
    await store.putContent('kind/object.tta', bytes);
    await store.putConditional('latest.json', bytes, null);
    const reported = async (name: string) =>
      (await rgw.client.headObject({ Bucket: bucket, Key: `store/${name}` })).CacheControl;
    expect(await reported('kind/object.tta')).toBe('public, max-age=31536000, immutable');
    expect(await reported('latest.json')).toBe('no-cache');
  }));

test('an object that another program put there is read to identify it', () =>
  inStore(async (store, bucket) => {
    const ref = refOf('kind/object.tta', bytes);
    const Key = `store/${ref.name}`;
    await rgw.client.putObject({ Bucket: bucket, Key, Body: bytes });
    expect(await store.stat(ref.name)).toEqual({ bytes: 1000, sha256: null });
    expect(await isAsRecorded(store, ref)).toBe(true);
    expect(await store.putContent(ref.name, bytes)).toBe('present');
    const damaged = Uint8Array.from(bytes).fill(9, 500, 501);
    await rgw.client.putObject({ Bucket: bucket, Key, Body: damaged });
    expect(await isAsRecorded(store, ref)).toBe(false);
    expect(await store.putContent(ref.name, bytes)).toBe('written');
    expect(await isAsRecorded(store, ref)).toBe(true);
  }));

test('an object of the right length with a different recorded hash is not read', () =>
  inStore(async (store) => {
    const ref = refOf('kind/object.tta', bytes);
    await store.putContent(ref.name, Uint8Array.from(bytes).fill(9, 500, 501));
    for (const length of [0, 10]) {
      expect(await failure(store.readRange(ref, 0, length))).toBe('changed');
    }
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

/** Blocks this thread, including its timers, until another process may take its locks. */
function starve(meanwhile: string, location: string): void {
  const program = `import { S3Store } from '${path.resolve('dist/shards/store/s3/s3-store.js')}';
    await new Promise((resolve) => setTimeout(resolve, ${SOON_LAPSES_MS + 2_000}));
    ${meanwhile}
    process.exit();`;
  const args = ['--input-type=module', '-e', program, location];
  const env = { ...process.env, ...rgw.env };
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

test('an owner that failed to renew its lock writes nothing more; an unclaimed lock is still its own', () =>
  inStore(async (store) => {
    const lock = await store.lock('section.lock');
    await store.putContent('tiles/upload', bytes);
    const identity = await store.putConditional('latest.json', Buffer.from('before'), null);
    starve('', store.location);
    const latest = await store.putConditional('latest.json', Buffer.from('mine'), identity);

    const take = `const { taken } = await new S3Store(process.argv[1], 60_000).lock('section.lock');
      if (!taken) throw new Error('the lock was not to be had');`;
    starve(take, store.location);
    const refused = store.putConditional('latest.json', Buffer.from('too late'), latest);
    await expect(refused).rejects.toThrow(/section\.lock: this lock was not renewed for 2 s/);
    expect(await failure(store.putContent('tiles/another', bytes))).toBe('conflict');
    expect(await failure(store.remove('tiles/upload'))).toBe('conflict');
    expect(Buffer.from((await store.readWhole('latest.json')).bytes).toString()).toBe('mine');
    expect((await store.list('tiles/')).map(({ name }) => name)).toEqual(['tiles/upload']);

    if (lock.taken) await lock.release();
    expect((await store.lock('section.lock')).taken).toBe(false);
    await store.putContent('tiles/another', bytes);
  }, SOON_LAPSES_MS));

/** Runs `use` with a store whose server is behind a wire that can be made to fail. */
async function overWire<T>(use: (store: S3Store, wire: Wire) => Promise<T>): Promise<T> {
  const wire = await openWire(rgw.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', wire.address);
  try {
    return await inStore((store) => use(store, wire));
  } finally {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', rgw.endpoint);
    await wire.close();
  }
}

/** Applies the failure to the given number of puts. */
function putsMeet(wire: Wire, fault: Fault, times: number): void {
  let left = times;
  wire.fault = ({ method }) => (method === 'PUT' && left-- > 0 ? fault : null);
}

test('a conditional put whose response is lost is detected as carried out', () =>
  overWire(async (store, wire) => {
    let identity: string | null = null;
    for (const text of ['one', 'two']) {
      putsMeet(wire, 'lost', 1);
      wire.requests = [];
      identity = await store.putConditional('latest.json', Buffer.from(text), identity);
      expect(wire.requests.filter(({ method }) => method === 'PUT')).toHaveLength(2);
      expect(await store.readWhole('latest.json')).toEqual({ bytes: Buffer.from(text), identity });
    }
    putsMeet(wire, 'lost', 1);
    expect(await failure(store.putConditional('latest.json', bytes, null))).toBe('conflict');
  }));

test('a put that fails temporarily is retried; one that fails for ever is reported', () =>
  overWire(async (store, wire) => {
    const ref = refOf('kind/object.tta', bytes);
    for (const fault of ['reset', { delayMs: 100 }, 'lost'] as const) {
      putsMeet(wire, fault, 2);
      await store.putContent(ref.name, bytes);
      expect(await isAsRecorded(store, ref)).toBe(true);
      await store.remove(ref.name);
    }
    putsMeet(wire, 'reset', Number.POSITIVE_INFINITY);
    expect(await failure(store.putContent(ref.name, bytes))).toBe('unavailable');
    expect(await store.stat(ref.name)).toBe(null);
  }));

test('a put is abandoned when the server falls silent, and retried', () =>
  overWire(async (store, wire) => {
    const ref = refOf('kind/object.tta', bytes);
    putsMeet(wire, 'silence', 1);
    await store.putContent(ref.name, bytes);
    expect(await isAsRecorded(store, ref)).toBe(true);
  }));
