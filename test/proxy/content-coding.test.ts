import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compressed, inflated } from '../../proxy/finish-response.ts';
import { MEDIA_TYPES } from '../../proxy/formats/negotiate.ts';
import { Body } from '../../proxy/http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from '../../proxy/http/content-encoding.ts';

const texts = [0, 1_400, 2 ** 16, 2 ** 16 + 1, 3_000_000].map((length) =>
  Buffer.from('"dest_id":4213,"travel_time":7.4,'.repeat(Math.ceil(length / 33)).slice(0, length)),
);

test.each([...texts, randomBytes(300_000)].map((bytes) => [bytes.length, bytes] as const))(
  'compressing and inflating %i bytes returns them unchanged',
  async (_length, bytes) => {
    expect(gunzipSync((await gzipBody(Body.of(bytes))).whole()).equals(bytes)).toBe(true);
    expect((await gunzipBody(Body.of(gzipSync(bytes)))).whole().equals(bytes)).toBe(true);
  },
);

test('invalid or truncated gzip is an error, also when it is large', async () => {
  const whole = gzipSync(randomBytes(100_000));
  await expect(gunzipBody(Body.of(whole.subarray(0, 50_000)))).rejects.toThrow();
  await expect(gunzipBody(Body.of(randomBytes(100_000)))).rejects.toThrow();
});

test('large jobs do not delay a small one', async () => {
  const done: string[] = [];
  const large = Array.from({ length: 8 }, async () => {
    await gzipBody(Body.of(texts[4]));
    done.push('large');
  });
  await new Promise(setImmediate);
  await gzipBody(Body.of(texts[1]));
  done.push('small');
  await Promise.all(large);
  expect(done[0]).toBe('small');
});

describe('a response', () => {
  const response = (bytes: Uint8Array, contentType: string, contentEncoding: 'gzip' | null) => ({
    body: Body.of(bytes),
    contentType,
    contentEncoding,
    tokens: 3,
    metadata: { 'x-next-cursor': 'next' },
  });
  const { json, parquet } = MEDIA_TYPES;
  const long = Buffer.alloc(MIN_COMPRESSED_BYTES, 'a');
  const short = long.subarray(1);

  test.each([
    ['long', long, false],
    ['short', short, true],
  ])(
    'that is %s is compressed and inflated, with all else unchanged',
    async (_, bytes, isAlways) => {
      const plain = response(bytes, json, null);
      const zipped = await compressed(plain, isAlways);
      expect(zipped).toEqual({ ...plain, body: zipped.body, contentEncoding: 'gzip' });
      expect(gunzipSync(zipped.body.whole()).equals(bytes)).toBe(true);
      const again = await inflated(zipped);
      expect(again).toEqual({ ...plain, body: again.body });
      expect(again.body.whole().equals(bytes)).toBe(true);
      expect(await inflated(plain)).toBe(plain);
    },
  );

  test.each([
    ['short', response(short, json, null), false],
    ['Parquet', response(long, parquet, null), true],
    ['compressed', response(gzipSync(long), json, 'gzip'), true],
  ])('that is %s is not compressed', async (_, kept, isAlways) => {
    expect(await compressed(kept, isAlways)).toBe(kept);
  });
});
