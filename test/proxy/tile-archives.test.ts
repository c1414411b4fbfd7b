import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { putArchive } from '../../builder/publish/put-object.ts';
import { requestedRange, requestsFor } from '../../proxy/serve/send-object.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { CountingStore } from '../support/counting-store.ts';
import { openProxy, openProxyOn, proxyOfTests } from '../support/proxy-harness.ts';
import { TamperedRelease } from '../support/tampered-release.ts';
import { ofThisTest } from '../support/test-resources.ts';

const proxy = proxyOfTests();

interface Listed {
  readonly layer: string;
  readonly mode: string | null;
  readonly dest_type_id: number | null;
  readonly url: string;
  readonly bytes: number;
}

async function listed(): Promise<Listed[]> {
  return (await proxy.get('/v1/meta/tiles')).json().archives;
}

/** The path of the longest archive, and the bytes of its file in the store. */
async function longest(): Promise<{ url: string; file: Buffer }> {
  const [{ url }] = (await listed()).toSorted((a, b) => b.bytes - a.bytes);
  const { pathname } = new URL(url);
  return { url: pathname, file: await readFile(path.join(inject('demoStore'), pathname)) };
}

test('the catalogue lists an archive of blocks, and one of bands for each mode and leaf type', async () => {
  const { manifest, taxonomy } = proxy.releases.current;
  const archives = await listed();
  const [blocks, ...others] = archives.filter(({ layer }) => layer === 'blocks');
  expect([blocks.mode, blocks.dest_type_id, others]).toEqual([null, null, []]);
  const bands = archives.filter(({ layer }) => layer === 'bands');
  expect(bands.map(({ mode, dest_type_id }) => `${mode}-${dest_type_id}`).sort()).toEqual(
    manifest.modes.flatMap((mode) => taxonomy.leafIds.map((type) => `${mode}-${type}`)).sort(),
  );
  for (const { url, bytes } of archives) {
    const head = await proxy.get(new URL(url).pathname, undefined, {}, 'HEAD');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      String(bytes),
    ]);
  }
  const { bounds, poi_bounds, release } = (await proxy.get('/v1/meta/tiles')).json();
  const counties = proxy.releases.current.counties.map(({ manifest }) => manifest);
  expect(counties.length).toBeGreaterThan(1);
  for (const [found, boxes] of [
    [bounds, counties.map(({ block_box }) => block_box)],
    [poi_bounds, counties.map(({ poi_box }) => poi_box!)],
  ]) {
    const sorted = (i: number) =>
      boxes.map((box: number[]): number => box[i]).sort((a: number, b: number) => a - b);
    expect(found).toEqual([sorted(0)[0], sorted(1)[0], sorted(2).at(-1), sorted(3).at(-1)]);
  }
  expect(release).toBe('demo');
});

test('an archive is read without a key, whole or by range, with the bytes in the store', async () => {
  const { url, file } = await longest();
  const size = file.length;
  // Room for a range of more than one piece, but less than the whole.
  expect(size).toBeGreaterThan(2 ** 15 + 20);
  const whole = await proxy.get(url);
  expect([whole.statusCode, whole.rawPayload.equals(file)]).toEqual([200, true]);
  expect(whole.headers).toMatchObject({
    'content-type': 'application/vnd.pmtiles',
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': '*',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  expect(whole.headers).not.toHaveProperty('content-encoding');
  const ranges = [
    ['bytes=0-126', 0, 127],
    ['bytes=2047-2048', 2047, 2049],
    [`bytes=17-${2 ** 15 + 18}`, 17, 2 ** 15 + 19],
    ['bytes=1000-', 1000, size],
    ['bytes=-10', size - 10, size],
    [`bytes=${size - 1}-${size + 5}`, size - 1, size],
    [`bytes=-${size + 5}`, 0, size],
  ] as const;
  for (const [range, start, end] of ranges) {
    const part = await proxy.get(url, undefined, { range, 'accept-encoding': 'gzip' });
    expect([range, part.statusCode, part.rawPayload.equals(file.subarray(start, end))]).toEqual([
      range,
      206,
      true,
    ]);
    expect(part.headers).toMatchObject({
      'content-range': `bytes ${start}-${end - 1}/${size}`,
      'content-length': String(end - start),
      etag: whole.headers.etag,
    });
    const head = await proxy.get(url, undefined, { range }, 'HEAD');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      206,
      '',
      String(end - start),
    ]);
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=5-2', 'lines=0-1', 'bytes=-', 'nonsense']) {
    const { statusCode, rawPayload } = await proxy.get(url, undefined, { range });
    expect([range, statusCode, rawPayload.length]).toEqual([range, 200, size]);
  }
});

