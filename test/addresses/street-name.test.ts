import { expect, test } from 'vitest';
import {
  parseHouseNumber,
  parseHouseNumbers,
  readHouseNumber,
} from '../../shards/addresses/house-number.ts';
import { parseStreetName, streetLabel, wordsOf } from '../../shards/addresses/street-name.ts';

const labelOf = (text: string) => streetLabel(parseStreetName(wordsOf(text)));

test.each([
  ['E Fort Ave', ['East Fort Avenue', 'E. Fort Av', 'e fort AVENUE']],
  ['5th St', ['5th Street', 'Fifth St', '5 Street', 'FIFTH STR']],
  ['21st Ave', ['Twenty-First Avenue', 'twenty first av', '21 Ave']],
  ['W North Ave', ['West North Avenue', 'W North Av']],
  ['North Ave', ['North Avenue', 'N Ave']],
  ['Main St NW', ['Main Street Northwest', 'Main St. NW']],
  ['Saint Paul St', ['St Paul Street', 'St. Paul St', 'Saint Paul Street']],
  ['S Broadway', ['South Broadway', 'S. Broadway']],
  ['Odonnell St', ["O'Donnell Street", 'O’Donnell St.']],
  ['Avenue E', ['Ave E', 'Av. E', 'Avenue E']],
  ['Court St', ['Court Street']],
  ['Street Rd', ['Street Road']],
  ['Jose Marti Blvd', ['José Martí Boulevard']],
])('%s is written in several ways', (label, spellings) => {
  for (const spelling of spellings)
    expect([spelling, labelOf(spelling)]).toEqual([spelling, label]);
});

test.each([
  ['12', 12, ''],
  ['1924B', 1924, 'b'],
  ['723-B', 723, 'b'],
  ['226 1/2', 226, '1/2'],
  ['45-07', 4507, ''],
])('house number %s', (text, number, suffix) => {
  expect(parseHouseNumber(text)).toEqual({ number, suffix });
});

test('lists and ranges of house numbers have each of theirs, and other texts none', () => {
  const numbersOf = (text: string) => parseHouseNumbers(text).map(({ number }) => number);
  expect(numbersOf('12;14, 16')).toEqual([12, 14, 16]);
  expect(numbersOf('2101-2105')).toEqual([2101, 2105]);
  expect(numbersOf('101-104')).toEqual([101, 104]);
  expect(numbersOf('45-07')).toEqual([4507]);
  expect(numbersOf('37-52')).toEqual([3752]);
  for (const text of ['', 'N6W23001', 'five', '1234567']) expect(numbersOf(text)).toEqual([]);
});

test.each([
  ['12', 12, undefined],
  ['12-14', 12, 1214],
  ['12–14b', 12, 1214],
  ['2101-2105', 2101, undefined],
  ['101-104', 101, undefined],
  ['37-10', 3710, 37],
  ['37-52', 3752, 37],
  ['2101-05', 210105, 2101],
])('%s is read as %i first, and otherwise as %s', (text, first, otherwise) => {
  const read = readHouseNumber(text);
  expect([read?.number.number, read?.otherwise?.number]).toEqual([first, otherwise]);
});
