import {
  type AddressRange,
  EVERY_NUMBER,
  ODD_NUMBERS,
  type StreetEntry,
} from '../../../shards/addresses/address-table.ts';
import type { HouseNumber } from '../../../shards/addresses/house-number.ts';
import { type StreetName, streetLabel } from '../../../shards/addresses/street-name.ts';
import { type GeoidNumber, geoidFromNumber } from '../../../shards/geoid.ts';
import { type Degrees, MICRO, type MicroDegrees } from '../../../shards/units.ts';
import type { MatchKind } from './address-match.ts';
import type { AddressReading } from './read-address.ts';

/** A place on the ground that a text may mean. */
export interface Match {
  readonly label: string;
  readonly kind: MatchKind;
  readonly lat: Degrees;
  readonly lon: Degrees;
  /** The GEOID of the block, of a place or county itself; of a block in a neighbourhood. */
  readonly geoid: string;
  /** The ZIP code of a street or an address; '' if unknown. */
  readonly zip?: string;
  /** How well the text fits, over 0 and up to 1. */
  readonly quality: number;
}

/**
 * Factors of the quality of a match, one for each difference from the text. Each is a judgement of
 * how often people who mean the match write so.
 */
const FACTORS = {
  /** The loss of a name of which all letters are wrong. */
  letters: 0.4,
  /** A short word after the name is another suffix, and no two letters wrong. */
  wordAdded: 0.7,
  suffixLetter: 0.98,
  suffixMissing: 0.98,
  suffixAdded: 0.9,
  suffixOther: 0.7,
  directionMissing: 0.97,
  directionAdded: 0.88,
  directionMoved: 0.97,
  directionOther: 0.6,
  zipUnknown: 0.98,
  zipOther: 0.8,
  houseSuffixOther: 0.97,
  interpolated: 0.95,
  otherSide: 0.78,
  /** A hyphenated number is read in the way that is less common. */
  numberOtherwise: 0.78,
  /** A street of which the number is not known: which block is meant is unknown too. */
  numberUnknown: 0.5,
} as const;

/**
 * Share of a range's line at each end that has no houses: they stand beside the corner, and not in
 * the block across the street.
 */
const INSET = 0.1;

/**
 * How well the name of a street or neighbourhood fits that of a text, of whose letters some are
 * wrong.
 */
export function nameQuality(
  { street: asked, edits: suffixEdits }: AddressReading,
  street: StreetName,
  edits: number,
): number {
  const longer = Math.max(1, asked.base.length, street.base.length);
  const letters = asked.base.startsWith(`${street.base} `)
    ? FACTORS.wordAdded
    : 1 - FACTORS.letters * (edits / longer);
  const suffix = FACTORS.suffixLetter ** suffixEdits;
  return letters * suffix * suffixQuality(asked, street) * directionQuality(asked, street);
}

function suffixQuality({ suffix: asked }: StreetName, { suffix }: StreetName): number {
  if (asked === suffix) return 1;
  if (asked === '') return FACTORS.suffixMissing;
  return suffix === '' ? FACTORS.suffixAdded : FACTORS.suffixOther;
}

function directionQuality(asked: StreetName, street: StreetName): number {
  if (asked.before === street.before && asked.after === street.after) return 1;
  const [wanted, own] = [asked.before + asked.after, street.before + street.after];
  if (wanted === own) return FACTORS.directionMoved;
  if (wanted === '') return FACTORS.directionMissing;
  return own === '' ? FACTORS.directionAdded : FACTORS.directionOther;
}

export interface RatedStreet {
  readonly street: StreetEntry;
  readonly quality: number;
}

/** Finds the house number of a reading on a street; its second meaning if the first is lacking. */
export function houseMatches(
  rated: RatedStreet,
  ranges: readonly AddressRange[],
  { number, otherwise, zip }: AddressReading,
): Match[] {
  if (number === null) return [];
  const found = [...numberMatches(rated, ranges, number, zip)];
  if (found.length > 0 || otherwise === null) return found;
  const less = { ...rated, quality: rated.quality * FACTORS.numberOtherwise };
  return [...numberMatches(less, ranges, otherwise, zip)];
}

