import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../shards/folded-text.ts';
import { forAll } from '../support/for-all.ts';

/** The distance by its recursive definition. */
function byDefinition(from: string, to: string): number {
  const [i, j] = [from.length, to.length];
  if (i === 0 || j === 0) return Math.max(i, j);
  const [shorter, other] = [from.slice(0, -1), to.slice(0, -1)];
  const ways = [
    byDefinition(shorter, to) + 1,
    byDefinition(from, other) + 1,
    byDefinition(shorter, other) + (from[i - 1] === to[j - 1] ? 0 : 1),
  ];
  if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
    ways.push(byDefinition(from.slice(0, -2), to.slice(0, -2)) + 1);
  }
  return Math.min(...ways);
}

test('the edits between two texts are those of the definition', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 })
    .map((all) => all.join(''));
  return forAll(500, fc.tuple(text, text), ([from, to]) => {
    expect(editDistance(from, to)).toBe(byDefinition(from, to));
  });
});

test('texts longer than any before are compared', () => {
  expect(editDistance('a'.repeat(300), `${'a'.repeat(299)}b`)).toBe(1);
  expect(editDistance('', 'a'.repeat(700))).toBe(700);
});
