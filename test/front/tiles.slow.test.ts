import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PMTiles, type RangeResponse } from 'pmtiles';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openStore } from '../../shards/store/open-store.ts';
import { HOSTS, type NginxFront, startNginxFront } from '../support/front.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWire, type Wire } from '../support/wire.ts';

/** Size of the slices in which the front fetches an archive. */
const SLICE_BYTES = 2 ** 18;

let bucket: Nginx;
let wire: Wire;
let front: NginxFront;
/**
 * Contents of the bucket: random bytes of more than two slices, block bands, and an archive of the
 * release.
 */
const LARGE = 'tiles/large-0123456789abcdef.pmtiles';
const BANDS = 'tiles/block-bands-99001-0123456789abcdef.bands';
const large = randomBytes(2 * SLICE_BYTES + 1_000);
let archive: string;
const bucketFolder = folderOfTests();
const at = (name: string) => `https://${HOSTS.tiles}/${name}`;
const url = at(LARGE);

beforeAll(async () => {
  bucket = await startNginx(bucketFolder);
  wire = await openWire(bucket.http);
  front = await startNginxFront({ bucket: wire.address, bucketPath: '' });
  const store = await openStore(inject('demoStore'));
  const { manifest } = await releaseIn(store);
  await store.close();
  archive = Object.values(manifest.tiles)[0].archive.name;
  await mkdir(path.join(bucketFolder, 'tiles'));
  await copyFile(path.join(inject('demoStore'), archive), path.join(bucketFolder, archive));
  await writeFile(path.join(bucketFolder, LARGE), large);
  await writeFile(path.join(bucketFolder, BANDS), large.subarray(0, 100));
});
afterAll(async () => {
  await front.stop();
  await wire.close();
  await bucket.stop();
});

const range = (of: string, from: number, to: number) =>
  front.ask(of, { range: `bytes=${from}-${to}` });

test('ranges of an archive are its bytes, fetched from the bucket once and publicly cacheable for ever', async () => {
  const ranges = [
    [0, 16_383],
    [100, 5_000],
    [SLICE_BYTES - 10, SLICE_BYTES + 9],
    [large.length - 5, large.length - 1],
  ] as const;
  for (const [from, to] of ranges) {
    const { status, headers, body } = await range(url, from, to);
    expect(body.equals(large.subarray(from, to + 1))).toBe(true);
    expect({ status, ...headers }).toMatchObject({
      status: 206,
      'content-range': `bytes ${from}-${to}/${large.length}`,
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('ETag'),
      etag: expect.stringMatching(/^"/),
    });
    expect(headers).not.toHaveProperty('content-encoding');
  }
  const fetched = wire.requests.map(({ range: asked }) => asked);
  expect(new Set(fetched).size).toBe(fetched.length);
  const whole = await front.ask(url);
  expect([whole.status, whole.body.equals(large)]).toEqual([200, true]);
  const slices = Math.ceil(large.length / SLICE_BYTES);
  expect(wire.requests).toHaveLength(slices);
  expect((await front.ask(url)).body.length + wire.requests.length).toBe(large.length + slices);
  const etag = `${whole.headers.etag}`;
  expect((await front.ask(url, { 'if-none-match': etag })).status).toBe(304);
  expect((await front.ask(url, {}, 'HEAD')).headers['content-length']).toBe(`${large.length}`);
  expect(wire.requests).toHaveLength(slices);
});

test('a map’s archive reader finds tiles through the front', async () => {
  const source = {
    getKey: () => archive,
    async getBytes(offset: number, length: number): Promise<RangeResponse> {
      const { body, headers } = await range(at(archive), offset, offset + length - 1);
      return { data: new Uint8Array(body).buffer, etag: headers.etag };
    },
  };
  const reader = new PMTiles(source);
  const { minLon, maxLon, minLat, maxLat, minZoom } = await reader.getHeader();
  const [lon, lat] = [(minLon + maxLon) / 2, (minLat + maxLat) / 2];
  const n = 2 ** minZoom;
  const sine = Math.sin((lat * Math.PI) / 180);
  const x = Math.floor(n * (lon / 360 + 0.5));
  const y = Math.floor(n * (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)));
  expect((await reader.getZxy(minZoom, x, y))?.data.byteLength).toBeGreaterThan(100);
});

test('block bands are served in ranges too', async () => {
  const { status, body } = await range(at(BANDS), 10, 19);
  expect([status, body.equals(large.subarray(10, 20))]).toEqual([206, true]);
});

