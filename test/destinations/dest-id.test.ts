import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashedDestId, osmDestId } from '../../builder/destinations/dest-id.ts';
import { forAll } from '../support/for-all.ts';

describe('the id of a destination', () => {
  test('from OpenStreetMap encodes the element: its id above, its type in the two low bits', () =>
    forAll(
      100,
      fc.bigInt({ min: 1n, max: 10n ** 15n / 4n - 1n }),
      fc.constantFrom(['node', 1n] as const, ['way', 2n] as const, ['relation', 3n] as const),
      (id, [type, code]) => {
        const destId = osmDestId(type, Number(id));
        expect(String(destId).length).toBeLessThanOrEqual(15);
        expect(BigInt(destId)).toBe((id << 2n) | code);
      },
    ));

  test('from OpenStreetMap is refused, by the element, where it would have 16 digits', () => {
    const id = 10 ** 15 / 4;
    expect(() => osmDestId('way', id)).toThrow(`way ${id} of OpenStreetMap: its id is too large`);
    expect(osmDestId('relation', id - 1)).toBe(10 ** 15 - 1);
  });

  test('from another source is 47 bits of SHA-256 above two zero bits', () =>
    forAll(100, fc.string(), fc.string(), (source, id) => {
      const destId = hashedDestId(source, id);
      expect(String(destId).length).toBeLessThanOrEqual(15);
      const hex = createHash('sha256').update(`${source}\0${id}`).digest('hex');
      const bits = BigInt(`0x${hex}`).toString(2).padStart(256, '0').slice(0, 47);
      expect(BigInt(destId).toString(2).padStart(49, '0')).toBe(`${bits}00`);
    }));

  test('from another source depends on the source, unambiguously separated from the id', () => {
    expect(hashedDestId('overture', '1')).not.toBe(hashedDestId('city', '1'));
    expect(hashedDestId('a', 'bc')).not.toBe(hashedDestId('ab', 'c'));
  });
});
