import { expect, test } from 'vitest';
import { classWords } from '../../portal/pages/map/blocks/block-bands.ts';
import { alignedTo } from '../../portal/pages/map/measures/block-classes.ts';
import { changeClasses } from '../../portal/pages/map/measures/changes.ts';

test('a block that one release lacks is not known there, and not said to have no street near', () => {
  const before = alignedTo(
    Float64Array.of(1, 3, 5),
    Float64Array.of(2, 3, 5),
    Uint8Array.of(1, 2, 0),
  );
  expect([...changeClasses(before, Uint8Array.of(3, 2, 1))]).toEqual([8, 4, 8]);
  expect(Array.from(before, classWords)).toEqual([
    'not in that release',
    '5–10 min',
    'no street near',
  ]);
});