/** Publishes a copy of the demo release with other bytes as its archive of blocks. */
async function withArchiveOf(bytes: Uint8Array) {
  const release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  const store = new FolderStore(release.folder);
  const archive = await putArchive(store, 'tiles/blocks', 'pmtiles', bytes);
  Object.assign(release.manifest.tiles, { blocks: archive });
  await release.publish();
  return { folder: release.folder, close: () => release.remove() };
}

test('a response counts towards the rate of its address by its size, as ranges of 64 KiB would', () => {
  const counts = [0, 1, 2 ** 16, 2 ** 16 + 1, 10 * 2 ** 16, 2 ** 40].map(requestsFor);
  expect(counts).toEqual([0, 1, 1, 2, 10, 256]);
});

test('what remains of the rate of an address is stated, and a response beyond it is not read', async () => {
  const bytes = 3 * 2 ** 16 + 1;
  const large = await ofThisTest(withArchiveOf(randomBytes(bytes)));
  const few = await ofThisTest(openProxy(large.folder, { config: { freeRateLimitPerMinute: 6 } }));
  const url = `/${few.releases.current.manifest.tiles.blocks.archive.name}`;
  const remaining = async (range: string, status: number) => {
    const { statusCode, headers } = await few.get(url, undefined, { range });
    expect(statusCode).toBe(status);
    return Number(/;r=(\d+);/.exec(String(headers.ratelimit))![1]);
  };
  expect(await remaining('bytes=0-65535', 206)).toBe(5);
  expect(await remaining(`bytes=0-${bytes - 1}`, 206)).toBe(1);
  few.store.reads = [];
  const refused = await few.get(url);
  expect([refused.statusCode, refused.json().type]).toEqual([
    429,
    expect.stringMatching(/\/rate-limited$/),
  ]);
  expect(refused.headers).not.toHaveProperty('accept-ranges');
  expect(few.store.reads).toEqual([]);
});

test('ranges outside an archive are 416, with its size', async () => {
  const { url, file } = await longest();
  for (const range of [`bytes=${file.length}-`, 'bytes=-0', 'bytes=999999999999999999999-']) {
    const refused = await proxy.get(url, undefined, { range });
    expect([range, refused.statusCode]).toEqual([range, 416]);
    expect(refused.headers).toMatchObject({
      'content-range': `bytes */${file.length}`,
      'cache-control': 'no-store',
    });
    expect(refused.json().type).toMatch(/\/range-not-satisfiable$/);
    expect(refused.json()).toMatchObject({
      title: 'The range is outside the file',
      detail: `the file has ${file.length} bytes`,
    });
  }
});

test('a conditional request gets 304 for known content, and the whole for a range of other content', async () => {
  const { url, file } = await longest();
  const etag = String((await proxy.get(url, undefined, {}, 'HEAD')).headers.etag);
  for (const known of [etag, `"other", W/${etag}`, `${etag.slice(0, -1)}--br"`, '*']) {
    const same = await proxy.get(url, undefined, { 'if-none-match': known, range: 'bytes=0-9' });
    expect([known, same.statusCode, same.body, same.headers.etag]).toEqual([known, 304, '', etag]);
  }
  const range = 'bytes=0-9';
  const changed = await proxy.get(url, undefined, { 'if-none-match': '"other"', range });
  expect([changed.statusCode, changed.rawPayload.length]).toEqual([206, 10]);
  const mine = await proxy.get(url, undefined, { range, 'if-range': etag });
  expect([mine.statusCode, mine.rawPayload.length]).toEqual([206, 10]);
  for (const other of ['"other"', `W/${etag}`, 'Tue, 24 Nov 2026 00:00:00 GMT']) {
    const whole = await proxy.get(url, undefined, { range, 'if-range': other });
    expect([other, whole.statusCode, whole.rawPayload.length]).toEqual([other, 200, file.length]);
  }
});