function* numberMatches(
  { street, quality }: RatedStreet,
  ranges: readonly AddressRange[],
  asked: HouseNumber,
  zip: string,
): Generator<Match> {
  const points = ranges.filter(({ x, from }) => x.length === 1 && from === asked.number);
  for (const range of points) {
    const isSame = range.suffix === asked.suffix;
    const own = quality * zipQuality(zip, range) * (isSame ? 1 : FACTORS.houseSuffixOther);
    yield matchAt('address', street, range, own, range, `${asked.number}${range.suffix}`);
  }
  // A surveyed point is better than one estimated between others.
  if (points.length > 0) return;
  const lines = ranges.filter(
    ({ from, to, x }) =>
      x.length > 1 && Math.min(from, to) <= asked.number && asked.number <= Math.max(from, to),
  );
  const onSide = lines.filter((range) => isOnSide(range, asked.number));
  const side = onSide.length > 0 ? 1 : FACTORS.otherSide;
  for (const range of onSide.length > 0 ? onSide : lines) {
    const { from, to } = range;
    const own = quality * zipQuality(zip, range) * FACTORS.interpolated * side;
    const share = from === to ? 0.5 : (asked.number - from) / (to - from);
    const at = pointAlong(range, INSET + share * (1 - 2 * INSET));
    yield matchAt('interpolated', street, range, own, at, String(asked.number));
  }
}

/** Locates a street whose number is unknown, or not asked for, by the nearest number there is. */
export function streetMatch(
  { street, quality }: RatedStreet,
  ranges: readonly AddressRange[],
  asked: HouseNumber | null,
  zip: string,
): Match {
  const wanted = asked?.number ?? (street.lowest + street.highest) / 2;
  const distance = ({ from, to }: AddressRange) =>
    Math.max(0, Math.min(from, to) - wanted, wanted - Math.max(from, to));
  const inZip = ranges.filter((range) => zip === '' || range.zip === zip);
  const among = inZip.length > 0 ? inZip : ranges;
  const nearest = among.reduce((best, range) => (distance(range) < distance(best) ? range : best));
  const own = quality * zipQuality(zip, nearest) * FACTORS.numberUnknown;
  return matchAt('street', street, nearest, own, pointAlong(nearest, 0.5), '');
}

function isOnSide({ parity }: AddressRange, number: number): boolean {
  return parity === EVERY_NUMBER || (number % 2 === 1) === (parity === ODD_NUMBERS);
}

function zipQuality(asked: string, { zip }: AddressRange): number {
  if (asked === '' || asked === zip) return 1;
  return zip === '' ? FACTORS.zipUnknown : FACTORS.zipOther;
}

interface Line {
  readonly x: readonly MicroDegrees[];
  readonly y: readonly MicroDegrees[];
}

function matchAt(
  kind: Match['kind'],
  street: StreetEntry,
  { geoid, zip }: { readonly geoid: GeoidNumber; readonly zip: string },
  quality: number,
  { x: [x], y: [y] }: Line,
  number: string,
): Match {
  const name = street.label === '' ? streetLabel(street) : street.label;
  const label = [`${number} ${name}`.trim(), zip].filter((part) => part !== '').join(', ');
  const at = { lat: y / MICRO, lon: x / MICRO, geoid: geoidFromNumber(geoid) };
  return { label, kind, ...at, zip, quality };
}

function pointAlong({ x, y }: Line, share: number): Line {
  const shrink = Math.cos((y[0] / MICRO) * (Math.PI / 180));
  const lengths = x.slice(1).map((at, i) => Math.hypot((at - x[i]) * shrink, y[i + 1] - y[i]));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (const [i, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      const part = left / length;
      const between = (line: readonly MicroDegrees[]) =>
        Math.round(line[i] + part * (line[i + 1] - line[i]));
      return { x: [between(x)], y: [between(y)] };
    }
    left -= length;
  }
  const last = x.length - 1;
  return { x: [x[last]], y: [y[last]] };
}
