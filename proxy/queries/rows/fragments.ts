import { type GeoidNumber, geoidFromNumber } from '../../../shards/geoid.ts';
import { TENTHS } from '../../../shards/matrix/row-codec.ts';
import { MODE_LABELS, type Mode } from '../../../shards/modes.ts';
import type { Taxonomy } from '../../../shards/taxonomy.ts';
import type { Bytes, CountyPoi, DestTypeId, Minutes } from '../../../shards/units.ts';
import { type ByteText, inOnePiece } from '../../formats/byte-text.ts';
import { perFormat, type RowFormat, type RowMembers } from '../../formats/row-format.ts';
import { TIME } from '../../formats/row-table.ts';

/** A tract's code has eleven digits; a block's GEOID adds four. */
const TRACT_DIGITS = 11;
const BLOCKS_PER_TRACT = 10_000;
const BLOCK_CODES = Array.from({ length: BLOCKS_PER_TRACT }, (_, i) => String(i).padStart(4, '0'));
const ANY = geoidFromNumber(0);

/** Renders the member `geoid` of rows: fastest for blocks that come tract by tract. */
export class GeoidFragment {
  readonly #before: ByteText;
  readonly #after: ByteText;
  #tract = -1;
  #beforeBlock: ByteText = '';

  constructor(format: RowFormat) {
    [this.#before, this.#after] = format.members({ geoid: ANY }, ['geoid']).split(ANY);
  }

  of(geoid: GeoidNumber): ByteText {
    const tract = Math.floor(geoid / BLOCKS_PER_TRACT);
    if (tract !== this.#tract) {
      this.#tract = tract;
      this.#beforeBlock = this.#before + String(tract).padStart(TRACT_DIGITS, '0');
    }
    return this.#beforeBlock + BLOCK_CODES[geoid - tract * BLOCKS_PER_TRACT] + this.#after;
  }
}

/** Text for every possible time, by tenths of a minute. */
export function textsOfTimes(textOf: (minutes: Minutes) => ByteText): readonly ByteText[] {
  return Array.from({ length: TENTHS.most + 1 }, (_, tenths) => textOf(tenths / 10));
}

/** Ends of rows whose last members are `mode` and `travel_time`. */
export const timeEnds = perFormat((format) => {
  const ends = MODE_LABELS.map((mode) => [
    mode,
    timeTexts(format)[mode].map((text) => inOnePiece(text + format.end)),
  ]);
  return Object.fromEntries(ends) as Readonly<Record<Mode, readonly ByteText[]>>;
});

/** Members `mode` and `travel_time` of rows, by mode and tenths of a minute. */
export const timeTexts = perFormat((format) => {
  const texts = MODE_LABELS.map((mode) => [
    mode,
    textsOfTimes((travel_time) => format.members({ mode, travel_time }, TIME)),
  ]);
  return Object.fromEntries(texts) as Readonly<Record<Mode, readonly ByteText[]>>;
});

/** Size of a POI's fragments in addition to its own strings, in the most verbose format. */
const BYTES_PER_POI: Bytes = 350;

/** Text fragments of the POIs of a county: each is rendered once, on first use. */
export class FragmentCache<T> {
  readonly #texts: (T | undefined)[];
  readonly #make: (poi: CountyPoi) => T;

  constructor(count: number, make: (poi: CountyPoi) => T) {
    this.#texts = new Array(count).fill(undefined);
    this.#make = make;
  }

  of(poi: CountyPoi): T {
    const known = this.#texts[poi];
    if (known !== undefined) return known;
    const made = this.#make(poi);
    this.#texts[poi] = made;
    return made;
  }

  /**
   * Approximate maximum memory use; `ownBytes` is the size of the strings of the POIs themselves.
   */
  bytesAtMost(ownBytes: Bytes): Bytes {
    return this.#texts.length * BYTES_PER_POI + ownBytes;
  }
}

/** Renders the members of rows about a destination type, and the comma after them. */
export type TypeText = (type: DestTypeId) => ByteText;

/** Returns a renderer of destination types; `labels` is null for rows without labels. */
export function typeTexts(format: RowFormat, labels: Taxonomy | null): TypeText {
  if (labels === null) return typeIdTexts(format);
  return textsOfTypes(format, (type) => ({
    dest_type_id: type,
    dest_type: labels.labelOf(type),
  }));
}

const typeIdTexts = perFormat((format) =>
  textsOfTypes(format, (dest_type_id) => ({ dest_type_id })),
);

/** Renders the members of each type once, on first use. */
function textsOfTypes(format: RowFormat, membersOf: (type: DestTypeId) => RowMembers): TypeText {
  const texts = new Map<DestTypeId, ByteText>();
  return (type) => {
    const known = texts.get(type);
    if (known !== undefined) return known;
    const members = membersOf(type);
    const text = inOnePiece(`${format.members(members, Object.keys(members))},`);
    texts.set(type, text);
    return text;
  };
}

/**
 * Renders the members that identify the origin of a row, and the comma after them, if there are
 * any.
 */
export function originText(format: RowFormat, origin: object): ByteText {
  const names = Object.keys(origin);
  return names.length === 0 ? '' : `${format.members({ ...origin }, names)},`;
}
