import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { LATEST, type WritableStore } from '../../shards/store/store.ts';
import { copyToBucket } from '../bench/bucket-copy.ts';
import { openProxyOn, type ProxyHarness } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';

const request = { tables: ['types'], counties: [], format: 'parquet' } as const;
const table = { table: 'types', format: 'parquet' };
/** Matches names of objects but those that only builds and maps read. */
const SERVED = /^(?!(plans|prepared|receipts|regions|tiles)\/)/;

let rgw: RgwServer;
let location: string;
let store: WritableStore;
let proxy: ProxyHarness<WritableStore>;

beforeAll(async () => {
  rgw = await startRgw();
  for (const [name, value] of Object.entries(rgw.env)) vi.stubEnv(name, value);
  location = await copyToBucket(rgw, inject('demoStore'), SERVED);
  store = await openWritableStore(location);
  await publishExports(await releaseIn(store), request, store, silent);
  proxy = await openProxyOn(store, { config: { exportLinks: 'bucket' } });
});
afterAll(async () => {
  await proxy?.close();
  vi.unstubAllEnvs();
  await rgw?.stop();
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function link() {
  const { id, key } = await proxy.customer({ tokens: 100 });
  const response = await proxy.post('/v1/exports/links', key, table);
  expect([response.statusCode, await proxy.balance(id)]).toEqual([201, 90]);
  return { key, ...response.json() };
}

test('a link leads to the bucket, names no key of the API, and gives the listed bytes and ranges', async () => {
  const { url, key, ...about } = await link();
  expect(url).toMatch(`${rgw.endpoint}/${location.slice('s3://'.length)}/exports/types-`);
  expect(url).not.toContain(key.slice(8));
  expect(url).not.toContain(rgw.env.AWS_SECRET_ACCESS_KEY);
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect([whole.length, sha256(whole)]).toEqual([about.bytes, about.sha256]);
  const part = await fetch(url, { headers: { range: 'bytes=4-19' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(4, 20))).toBe(true);
});

test('a link expires at the time that it states', async () => {
  const { url, expires_at } = await link();
  const asked = new URL(url).searchParams;
  const [, day, time] = asked.get('X-Amz-Date')!.match(/^(\d{8})T(\d{6})Z$/)!;
  const signed = Date.parse(
    `${day.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
  );
  const ends = signed + Number(asked.get('X-Amz-Expires')) * 1_000;
  expect(Math.abs(ends - Date.parse(expires_at))).toBeLessThanOrEqual(1_000);
});

test('the bucket refuses a link that is forged, of another object, to write, or without a signature', async () => {
  const { url } = await link();
  const { origin, pathname, searchParams } = new URL(url);
  const changed = (name: string, value: string | null) => {
    const query = new URLSearchParams(searchParams);
    if (value === null) query.delete(name);
    else query.set(name, value);
    return `${origin}${pathname}?${query.toString().replaceAll('+', '%20')}`;
  };
  const signature = searchParams.get('X-Amz-Signature')!;
  const other = signature.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
  for (const wrong of [
    changed('X-Amz-Signature', other),
    changed('X-Amz-Signature', null),
    changed('X-Amz-Expires', '604800'),
    `${url.replace(/exports\/types-[^?]*/, LATEST)}`,
    `${origin}${pathname}`,
  ]) {
    expect([wrong, (await fetch(wrong)).status]).toEqual([wrong, 403]);
  }
  const put = await fetch(url, { method: 'PUT', body: 'other bytes' });
  expect(put.status).toBe(403);
  expect((await fetch(url)).status).toBe(200);
});

test('the bucket refuses a link that has expired', async () => {
  const { url } = await link();
  const name = new URL(url).pathname.replace(/^.*(?=exports\/)/, '');
  const short = await store.presignedUrl(name, Date.now() + 2_000);
  await expect.poll(async () => (await fetch(short!.url)).status, { interval: 200 }).toBe(403);
});
