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
 * Whether two names are of one POI, if the POIs are near and alike: they have the same words,
 * or one has additional words, at most as many again, as in "CVS" and "CVS Pharmacy". A name that
 * only describes the kind of POI, "Pharmacy", does not count as part of another.
 */
export function isSameName(a: NameWords, b: NameWords): boolean {
  const [shorter, longer] = a.size <= b.size ? [a, b] : [b, a];
  if (shorter.size === 0 || 2 * shorter.size < longer.size) return false;
  if (![...shorter].every((word) => longer.has(word))) return false;
  return shorter.size === longer.size || tellsApart(shorter);
}

/** Whether words say more than the kind of POI. */
export function tellsApart(words: NameWords): boolean {
  return [...words].some((word) => !KINDS.has(word));
}

/**
 * Whether a name ends with a remark that the POI no longer exists: `(historical)`, as OSM has it
 * from GNIS, `(closed 2014)`, `(out of business)`. Hours, as in `(closed Sundays)`, are no such
 * remark, nor is an earlier name: `(former Elm School)`.
 */
export function saysClosed(name: string): boolean {
  return CLOSED.test(name);
}

const CLOSED =
  /\((?:historical|former|permanently closed|closed(?: permanently|[^)]*\b\d{4})?|out of business[^)]*)\)$/i;

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