test('nothing but the archives of the release can be read, and other names read nothing', async () => {
  const { manifest } = proxy.releases.current;
  const { archive, sums } = manifest.tiles.blocks;
  const nearest = Object.values(manifest.counties)[0].objects.nearest.name;
  const file = path.basename(archive.name);
  proxy.store.reads = [];
  for (const name of [
    `..%2f${nearest.replace('/', '%2f')}`,
    `%2e%2e%2flatest.json`,
    `..%2ftiles%2f${file}`,
    `.%2f${file}`,
    `${file}%00`,
    file.toUpperCase(),
    path.basename(sums.name),
    'blocks-0000000000000000.pmtiles',
    '__proto__',
    'blocks',
    'x'.repeat(5_000),
  ]) {
    const refused = await proxy.get(`/tiles/${name}`);
    expect([name, refused.statusCode]).toEqual([name, 404]);
    expect(refused.json().type).toMatch(/\/archive-not-found$/);
    expect(refused.headers['cache-control']).toBe('no-store');
  }
  for (const url of ['/tiles', '/tiles/', `/tiles/../${nearest}`, `/tiles/${file}/`]) {
    const refused = await proxy.get(url);
    expect([url, refused.statusCode, refused.json().type]).toEqual([
      url,
      404,
      expect.stringMatching(/\/not-found$/),
    ]);
  }
  expect(proxy.store.reads).toEqual([]);
  const posted = await proxy.get(`/tiles/${file}`, undefined, {}, 'POST');
  expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test('a name that the release lacks is refused with the route that lists its archives', async () => {
  const [[county, { block_bands }]] = Object.entries(proxy.releases.current.manifest.counties);
  const bands = path.basename(block_bands!.archive.name);
  const found = await proxy.get(`/tiles/${bands}`);
  expect([found.statusCode, found.headers['content-type']]).toEqual([
    200,
    'application/octet-stream',
  ]);
  const wrong = bands.replace(/-[0-9a-f]+\./, '-0000000000000000.');
  for (const [name, list] of [
    [wrong, 'GET /v1/meta/block-bands'],
    [wrong.replace(county, '00000'), 'GET /v1/meta/block-bands'],
    [`x${bands}`, 'GET /v1/meta/tiles'],
    [bands.replace(county, `${county}0`), 'GET /v1/meta/tiles'],
  ]) {
    const refused = await proxy.get(`/tiles/${name}`);
    expect([refused.statusCode, refused.json().detail]).toEqual([
      404,
      `no archive ${name} in the store; ${list} lists those of the release in force`,
    ]);
  }
  // Longer than the name of a file may be.
  const long = await proxy.get(`/tiles/${'b'.repeat(300)}-0000000000000000.pmtiles`);
  expect([long.statusCode, long.json().type]).toEqual([
    404,
    expect.stringContaining('archive-not-found'),
  ]);
});

/** The store of the demo release, in which a release without any of its archives is in force. */
async function withoutArchivesInForce() {
  const release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: true });
  const before = structuredClone(release.manifest);
  release.manifest.tiles = {};
  for (const county of Object.values(release.manifest.counties)) delete county.block_bands;
  await release.publish();
  const archives = [
    ...Object.values(before.tiles),
    ...Object.values(before.counties).flatMap(({ block_bands }) => block_bands ?? []),
  ];
  return { release, folder: release.folder, archives, close: () => release.remove() };
}

test('archives of releases that this server never opened are served, as their own server does', async () => {
  const { folder, archives } = await ofThisTest(withoutArchivesInForce());
  const other = await ofThisTest(openProxy(folder));
  expect((await other.get('/v1/meta/tiles')).json().archives).toEqual([]);
  expect(archives.length).toBeGreaterThan(3);
  for (const { archive } of archives) {
    const [theirs, own] = [
      await other.get(`/${archive.name}`),
      await proxy.get(`/${archive.name}`),
    ];
    expect([archive.name, theirs.statusCode]).toEqual([archive.name, 200]);
    expect(theirs.rawPayload.equals(own.rawPayload)).toBe(true);
    for (const header of ['etag', 'cache-control', 'content-type', 'accept-ranges']) {
      expect(theirs.headers[header]).toBe(own.headers[header]);
    }
  }
  const [{ archive }] = archives;
  const range = await other.get(`/${archive.name}`, undefined, { range: 'bytes=3-9' });
  expect([range.statusCode, range.headers['content-range']]).toEqual([
    206,
    `bytes 3-9/${archive.bytes}`,
  ]);
});

