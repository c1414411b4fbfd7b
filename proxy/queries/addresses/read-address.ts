import { type HouseNumber, readHouseNumber } from '../../../shards/addresses/house-number.ts';
import {
  directionOf,
  LONG_SUFFIXES,
  parseStreetName,
  type StreetName,
  suffixOf,
  wordsOf,
} from '../../../shards/addresses/street-name.ts';
import { closestText, foldText } from '../../../shards/folded-text.ts';
import { POSTAL_NAMES } from '../../../shards/states.ts';

/** One way to understand the text of an address. */
export interface AddressReading {
  /** Null for a street alone. */
  readonly number: HouseNumber | null;
  /** A second meaning of the number, for streets that lack the first; null if it has one. */
  readonly otherwise: HouseNumber | null;
  readonly street: StreetName;
  /** The name of the city in folded words; '' if none is named. */
  readonly city: string;
  /** Whether the words after the street are taken for a city only because nothing else fits. */
  readonly isCityGuessed: boolean;
  /** The postal abbreviation of the state; '' if none is named. */
  readonly state: string;
  /** Five digits; '' if none are given. */
  readonly zip: string;
  /** Letters that are wrong in the suffix. */
  readonly edits: number;
  /** A last word of the name that could be a suffix, and so must be that of the street's name. */
  readonly ending: string;
}

/** The text of an address, without what is the same in all of its readings. */
interface Postal {
  readonly parts: readonly string[];
  readonly state: string;
  readonly zip: string;
}