test('the front exposes only tiles and block bands of the bucket, and allows no changes', async () => {
  const asked = wire.requests.length;
  for (const place of [
    'latest.json',
    'nearest/99001-0123456789abcdef.tta',
    'tiles/',
    'tiles/../latest.json',
    'tiles/walk-101-0123456789abcdef.tta',
    'tiles/%2e%2e/nearest/99001-0123456789abcdef.pmtiles',
    LARGE.replace('tiles/', 'manifests/'),
  ]) {
    expect([place, (await front.ask(at(place))).status]).toEqual([place, 404]);
  }
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'] as const) {
    expect((await front.ask(url, {}, method)).status).toBe(405);
  }
  expect(wire.requests).toHaveLength(asked);
  const preflight = await front.ask(url, { origin: 'https://map.example' }, 'OPTIONS');
  expect([preflight.status, preflight.headers]).toEqual([
    204,
    expect.objectContaining({ 'access-control-allow-headers': expect.stringContaining('Range') }),
  ]);
});

test('the response for a missing archive is not cached', async () => {
  const other = at('tiles/walk-999-0123456789abcdef.pmtiles');
  const asked = wire.requests.length;
  for (const _ of [1, 2]) {
    const { status, headers } = await front.ask(other);
    expect([status, headers['cache-control']]).toEqual([404, undefined]);
  }
  expect(wire.requests).toHaveLength(asked + 2);
});

test('the front reaches the CDN of a bucket by https, and only with a valid certificate', async () => {
  const cdn = (authorities: string) =>
    startNginxFront(
      { bucket: bucket.https, bucketPath: '' },
      { settings: { BUCKET_SCHEME: 'https', BUCKET_AUTHORITIES: authorities } },
    );
  const ofCdn = await ofThisTest(cdn(bucket.caFile));
  const { status, body, headers } = await ofCdn.ask(url, { range: 'bytes=5-9' });
  expect([status, body.equals(large.subarray(5, 10))]).toEqual([206, true]);
  // The header occurs once, although the CDN sends it as well.
  expect(headers['access-control-allow-origin']).toBe('*');
  const ofStranger = await ofThisTest(cdn(front.caFile));
  expect((await ofStranger.ask(url)).status).toBe(502);
});

test('a byte of an archive of the API costs one slice upstream, even for twenty clients at once', async () => {
  const proxy = await ofThisTest(openProxy(inject('demoStore')));
  const upstream = await ofThisTest(openWire(`http://127.0.0.1:${await proxy.listen()}`));
  const api = await startNginxFront({ api: [upstream.address] });
  try {
    const file = await readFile(path.join(inject('demoStore'), archive));
    const one = () => api.ask(`https://${HOSTS.api}/${archive}`, { range: 'bytes=7-7' });
    const responses = await Promise.all(Array.from({ length: 20 }, one));
    for (const { status, body, headers } of responses) {
      expect([status, body.equals(file.subarray(7, 8))]).toEqual([206, true]);
      expect(headers['content-range']).toBe(`bytes 7-7/${file.length}`);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    const read = upstream.requests.filter(({ path: at }) => at.startsWith('/tiles/'));
    expect(read.map(({ headers }) => headers.range)).toEqual([`bytes=0-${SLICE_BYTES - 1}`]);
    const whole = await api.ask(`https://${HOSTS.api}/${archive}`);
    expect([whole.status, whole.body.equals(file)]).toEqual([200, true]);
  } finally {
    await api.stop();
  }
});

test('a range of an exported table is fetched as requested, each time', async () => {
  const proxy = await ofThisTest(openProxy(inject('demoStore')));
  const upstream = await ofThisTest(openWire(`http://127.0.0.1:${await proxy.listen()}`));
  const api = await startNginxFront({ api: [upstream.address] });
  try {
    const { key } = await proxy.customer();
    const link = (await proxy.post('/v1/exports/links', key, { table: 'types' })).json();
    const { pathname, search } = new URL(link.url);
    const asked = ['bytes=0-3', 'bytes=0-3', `bytes=${link.bytes - 4}-${link.bytes - 1}`];
    for (const range of asked) {
      const { status, body } = await api.ask(`https://${HOSTS.api}${pathname}${search}`, { range });
      expect([status, body.toString()]).toEqual([206, 'PAR1']);
    }
    const read = upstream.requests.filter(({ path: at }) => at.startsWith('/exports/'));
    expect(read.map(({ headers }) => headers.range)).toEqual(asked);
  } finally {
    await api.stop();
  }
});