test('a promotion keeps the archives of the release before, until their files are removed', async () => {
  const release = await ofThisTest(
    TamperedRelease.copyOf(inject('demoStore'), { tiles: true }).then((copy) => ({
      copy,
      close: () => copy.remove(),
    })),
  );
  const { copy } = release;
  const server = await ofThisTest(openProxy(copy.folder));
  const { archive, sums } = copy.manifest.tiles.blocks;
  expect((await server.get(`/${archive.name}`)).statusCode).toBe(200);
  copy.manifest.tiles = {};
  await copy.publish();
  await server.releases.refresh();
  expect((await server.get(`/${archive.name}`)).statusCode).toBe(200);
  await Promise.all([archive, sums].map(({ name }) => rm(path.join(copy.folder, name))));
  const later = await ofThisTest(openProxy(copy.folder));
  expect((await later.get(`/${archive.name}`)).statusCode).toBe(404);
});

test('an archive outside the release in force that is damaged, or has the checksums of another, is 503', async () => {
  const { release, folder, archives } = await ofThisTest(withoutArchivesInForce());
  const [one, two, three, four] = archives;
  const flipped = await release.bytesOf(one.archive);
  flipped[flipped.length >> 1] ^= 1;
  await writeFile(release.path(one.archive), flipped);
  await writeFile(release.path(two.sums), await release.bytesOf(three.sums));
  await writeFile(release.path(four.archive), (await release.bytesOf(four.archive)).subarray(1));
  const other = await ofThisTest(openProxy(folder));
  for (const { archive } of [one, two, four]) {
    const middle = archive.bytes >> 1;
    const refused = await other.get(`/${archive.name}`, undefined, {
      range: `bytes=${middle}-${middle}`,
    });
    expect([archive.name, refused.statusCode]).toEqual([archive.name, 503]);
    expect(refused.json().type).toMatch(/\/store-unavailable$/);
  }
});

/** A store that counts the names of which it is asked whether it has them. */
class StatCounting extends CountingStore {
  stats: string[] = [];

  override stat(name: string) {
    this.stats.push(name);
    return super.stat(name);
  }
}

test('the store is asked once about a name that it lacks, and never about names of another form', async () => {
  const store = new StatCounting(inject('demoStore'));
  const counted = await ofThisTest(openProxyOn(store));
  const { archive, sums } = counted.releases.current.manifest.tiles.blocks;
  store.stats = [];
  const absent = ['walk-101-0123456789abcdef.pmtiles', 'block-bands-99001-0123456789abcdef.bands'];
  for (let i = 0; i < 5; i++) {
    for (const name of absent) expect((await counted.get(`/tiles/${name}`)).statusCode).toBe(404);
  }
  expect([...store.stats].sort()).toEqual([...new Set(store.stats)].sort());
  expect(store.stats).toHaveLength(absent.length);
  store.stats = [];
  for (const name of [
    path.basename(sums.name),
    `..%2f${archive.name.replace('/', '%2f')}`,
    `${path.basename(archive.name)}.pmtiles`,
    'walk-101-0123456789ABCDEF.pmtiles',
    'walk-101-0123456789abcde.pmtiles',
    'walk-101-0123456789abcdef.bands',
    'block-bands-9900-0123456789abcdef.bands',
  ]) {
    expect([name, (await counted.get(`/tiles/${name}`)).statusCode]).toEqual([name, 404]);
  }
  expect(store.stats).toEqual([]);
});

test('pages of any origin may send a range', async () => {
  const preflight = await proxy.app.inject({ method: 'OPTIONS', url: '/tiles/any.pmtiles' });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-origin']).toBe('*');
  const allowed = String(preflight.headers['access-control-allow-headers']).split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['Range', 'If-Range', 'If-None-Match']));
});

test('a range is cut to the length of the file', () => {
  expect(requestedRange(undefined, 10)).toBe('whole');
  expect(requestedRange('BYTES=0-0', 10)).toEqual({ start: 0, length: 1 });
  expect(requestedRange('bytes= 3 - 99', 10)).toEqual({ start: 3, length: 7 });
  expect(requestedRange('bytes=0-', 0)).toBe('unsatisfiable');
});