const ZIP_AT_END = /[\s,]+(\d{5})(?:-\d{4})?$/;
const COUNTRY_AT_END = /[\s,]+(?:usa|u\.s\.a\.|united states(?: of america)?)$/i;
const UNIT =
  /(?:^|[\s,]+)(?:(?:apt|apartment|unit|suite|ste|floor|fl|room|rm|bldg|building)\b\.?\s*#?|#)\s*[\w-]+$/i;
const NUMBER_FIRST = /^(\d+(?:[-–]\d+)?[a-z]?(?:\s+1\/2)?)\s+(.*\S)$/i;
/** Words of the longest city names that are looked for without a comma. */
const CITY_WORDS = 4;

const USPS_OF = new Map(POSTAL_NAMES.map(([words, usps]) => [foldText(words), usps]));

/**
 * Reads text as an address, in each way that it can be read, guesses last: `12 Plum Ave Springfield
 * 00101`, with or without number, city, state and ZIP code. `isCity` tells whether folded words
 * name a city.
 */
export function readAddress(text: string, isCity: (words: string) => boolean): AddressReading[] {
  const { parts, state, zip } = postalOf(text, isCity);
  const [line = '', ...others] = parts;
  const [, numberText, rest] = NUMBER_FIRST.exec(line) ?? [];
  const written = readHouseNumber(numberText ?? '');
  const { number, otherwise } = written ?? { number: null, otherwise: null };
  const words = wordsOf(number === null ? line : rest);
  const city = others.length > 0 ? wordsOf(others[others.length - 1]).join(' ') : '';
  const whole = { street: words, city, isCityGuessed: false };
  const splits = city === '' ? [whole, ...withoutComma(words, isCity)] : [whole];
  splits.sort((a, b) => Number(a.isCityGuessed) - Number(b.isCityGuessed));
  return splits.flatMap(({ street, ...named }) =>
    suffixesOf(street).map((suffixed) => ({
      number,
      otherwise,
      state,
      zip,
      ...named,
      ...suffixed,
    })),
  );
}

/** Reads the two streets of an intersection, `Plum Ave & 5th St`; null for other text. */
export function readIntersection(
  text: string,
  isCity: (words: string) => boolean,
): readonly [AddressReading[], AddressReading[]] | null {
  const [first, second, third] = text.split(/\s+(?:and|at)\s+|\s*[&@]\s*|\s+\/\s+/i);
  if (!first?.trim() || !second?.trim() || third !== undefined) return null;
  if (NUMBER_FIRST.test(first.trim()) && readHouseNumber(first.trim().split(/\s/)[0])) return null;
  const crossing = readAddress(second, isCity);
  const { parts } = postalOf(first, isCity);
  const own = readAddress(parts[0] ?? '', isCity);
  return [own.filter(({ isCityGuessed }) => !isCityGuessed), crossing];
}

/** Parts text at commas, without ZIP code, state, country and units. */
function postalOf(text: string, isCity: (words: string) => boolean): Postal {
  let left = text.trim().replace(COUNTRY_AT_END, '');
  const zip = ZIP_AT_END.exec(left)?.[1] ?? '';
  left = left.replace(ZIP_AT_END, '');
  const parts = left.split(',').map((part) => part.trim());
  const last = parts.length - 1;
  // Where only one name follows the street, it may be a city that is called as a state is.
  const isNamed = last === 1 && isCity(foldText(parts[last]));
  const { rest, state } = isNamed
    ? { rest: parts[last], state: '' }
    : stateOf(parts[last], last > 0);
  parts[last] = rest;
  const lines = parts.map((part) => part.replace(UNIT, '').trim()).filter((part) => part !== '');
  const isSplitNumber = lines.length > 1 && readHouseNumber(lines[0]) !== null;
  const joined = isSplitNumber ? [`${lines[0]} ${lines[1]}`, ...lines.slice(2)] : lines;
  return { parts: joined, state, zip };
}

/**
 * Parts a state from the end. Where a street can end, `Ct` and `Ne` are no states, and neither are
 * whole names: Washington is also a street.
 */
function stateOf(part: string, isAfterComma: boolean): { rest: string; state: string } {
  const words = part.split(/\s+/);
  for (const count of [3, 2, 1]) {
    const named = foldText(words.slice(-count).join(' ')).replaceAll('.', '');
    const state = USPS_OF.get(named);
    if (state === undefined) continue;
    const isStreetWord = suffixOf(named) !== undefined || directionOf(named) !== undefined;
    const isName = named.length > 2;
    if (!isAfterComma && (isStreetWord || isName || words.length <= count)) continue;
    return { rest: words.slice(0, -count).join(' '), state };
  }
  return { rest: part, state: '' };
}

/**
 * The ways to part a city from a street without a comma between them: before the words that name
 * one, after a suffix, since the release need not have the city, and, as a guess, anywhere.
 */
function* withoutComma(words: readonly string[], isCity: (words: string) => boolean) {
  for (let count = 1; count <= Math.min(CITY_WORDS, words.length - 1); count++) {
    const [street, rest] = [words.slice(0, -count), words.slice(-count)];
    const isAfterSuffix = street.length > 1 && suffixOf(street[street.length - 1]) !== undefined;
    const isPartOfStreet = count === 1 && (directionOf(rest[0]) ?? suffixOf(rest[0])) !== undefined;
    const city = rest.join(' ');
    const isKnown = isCity(city);
    if (isPartOfStreet && !isKnown) continue;
    yield { street, city, isCityGuessed: !isAfterSuffix && !isKnown };
  }
}

/**
 * The ways to take the words of a street apart: as they are, with a last word that could be a
 * suffix as a part of the name, and with a misspelt suffix corrected.
 */
function suffixesOf(
  words: readonly string[],
): Pick<AddressReading, 'street' | 'edits' | 'ending'>[] {
  const asTyped = { street: parseStreetName(words), edits: 0, ending: '' };
  const at = directionOf(words[words.length - 1] ?? '') ? words.length - 2 : words.length - 1;
  const typed = words[at] ?? '';
  if (at < 1) return [asTyped];
  if (suffixOf(typed) !== undefined) {
    return [asTyped, { street: parseStreetName(words, false), edits: 0, ending: typed }];
  }
  if (typed.length < 4) return [asTyped];
  const near = closestText(LONG_SUFFIXES, typed, typed.length < 6 ? 1 : 2);
  if (near === undefined) return [asTyped];
  const corrected = words.with(at, near.text);
  return [asTyped, { street: parseStreetName(corrected), edits: near.edits, ending: '' }];
}
