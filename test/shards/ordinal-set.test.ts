import { expect, test } from 'vitest';
import { OrdinalSet } from '../../shards/arrays/ordinal-set.ts';
import { Dice } from '../transit/dice.ts';

test('a set of ordinals lists each once, ascending, and is then empty', () => {
  const dice = new Dice(5);
  for (const bound of [1, 31, 32, 33, 1024, 1025, 70_000]) {
    const set = new OrdinalSet(bound);
    const list = new Uint32Array(bound);
    for (const drawn of [1, 40, 3 * bound]) {
      const added = Array.from({ length: drawn }, () => dice.below(bound));
      for (const ordinal of [0, bound - 1, ...added]) set.add(ordinal);
      const expected = [...new Set([0, bound - 1, ...added])].sort((a, b) => a - b);
      expect([...list.subarray(0, set.moveTo(list))]).toEqual(expected);
      expect(set.moveTo(list)).toBe(0);
    }
  }
});
