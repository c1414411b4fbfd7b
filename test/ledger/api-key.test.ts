import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  apiKeyPrefix,
  hashApiKey,
  isWellFormedApiKey,
  mintApiKey,
} from '../../proxy/ledger/api-key.ts';
import { forAll } from '../support/for-all.ts';

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const minted = fc.uint8Array({ minLength: 64, maxLength: 64 }).map((chance) =>
  mintApiKey((bytes) => {
    // Yields the given bytes first, then a constant that is never rejected.
    const some = chance.slice(0, bytes);
    chance = new Uint8Array(64).fill(7);
    return some;
  }),
);

test('a key is ta_live_ plus 38 base-62 characters, and well-formed', () =>
  forAll(100, minted, (key) => {
    expect(key).toMatch(/^ta_live_[0-9A-Za-z]{38}$/);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(apiKeyPrefix(key)).toMatch(/^ta_live_.{4}$/);
    expect(key.startsWith(apiKeyPrefix(key))).toBe(true);
  }));

test('keys issued earlier stay well-formed', () => {
  // The checksums were computed with Python's zlib.crc32.
  for (const [secret, checksum] of [
    ['0'.repeat(32), '2wjyrI'],
    ['7'.repeat(32), '0TfKFy'],
    ['3AHOVcjqx4BIPWdkry5CJQXelsz6DKRY', '0VzF4y'],
  ]) {
    expect(isWellFormedApiKey(`ta_live_${secret}${checksum}`)).toBe(true);
  }
});

test('the checksum detects any single mistyped character and any swap of two neighbours', () =>
  forAll(2_000, minted, fc.nat(37), fc.constantFrom(...BASE62), (key, place, other) => {
    const at = 8 + place;
    if (key[at] !== other) {
      expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
    if (place < 37 && key[at] !== key[at + 1]) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      expect(isWellFormedApiKey(swapped)).toBe(false);
    }
  }));

test('strings that are not keys are not well-formed', () => {
  const key = mintApiKey();
  for (const text of [
    '',
    'ta_live_',
    key.slice(0, -1),
    `${key}0`,
    key.replace('live', 'test'),
    ` ${key}`,
  ]) {
    expect(isWellFormedApiKey(text)).toBe(false);
  }
});

test('the characters of keys are drawn uniformly', () => {
  const counts = new Map<string, number>();
  const keys = 4_000;
  for (let i = 0; i < keys; i++) {
    for (const character of mintApiKey().slice(8, 40)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const expected = (keys * 32) / 62;
  const chiSquare = BASE62.reduce(
    (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
    0,
  );
  // With 61 degrees of freedom, chi-squared exceeds 125 less than once in a million runs.
  expect(chiSquare).toBeLessThan(125);
});

test('a key is hashed with SHA-256, and different keys have different hashes', () => {
  // From FIPS 180-2, appendix B.1.
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(Buffer.from(hashApiKey('abc'), 'base64url').toString('hex')).toBe(abc);
  expect(hashApiKey(mintApiKey())).not.toBe(hashApiKey(mintApiKey()));
});
