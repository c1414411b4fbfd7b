import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../shards/store/open-store.ts';
import { s3Access, s3Protocol } from '../../shards/store/s3/s3-reader.ts';
import { S3Store } from '../../shards/store/s3/s3-store.ts';
import { type S3StandIn, startS3StandIn } from '../support/s3-stand-in.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { altered, openWire, status, type Wire } from '../support/wire.ts';
import { bytes, failure, refOf } from './reader-suite.ts';
import { storeModel } from './store-model.ts';

let s3: S3StandIn;
beforeAll(async () => {
  s3 = await startS3StandIn();
});
afterAll(() => s3.stop());
beforeEach(() => {
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
  s3.pageSize = 1_000;
  s3.nowMs = Date.now;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const PART_BYTES = 2 ** 24;

/** A new store, and what its bucket holds. */
async function newStore(prefix = 'store', lockLapsesMs = 60_000) {
  const name = s3.newBucket();
  const store = await ofThisTest(new S3Store(`s3://${name}/${prefix}`, lockLapsesMs));
  return { store, name, bucket: s3.buckets.get(name)! };
}

storeModel(
  {
    kind: 'an S3 store',
    async make() {
      s3.pageSize = 2;
      const location = `s3://${s3.newBucket()}/a prefix/of two+`;
      return { store: new S3Store(location), open: () => openStore(location) };
    },
  },
  2,
);

test('content of more than 16 MiB is uploaded in parts of that size, and smaller content in one', async () => {
  const { store, bucket } = await newStore();
  const whole = Buffer.alloc(PART_BYTES + 1, 'some bytes of no power of two');
  for (const [size, parts] of [
    [PART_BYTES, 1],
    [PART_BYTES + 1, 2],
  ] as const) {
    const content = whole.subarray(0, size);
    const ref = refOf(`tiles/${size}`, content);
    expect(await store.putContent(ref.name, content)).toBe('written');
    const { body, etag, headers } = bucket.objects.get(`store/${ref.name}`)!;
    expect(body.equals(content)).toBe(true);
    expect(/-(\d+)"$/.exec(etag)?.[1] ?? '1').toBe(String(parts));
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(await store.stat(ref.name)).toEqual({ bytes: size, sha256: ref.sha256 });
  }
  expect(bucket.uploads.size).toBe(0);
});

test('an object that another program uploaded is read to identify its content', async () => {
  const { store, name, bucket } = await newStore();
  const ref = refOf('kind/object.tta', bytes);
  const byOthers = (body: Buffer) =>
    bucket.objects.set(`store/${ref.name}`, { body, etag: '"x"', modifiedMs: 0, headers: {} });
  byOthers(Buffer.from(bytes));
  expect(await store.stat(ref.name)).toEqual({ bytes: 1000, sha256: null });
  expect(await store.putContent(ref.name, bytes)).toBe('present');
  byOthers(Buffer.from(bytes).fill(9, 500, 501));
  expect(await store.putContent(ref.name, bytes)).toBe('written');
  expect(await store.putContent(ref.name, bytes)).toBe('present');
  // This object has the right length, but another recorded hash.
  await store.putContent(ref.name, Uint8Array.from(bytes).fill(9, 500, 501));
  for (const length of [0, 10]) {
    await expect(store.readRange(ref, 0, length)).rejects.toMatchObject({
      failure: 'changed',
      object: `s3://${name}/store/${ref.name}`,
    });
  }
});

test('a mutable object must be revalidated by caches', async () => {
  const { store, bucket } = await newStore('');
  await store.putConditional('latest.json', bytes, null);
  expect(bucket.objects.get('latest.json')!.headers['cache-control']).toBe('no-cache');
});

test('a mutable object that was removed meanwhile is not created again', async () => {
  const { store, name, bucket } = await newStore();
  const identity = await store.putConditional('latest.json', bytes, null);
  bucket.objects.clear();
  await expect(store.putConditional('latest.json', bytes, identity)).rejects.toMatchObject({
    failure: 'conflict',
    message: `s3://${name}/store/latest.json: was removed by another process in the meantime`,
    cause: { name: 'NoSuchKey' },
  });
  expect(bucket.objects.size).toBe(0);
});

test('a store that is closed reads nothing more', async () => {
  const { store } = await newStore();
  await store.putContent('a', bytes);
  await store.close();
  expect(await failure(store.readWhole('a'))).toBe('unavailable');
});

test('interrupted uploads are leftovers, listed over any number of pages, and can be removed', async () => {
  const { store, bucket } = await newStore();
  s3.pageSize = 2;
  const begunMs = Date.UTC(2026, 5, 1);
  const keys = [3, 1, 2, 1, 5].map((n) => `store/tiles/${n}.pmtiles`);
  const ids = ['e', 'd', 'c', 'b', 'a', '1', '2', '3'];
  for (const [i, key] of [...keys, 'store/pois/a', 'tiles/b', 'store/tiles/b/c'].entries()) {
    bucket.uploads.set(ids[i], { key, headers: {}, begunMs, parts: new Map() });
  }
  const left = await store.leftovers('tiles/');
  const names = [3, 1, 2, 0, 4].map((i) => `${keys[i].slice(6)}?uploadId=${ids[i]}`);
  expect(left).toEqual(names.map((name) => ({ name, bytes: 0, modifiedMs: begunMs })));
  expect(await store.leftovers('')).toEqual([]);
  expect(await store.list('tiles/')).toEqual([]);
  for (const name of names) {
    await store.remove(name);
    // The upload is gone already.
    await store.remove(name);
  }
  expect([...bucket.uploads.keys()]).toEqual(['1', '2', '3']);
});

test('objects are listed by name, also where the server orders them by bytes', async () => {
  const { store } = await newStore();
  const names = ['kind/！', 'kind/😀', 'kind/a', 'kind/b'];
  for (const name of names) await store.putContent(name, bytes);
  const listed = (await store.list('kind/')).map(({ name }) => name);
  expect(listed).toEqual(names.sort());
});

test('no local file is in a bucket', async () => {
  const { store } = await newStore();
  expect(store.holdsFile()).toBe(false);
});

describe('a lock', () => {
  test('is taken over once its owner has not renewed it for a minute by the server’s clock', async () => {
    const { store, name, bucket } = await newStore();
    const other = await ofThisTest(new S3Store(`s3://${name}/store`));
    const lock = await store.lock('section.lock');
    expect(lock.taken).toBe(true);
    const takenMs = bucket.objects.get('store/section.lock')!.modifiedMs;
    // Times in headers have a resolution of a second.
    s3.nowMs = () => takenMs + 58_000;
    expect((await other.lock('section.lock')).taken).toBe(false);
    s3.nowMs = () => takenMs + 62_000;
    const taken = await other.lock('section.lock');
    expect(taken.taken).toBe(true);
    // After so long, another process could have taken over the lock.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 59_000);
    const writes = [
      () => store.putContent('a', bytes),
      () => store.putConditional('b', bytes, null),
      () => store.remove('c'),
    ];
    for (const write of writes) {
      await expect(write()).rejects.toMatchObject({
        failure: 'conflict',
        object: `s3://${name}/store/section.lock`,
        message: expect.stringMatching(/not renewed for 60 s and another process took it/),
      });
    }
    expect([...bucket.objects.keys()]).toEqual(['store/section.lock']);
    if (lock.taken) await lock.release();
    expect((await store.lock('section.lock')).taken).toBe(false);
    // A store that holds no lock writes as before.
    expect(await store.putContent('a', bytes)).toBe('written');
    expect(await other.putContent('b', bytes)).toBe('written');
    if (taken.taken) await taken.release();
  });

  test('that was not renewed in time, but not taken over either, is renewed and stays its owner’s', async () => {
    const { store, bucket } = await newStore();
    const lock = await store.lock('section.lock');
    const first = bucket.objects.get('store/section.lock')!.etag;
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 59_000);
    expect(await store.putContent('a', bytes)).toBe('written');
    const renewed = bucket.objects.get('store/section.lock')!.etag;
    expect(renewed).not.toBe(first);
    // A lock that was renewed recently cannot have been taken over.
    expect(await store.putContent('b', bytes)).toBe('written');
    expect(bucket.objects.get('store/section.lock')!.etag).toBe(renewed);
    if (lock.taken) await lock.release();
    expect(bucket.objects.has('store/section.lock')).toBe(false);
  });

  test('is renewed six times before it lapses, until it is released', async () => {
    const { store, bucket } = await newStore('store', 300);
    const lock = await store.lock('section.lock');
    const etags = new Set<string>();
    const watch = () => {
      const there = bucket.objects.get('store/section.lock');
      if (there) etags.add(there.etag);
      return etags.size;
    };
    const begunMs = performance.now();
    await expect.poll(watch, { interval: 5 }).toBe(4);
    // Three renewals, of which a timer may be some milliseconds early.
    expect(performance.now() - begunMs).toBeGreaterThan(125);
    if (lock.taken) await lock.release();
    expect(bucket.objects.size).toBe(0);
  });

  test('whose object is illegible counts as held by another process for a minute', async () => {
    const { store, bucket } = await newStore('store', 1);
    const nowMs = Date.now();
    for (const text of ['', 'no JSON', '{"owner":"me","lapses_ms":-1,"renewal":""}']) {
      const body = Buffer.from(text);
      const object = { body, etag: '"x"', modifiedMs: nowMs, headers: {} };
      bucket.objects.set('store/section.lock', object);
      s3.nowMs = () => nowMs + 58_000;
      const owner = 'another process';
      expect(await store.lock('section.lock')).toEqual({ taken: false, owner });
      s3.nowMs = () => nowMs + 62_000;
      const lock = await store.lock('section.lock');
      expect(lock.taken).toBe(true);
      if (lock.taken) await lock.release();
    }
  });
});

describe('over a wire that breaks', () => {
  let wire: Wire;
  beforeEach(async () => {
    wire = await openWire(s3.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_S3', wire.address);
  });
  afterEach(() => wire.close());

  const putsMeet = (fault: ReturnType<Wire['fault']>, times: number) => {
    let left = times;
    wire.fault = ({ method }) => (method === 'PUT' && left-- > 0 ? fault : null);
  };
  const puts = () => wire.requests.filter(({ method }) => method === 'PUT').length;

  test('a conditional put whose response was lost counts as made if its bytes are there', async () => {
    const { store } = await newStore();
    let identity: string | null = null;
    for (const text of ['one', 'two']) {
      putsMeet('lost', 1);
      identity = await store.putConditional('latest.json', Buffer.from(text), identity);
      const there = await store.readWhole('latest.json');
      expect({ ...there, bytes: Buffer.from(there.bytes).toString() }).toEqual({
        bytes: text,
        identity,
      });
    }
    expect(puts()).toBe(4);
    // Here, the bytes in place are others.
    putsMeet('reset', 1);
    expect(await failure(store.putConditional('latest.json', bytes, null))).toBe('conflict');
    // Here, the bytes cannot be read.
    putsMeet('lost', 1);
    const passing = wire.fault;
    wire.fault = (asked) => (asked.method === 'GET' ? status(403) : passing(asked));
    expect(await failure(store.putConditional('unread.json', bytes, null))).toBe('conflict');
    wire.fault = () => null;
    // Here, the same bytes were put before, but no response was lost.
    const again = store.putConditional('latest.json', Buffer.from('two'), null);
    expect(await failure(again)).toBe('conflict');
  });

  test('a put that fails for a while is repeated; one that fails for ever is given up after five tries', async () => {
    // Skips the pauses between tries, which would take seconds.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { store } = await newStore();
    putsMeet(status(503, '<Error><Code>SlowDown</Code></Error>'), 2);
    expect(await store.putContent('a', bytes)).toBe('written');
    expect(puts()).toBe(3);
    wire.requests = [];
    putsMeet(status(500, '<Error><Code>InternalError</Code></Error>'), 9);
    await expect(store.putContent('b', bytes)).rejects.toMatchObject({
      failure: 'unavailable',
      message: expect.stringMatching(
        /\/b: the server responded with 500 InternalError \(5 attempts\)/,
      ),
      cause: { name: 'InternalError' },
    });
    expect(puts()).toBe(5);
  });

  test('a refusal is explained, whichever request it answers', async () => {
    const { store } = await newStore();
    await store.putConditional('latest.json', bytes, null);
    for (const [secret, words] of [
      [s3.env.AWS_SECRET_ACCESS_KEY, /there is no bucket "nowhere"/],
      ['wrong', /the credentials are not right \(403 SignatureDoesNotMatch\)/],
    ] as const) {
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
      const one = await ofThisTest(new S3Store('s3://nowhere/store'));
      for (const ask of [
        () => one.list(''),
        () => one.leftovers(''),
        () => one.remove('a'),
        () => one.putConditional('latest.json', bytes, null),
        () => one.readWhole('latest.json'),
        () => one.lock('a.lock'),
      ]) {
        await expect(ask()).rejects.toMatchObject({
          failure: 'refused',
          message: expect.stringMatching(words),
        });
      }
    }
  });

  test('a refusal without a document is explained by its status and headers', async () => {
    const { store } = await newStore();
    const meets = (method: string, fault: ReturnType<Wire['fault']>) => {
      wire.fault = (asked) => (asked.method === method ? fault : null);
    };
    meets('HEAD', status(404));
    expect(await store.stat('latest.json')).toBeNull();
    // The object is gone already.
    meets('DELETE', status(404));
    await store.remove('latest.json');
    const region = altered((response) => {
      response.status = 301;
      response.headers = { 'x-amz-bucket-region': 'eu-west-2' };
    });
    for (const [fault, words] of [
      [status(403), /access denied \(403\)/],
      [status(301), /is elsewhere \(301\)/],
      [region, /is in the region eu-west-2/],
    ] as const) {
      meets('PUT', fault);
      // The server carries out each put, though its response says otherwise.
      const name = String(words);
      for (const put of [
        () => store.putContent(name, bytes),
        () => store.lock(`${name}.lock`),
        () => store.putConditional(`${name}.json`, bytes, null),
      ]) {
        await expect(put()).rejects.toMatchObject({
          failure: 'refused',
          message: expect.stringMatching(words),
        });
      }
    }
    meets('GET', status(403));
    expect(await failure(store.lock('section.lock'))).toBe('refused');
    wire.requests = [];
    meets('none', null);
    expect((await store.lock('section.lock')).taken).toBe(true);
    const [read] = wire.requests;
    expect([read.method, read.cacheControl]).toEqual(['GET', 'no-cache']);
    expect(read.headers['accept-encoding']).toBe('identity');
  });

  test('an error for an unreachable server names it and says what to do', async () => {
    const { store } = await newStore();
    await wire.close();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await expect(store.list('')).rejects.toMatchObject({
      failure: 'unavailable',
      message: expect.stringMatching(
        /^s3:\/\/bucket-\d+\/store\/: http:\/\/127\.0\.0\.1:\d+: no server is listening/,
      ),
      cause: { code: 'ECONNREFUSED' },
    });
  });
});

describe('a presigned URL', () => {
  const later = () => Date.now() + 3_600_000;

  test('opens its object, whole or in part, and no other, until it expires', async () => {
    const { store, name } = await newStore('a prefix/+');
    await store.putContent("it's (é)*!", bytes);
    const expiresMs = later();
    const shared = (await store.presignedUrl("it's (é)*!", expiresMs))!;
    expect(shared.expiresMs).toBe(expiresMs);
    const whole = await fetch(shared.url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await fetch(shared.url, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    for (const url of [
      shared.url.replace(name, 'bucket-0'),
      shared.url.replace('%21?', '?'),
      shared.url.replace(/(Expires=)\d+/, '$199999'),
    ]) {
      expect((await fetch(url)).status).toBe(403);
    }
    // Lifetimes are whole seconds, rounded up, and at least one.
    for (const [livesMs, seconds] of [
      [-5_000, 1],
      [1_001, 2],
      [59_500, 60],
    ]) {
      vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] });
      const { url } = (await store.presignedUrl('a', Date.now() + livesMs))!;
      vi.useRealTimers();
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe(String(seconds));
    }
  });

  test('expires with the credentials that signed it', async () => {
    const expiration = new Date(Date.now() + 60_000);
    const credentials = {
      accessKeyId: s3.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: s3.env.AWS_SECRET_ACCESS_KEY,
      expiration,
    };
    const access = { ...s3Access('s3://abc'), credentials: async () => credentials };
    const protocol = s3Protocol({ bucket: s3.newBucket(), prefix: '' }, access);
    const { url, expiresMs } = await protocol.presignedUrl!('none', later());
    expect(expiresMs).toBe(expiration.getTime());
    expect(Number(new URL(url).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60);
    // The signature is right, and there is no such object.
    expect((await fetch(url)).status).toBe(404);
    const sooner = expiration.getTime() - 5_000;
    expect((await protocol.presignedUrl!('none', sooner)).expiresMs).toBe(sooner);
  });
});

describe('the server of a bucket', () => {
  const urlOf = async (bucket: string, endpoint: string | undefined, region = 'eu-west-1') => {
    vi.stubEnv('AWS_REGION', region);
    const access = s3Access('s3://x', endpoint ? { AWS_ENDPOINT_URL_S3: endpoint } : {});
    const protocol = s3Protocol({ bucket, prefix: 'a/' }, access);
    const { origin, path, headers } = await protocol.request('GET', 'b c', {});
    expect(headers.host).toBe(new URL(origin).host);
    return `${origin}${path}`;
  };

  test('is Amazon’s in the region of the bucket, unless another is set', async () => {
    expect(await urlOf('abc', undefined)).toBe('https://abc.s3.eu-west-1.amazonaws.com/a/b%20c');
    // No certificate covers a name with a dot.
    expect(await urlOf('a.bc', undefined)).toBe('https://s3.eu-west-1.amazonaws.com/a.bc/a/b%20c');
    expect(await urlOf('abc', undefined, 'cn-north-1')).toBe(
      'https://abc.s3.cn-north-1.amazonaws.com.cn/a/b%20c',
    );
    expect(await urlOf('a.bc', undefined, 'cn-north-1')).toBe(
      'https://s3.cn-north-1.amazonaws.com.cn/a.bc/a/b%20c',
    );
    for (const endpoint of ['http://host:81/deep', 'http://host:81/deep//']) {
      expect(await urlOf('abc', endpoint)).toBe('http://host:81/deep/abc/a/b%20c');
    }
    expect(await urlOf('abc', 'https://host')).toBe('https://host/abc/a/b%20c');
  });

  test('is set by a variable for S3, or by one for all of AWS', () => {
    const endpoint = (env: NodeJS.ProcessEnv) => s3Access('s3://x', env).endpoint?.href ?? null;
    const [AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3] = ['https://all.example', 'http://s3.example'];
    expect(endpoint({ AWS_ENDPOINT_URL })).toBe('https://all.example/');
    expect(endpoint({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 })).toBe('http://s3.example/');
    expect(endpoint({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3: '' })).toBe('https://all.example/');
    expect(endpoint({})).toBeNull();
    for (const wrong of ['s3.example', 'ftp://s3.example', 'xhttp://s3.example']) {
      expect(() => endpoint({ AWS_ENDPOINT_URL_S3: wrong })).toThrow(
        's3://x: AWS_ENDPOINT_URL_S3 is not an address such as https://s3.example',
      );
    }
  });

  test('needs credentials, and a region unless another server is set', async () => {
    const files = await folderOfThisTest();
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) {
      vi.stubEnv(name, `${files}/none`);
    }
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
      vi.stubEnv(name, undefined);
    }
    await expect(s3Access('s3://x', {}).region()).rejects.toMatchObject({
      failure: 'unavailable',
      message: 's3://x: no region: set AWS_REGION to the one the bucket is in',
    });
    const own = s3Access('s3://x', { AWS_ENDPOINT_URL: 'http://host' });
    expect(await own.region()).toBe('us-east-1');
    await expect(own.credentials()).rejects.toMatchObject({
      failure: 'unavailable',
      message:
        's3://x: no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    });
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    expect(await s3Access('s3://x', {}).region()).toBe('eu-west-1');
  });
});
