import type { Dice } from '../transit/dice.ts';

/** An address as a plain list has it, and the census block that it is in. */
export interface PlainAddress {
  readonly number: number;
  /** In full words: `North Wolfe Street`. */
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly block: string;
}

/** A text that people may write for an address. */
export interface Misspelt {
  readonly text: string;
  readonly mistakes: readonly string[];
  /** The words of the street that are left: its name, and '' where a part was left out. */
  readonly direction: string;
  readonly name: string;
  readonly suffix: string;
  /** '' if it is left out. */
  readonly zip: string;
}

const ABBREVIATIONS: Readonly<Record<string, readonly string[]>> = {
  Avenue: ['Ave', 'Av', 'Ave.'],
  Street: ['St', 'Str', 'St.'],
  Road: ['Rd'],
  Lane: ['Ln'],
  Drive: ['Dr', 'Drv'],
  Circle: ['Cir'],
  Place: ['Pl'],
  Parkway: ['Pkwy', 'Pky'],
  Highway: ['Hwy'],
  Court: ['Ct'],
  Terrace: ['Ter', 'Terr'],
};
const SUFFIXES = [...Object.keys(ABBREVIATIONS), 'Row', 'Way'];
const DIRECTIONS = ['North', 'South', 'East', 'West'];
const NUMERALS =
  'First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth Twentieth'.split(
    ' ',
  );
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Parts a street in full words into its direction, name and suffix. */
export function partsOf(street: string) {
  const words = street.split(' ');
  const direction = words.length > 1 && DIRECTIONS.includes(words[0]) ? words.shift()! : '';
  const suffix = words.length > 1 && SUFFIXES.includes(words.at(-1)!) ? words.pop()! : '';
  // North Avenue has no direction.
  if (words.length === 0) return { direction: '', name: direction, suffix };
  return { direction, name: words.join(' '), suffix };
}

/** Writes an address with up to three mistakes, as people make them. */
export function misspell(dice: Dice, address: PlainAddress): Misspelt {
  let { direction, name, suffix } = partsOf(address.street);
  let city: string | null = address.city;
  const state = dice.chance(0.5) ? address.state : '';
  const zip = dice.chance(0.5) ? address.zip : '';
  const possible = [
    ...(suffix in ABBREVIATIONS ? ['abbreviated suffix'] : []),
    ...(suffix === '' ? [] : ['no suffix']),
    ...(direction === '' ? [] : ['abbreviated direction', 'no direction']),
    ...(/^\d+(st|nd|rd|th)$/.test(name) && Number.parseInt(name, 10) <= 20 ? ['ordinal'] : []),
    ...(/^[A-Za-z' ]{4,}$/.test(name) ? ['letter'] : []),
    ...(/^[A-Za-z' ]{6,}$/.test(name) ? ['second letter'] : []),
    'no city',
  ];
  const mistakes: string[] = [];
  for (let left = dice.below(4); left > 0; left--) {
    const mistake = dice.pick(possible);
    if (!mistakes.includes(mistake)) mistakes.push(mistake);
  }
  let [writtenSuffix, writtenDirection, writtenName] = [suffix, direction, name];
  for (const mistake of mistakes) {
    if (mistake === 'no suffix') [suffix, writtenSuffix] = ['', ''];
    if (mistake === 'no direction') [direction, writtenDirection] = ['', ''];
    if (mistake === 'abbreviated suffix' && suffix !== '') {
      writtenSuffix = dice.pick(ABBREVIATIONS[suffix]);
    }
    if (mistake === 'abbreviated direction' && direction !== '') {
      writtenDirection = dice.chance(0.5) ? direction[0] : `${direction[0]}.`;
    }
    if (mistake === 'ordinal') writtenName = NUMERALS[Number.parseInt(name, 10) - 1];
    if (mistake.endsWith('letter')) writtenName = withTypo(dice, writtenName);
    if (mistake === 'no city') city = null;
  }
  if (mistakes.some((mistake) => mistake.endsWith('letter'))) name = writtenName;
  const comma = dice.chance(0.7) ? ', ' : ' ';
  const line = [String(address.number), writtenDirection, writtenName, writtenSuffix];
  const end = [state, zip].filter((part) => part !== '').join(' ');
  const parts = [line.filter((part) => part !== '').join(' '), city ?? '', end];
  const text = parts.filter((part) => part !== '').join(comma);
  return {
    text: dice.chance(0.3) ? text.toLowerCase() : text,
    mistakes,
    direction,
    name,
    suffix,
    zip,
  };
}

/** Replaces, leaves out, adds or exchanges a letter. */
function withTypo(dice: Dice, name: string): string {
  const at = dice.below(name.length - 1);
  const [before, letter, next, after] = [
    name.slice(0, at),
    name[at],
    name[at + 1],
    name.slice(at + 2),
  ];
  const other = LETTERS[dice.below(LETTERS.length)];
  const kinds = [
    `${before}${other}${next}${after}`,
    `${before}${next}${after}`,
    `${before}${letter}${other}${next}${after}`,
    `${before}${next}${letter}${after}`,
  ];
  return dice.pick(kinds);
}

/** The blocks of those of some addresses with one number that a text names literally. */
export function namedBy(
  numbered: readonly PlainAddress[],
  { direction, name, suffix, zip }: Misspelt,
): ReadonlySet<string> {
  const fold = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const blocks = numbered
    .filter((one) => {
      const own = partsOf(one.street);
      return (
        fold(own.name) === fold(name) &&
        (suffix === '' || own.suffix === suffix) &&
        (direction === '' || own.direction === direction) &&
        (zip === '' || one.zip === '' || one.zip === zip)
      );
    })
    .map(({ block }) => block);
  return new Set(blocks);
}
