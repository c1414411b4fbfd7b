import { expect, test } from 'vitest';
import { TargetSet } from '../../builder/search/target-set.ts';
import { Dice } from '../transit/dice.ts';

test('a set of targets lists each once, ascending, and is empty then', () => {
  const dice = new Dice(5);
  for (const targets of [1, 31, 32, 33, 1024, 1025, 70_000]) {
    const set = new TargetSet(targets);
    const list = new Uint32Array(targets);
    for (const drawn of [1, 40, 3 * targets]) {
      const added = Array.from({ length: drawn }, () => dice.below(targets));
      for (const target of [0, targets - 1, ...added]) set.add(target);
      const expected = [...new Set([0, targets - 1, ...added])].sort((a, b) => a - b);
      expect([...list.subarray(0, set.moveTo(list))]).toEqual(expected);
      expect(set.moveTo(list)).toBe(0);
    }
  }
});
