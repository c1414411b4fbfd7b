import { expect, test } from 'vitest';
import { anyOf, nearestOf, placesOf } from '../../portal/pages/map/catalogue/type-nouns.ts';

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
  ['Health (any)', 'the nearest place of health', 'a place of health'],
  [
    'Museums and galleries',
    'the nearest of all museums and galleries',
    'any of the museums and galleries',
  ],
])('%s: %s, %s', (name, nearest, any) => {
  expect([nearestOf(name), anyOf(name)]).toEqual([nearest, any]);
});

test.each([
  ['Grocery stores', 'grocery stores'],
  ['Parks of 25 acres and more', 'parks of 25 acres and more'],
  ['ATMs', 'ATMs'],
  ['Health', 'places of health'],
  ['Eating and drinking', 'places of eating and drinking'],
])('%s are counted as %s', (name, places) => {
  expect(placesOf(name)).toBe(places);
});
