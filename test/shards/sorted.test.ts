import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ordinalsOf } from '../../shards/arrays/sorted.ts';
import { forAll } from '../support/for-all.ts';

const ascending = fc
  .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 })
  .map((values) => values.sort((a, b) => a - b));

test('finds which of some values are in a list, and where', () =>
  forAll(100, ascending, ascending, (list, values) => {
    const expected = values.map((value) => list.indexOf(value)).filter((at) => at !== -1);
    expect([...ordinalsOf(list, values)]).toEqual(expected);
  }));
