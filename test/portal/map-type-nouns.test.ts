import { expect, test } from 'vitest';
import { anyOf, nearestOf } from '../../portal/pages/map/catalogue/type-nouns.ts';

test.each([
  ['Grocery stores', 'the nearest grocery store', 'a grocery store'],
  ['Pharmacies', 'the nearest pharmacy', 'a pharmacy'],
  ['Beaches', 'the nearest beach', 'a beach'],
  ['ATMs', 'the nearest ATM', 'an ATM'],
  ['Elementary schools', 'the nearest elementary school', 'an elementary school'],
  ['Universities', 'the nearest university', 'a university'],
  [
    'Parks of 25 acres and more',
    'the nearest park of 25 acres or more',
    'a park of 25 acres or more',
  ],
  ['Schools of unknown level', 'the nearest school of unknown level', 'a school of unknown level'],
  ['Parks (any)', 'the nearest park', 'a park'],
  [
    'Museums and galleries',
    'the nearest of all museums and galleries',
    'any of the museums and galleries',
  ],
])('%s: %s, %s', (name, nearest, any) => {
  expect([nearestOf(name), anyOf(name)]).toEqual([nearest, any]);
});
