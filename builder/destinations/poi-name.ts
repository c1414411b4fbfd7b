import { foldText } from '../../shards/folded-text.ts';
import { OVERTURE_CATEGORIES } from './overture-categories.ts';
import { TAXONOMY } from './taxonomy.ts';

/** The distinctive words of a name, without case, accents, punctuation and repeats. */
export type NameWords = ReadonlySet<string>;

const LEGAL_FORMS =
  'inc|incorporated|llc|ltd|limited|co|company|corp|corporation|lp|llp|pllc|pc|plc';
const SAYS_NOTHING: NameWords = new Set([...LEGAL_FORMS.split('|'), 'the', 'and', 'of', 'at']);
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['saint', 'st'],
  ['mount', 'mt'],
]);

export function nameWords(name: string): NameWords {
  const words = wordsOf(name).map((word) => SPELLINGS.get(word) ?? word);
  const telling = words.filter((word) => !SAYS_NOTHING.has(word));
  return new Set(telling.length > 0 ? telling : words);
}

/**
 * Whether two POIs that are near and alike are one, by their names: the names have the same words,
 * or the longer has all words of the shorter, and at most as many others, as in "CVS" and "CVS
 * Pharmacy". A name that only describes the kind of POI, such as "Pharmacy", does not count as part
 * of a longer name.
 */
export function isSameName(a: NameWords, b: NameWords): boolean {
  const [shorter, longer] = byLength(a, b);
  if (!isAboutAsLong(shorter, longer)) return false;
  if (![...shorter].every((word) => longer.has(word))) return false;
  return shorter.size === longer.size || isDistinctive(shorter);
}

/**
 * Whether two alike POIs, one inside the other, are one, by their names: as in `isSameName`, except
 * that long words may lack one letter, as in "Armstead" and "Armistead". Numbers may not.
 */
export function isMisspeltName(a: NameWords, b: NameWords): boolean {
  const [shorter, longer] = byLength(a, b);
  if (!isAboutAsLong(shorter, longer) || ![a, b].every(isDistinctive)) return false;
  return [...shorter].every(
    (word) => longer.has(word) || [...longer].some((other) => isMisspelt(word, other)),
  );
}

function byLength(a: NameWords, b: NameWords): [shorter: NameWords, longer: NameWords] {
  return a.size <= b.size ? [a, b] : [b, a];
}

function isAboutAsLong(shorter: NameWords, longer: NameWords): boolean {
  return shorter.size > 0 && longer.size <= 2 * shorter.size;
}

/**
 * Minimum letters of a misspelt word; in shorter words, one letter makes another word: "Lake",
 * "Lane".
 */
const MISSPELT_FROM_LETTERS = 5;

/**
 * Whether two words differ by one letter that one of them lacks. A replaced letter makes a
 * different word too often: "Hearing", "Healing".
 */
function isMisspelt(a: string, b: string): boolean {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (shorter.length < MISSPELT_FROM_LETTERS || /\p{N}/u.test(a + b)) return false;
  if (longer.length - shorter.length !== 1) return false;
  let at = 0;
  while (at < shorter.length && shorter[at] === longer[at]) at++;
  return longer.slice(at + 1) === shorter.slice(at);
}

export function isDistinctive(words: NameWords): boolean {
  return [...words].some((word) => !KINDS.has(word));
}

/**
 * Whether a name ends with a remark that the POI no longer exists: `(historical)`, which OSM took
 * over from GNIS, `(closed 2014)`, `(out of business)`. Hours and seasons, as in `(closed
 * Sundays)`, do not count, nor does an earlier name: `(former Elm School)`.
 */
export function saysClosed(name: string): boolean {
  return CLOSED.test(name);
}

/** A kind of POI as a name: `fast_food` is `Fast food`. */
export function inWords(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ');
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const CLOSED = new RegExp(
  `\\((?:historical|former|permanently closed|closed(?: permanently)?|out of business[^)]*|closed(?: in| since| as of)?(?: ${MONTH})? (?:19|20)\\d\\d)\\)$`,
  'i',
);

/** Words for kinds of POIs: those of the taxonomy, of OSM's tags and of Overture's categories. */
const KINDS: NameWords = new Set(
  [
    ...TAXONOMY.flatMap(({ label, osm }) => [label, ...(osm ?? []).flatMap(Object.values).flat()]),
    ...Object.values(OVERTURE_CATEGORIES).flat(),
  ].flatMap(wordsOf),
);

function wordsOf(text: string): string[] {
  return foldText(text)
    .replaceAll(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
