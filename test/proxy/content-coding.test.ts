import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Body, gunzipBody, gzipBody } from '../../portal/http/content-encoding.ts';

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
