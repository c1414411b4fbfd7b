import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CursorSealer } from '../../proxy/http/cursor.ts';
import { Problem } from '../../proxy/http/problem.ts';
import { forAll } from '../support/for-all.ts';

const sealer = new CursorSealer(() => ['a secret of some length']);
const QUERY = 'block-pois [["geoid","990010001001000"]]';

/** Bits in which two byte strings differ. */
function distance(a: Buffer, b: Buffer): number {
  let bits = 0;
  for (let i = 0; i < a.length; i++) {
    for (let x = a[i] ^ b[i]; x !== 0; x &= x - 1) bits++;
  }
  return bits;
}

const position = fc.array(fc.maxSafeNat(), { minLength: 2, maxLength: 3 });

describe('a cursor', () => {
  test('opens to its sealed contents, and is the same each time', () =>
    forAll(100, position, fc.string(), (at, query) => {
      const cursor = sealer.seal(query, at);
      expect(sealer.open(query, cursor, at.length)).toEqual(at);
      expect(sealer.seal(query, at)).toBe(cursor);
    }));

  test('reveals nothing of the position: neighbours differ in about half of all bits', () => {
    const cursors = Array.from({ length: 200 }, (_, i) =>
      Buffer.from(sealer.seal(QUERY, [1, 4_000 + i, 990_010_001_001_000 + i]), 'base64url'),
    );
    const bits = cursors[0].length * 8;
    const mean = cursors.slice(1).reduce((sum, c, i) => sum + distance(c, cursors[i]), 0) / 199;
    expect(Math.abs(mean / bits - 0.5)).toBeLessThan(0.02);
    const ids = Array.from({ length: 200 }, (_, i) => 4_000 + i);
    for (const cursor of cursors) {
      for (let at = 0; at + 8 <= cursor.length; at++) {
        expect(ids).not.toContain(Number(cursor.readBigUInt64BE(at)));
      }
    }
  });

  test('of another query, another secret, or altered anywhere is refused', () => {
    const cursor = sealer.seal(QUERY, [1, 4213]);
    const refused = (opener: CursorSealer, query: string, given: string) =>
      expect(() => opener.open(query, given, 2)).toThrow(Problem);
    refused(sealer, `${QUERY} `, cursor);
    refused(new CursorSealer(() => ['another secret altogether']), QUERY, cursor);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] ^= 1 << (bit & 7);
      refused(sealer, QUERY, changed.toString('base64url'));
    }
    for (const given of ['', '!', cursor.slice(1), `${cursor}A`, `${cursor}=`]) {
      refused(sealer, QUERY, given);
    }
  });

  test('sealed with the old of two secrets still opens; new cursors use the new secret', () => {
    const old = new CursorSealer(() => ['the old secret of two']);
    const both = new CursorSealer(() => ['the new secret of two', 'the old secret of two']);
    expect(both.open(QUERY, old.seal(QUERY, [2, 7]), 2)).toEqual([2, 7]);
    expect(both.seal(QUERY, [2, 7])).not.toBe(old.seal(QUERY, [2, 7]));
    expect(both.sealer).not.toBe(old.sealer);
  });
});
