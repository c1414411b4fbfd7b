import { stemSum } from '../codec/object-name.ts';
import { type VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import type { GeoidNumber } from '../geoid.ts';
import { HEADER_READ_BYTES, writeEnvelope } from '../store/envelope.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { ObjectHead, RowsWriter, type StoredRows } from '../store/stored-rows.ts';
import type { Bytes, MicroDegrees } from '../units.ts';
import type { StreetName } from './street-name.ts';

export const ADDRESSES_KIND = 'ADDR';

/** Which numbers between the ends of a range there are. */
export const EVERY_NUMBER = 0;
export const ODD_NUMBERS = 1;
export const EVEN_NUMBERS = 2;

/** House numbers along one side of a street, within one block; or one number, at a point. */
export interface AddressRange {
  /** The number at the first point of the line, and that at the last; either may be the lower. */
  readonly from: number;
  readonly to: number;
  readonly parity: number;
  /** The text after the number of a point, such as `b`; '' for none. */
  readonly suffix: string;
  /** Five digits; '' if unknown. */
  readonly zip: string;
  readonly geoid: GeoidNumber;
  /** The line; a single point for one number. */
  readonly x: readonly MicroDegrees[];
  readonly y: readonly MicroDegrees[];
}

export interface StreetEntry extends StreetName {
  /** The name as its source spells it. */
  readonly label: string;
  readonly lowest: number;
  readonly highest: number;
  readonly zips: readonly string[];
}

export interface StreetRanges extends StreetName {
  readonly label: string;
  /** At least one. */
  readonly ranges: readonly AddressRange[];
}

export interface Neighbourhood {
  readonly label: string;
  /** A point in it, and its block. */
  readonly x: MicroDegrees;
  readonly y: MicroDegrees;
  readonly geoid: GeoidNumber;
}

const DIRECTIONS = ['', 'n', 's', 'e', 'w', 'ne', 'nw', 'se', 'sw'];

/**
 * Encodes the streets of a county, each with a row of ranges, sorted by name, so that the rows of
 * streets that differ in suffix or direction only are adjacent; and its neighbourhoods, in the
 * head. `stem`: of the object's name.
 */
export function encodeAddresses(
  stem: string,
  given: readonly StreetRanges[],
  neighbourhoods: readonly Neighbourhood[],
): Uint8Array {
  const sum = stemSum(stem);
  const streets = [...given].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const zips = distinct(streets.flatMap(({ ranges }) => ranges.map(({ zip }) => zip)));
  const suffixes = distinct(streets.map(({ suffix }) => suffix));
  const words = new VarintWriter();
  words.texts(zips);
  words.texts(suffixes);
  const names = new VarintWriter(1 << 12);
  const rows = new RowsWriter(sum);
  names.uint(streets.length);
  streets.forEach((street, row) => {
    const { before, base, suffix, after, label, ranges } = street;
    const ends = ranges.flatMap(({ from, to }) => [from, to]);
    const [lowest, highest] = [Math.min(...ends), Math.max(...ends)];
    const isSameBase = base === streets[row - 1]?.base;
    names.text(isSameBase ? '' : base);
    names.byte(DIRECTIONS.indexOf(before) * DIRECTIONS.length + DIRECTIONS.indexOf(after));
    names.uint(suffixes.indexOf(suffix));
    names.text(label);
    names.uint(lowest);
    names.uint(highest - lowest);
    const own = distinct(ranges.map(({ zip }) => zip));
    names.uint(own.length);
    for (const zip of own) names.uint(zips.indexOf(zip));
    writeRanges(rows.row, ranges, zips);
    rows.end();
  });
  for (const { label, x, y, geoid } of neighbourhoods) {
    names.text(label);
    names.int(x);
    names.int(y);
    names.uint(geoid);
  }
  const sections = [
    { tag: 'WORD', bytes: words.view() },
    { tag: 'STRT', bytes: names.view() },
    ...rows.sections(),
  ];
  return writeEnvelope(ADDRESSES_KIND, sections, sum);
}

function sortKey({ base, suffix, before, after }: StreetName): string {
  return [base, suffix, before, after].join('\0');
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].sort();
}

/** Writes each range as differences from the previous one. */
function writeRanges(
  writer: VarintWriter,
  ranges: readonly AddressRange[],
  zips: readonly string[],
): void {
  let [from, geoid, x, y] = [0, 0, 0, 0];
  for (const range of ranges) {
    writer.int(range.from - from);
    writer.int(range.to - range.from);
    writer.uint(range.parity);
    writer.text(range.suffix);
    writer.uint(zips.indexOf(range.zip));
    writer.int(range.geoid - geoid);
    writer.uint(range.x.length);
    for (let i = 0; i < range.x.length; i++) {
      writer.int(range.x[i] - x);
      writer.int(range.y[i] - y);
      [x, y] = [range.x[i], range.y[i]];
    }
    [from, geoid] = [range.from, range.geoid];
  }
}

/**
 * The stored addresses of a county. Street names are in memory; reading the ranges of streets takes
 * one range read.
 */
export class AddressTable {
  /** Sorted by base, then by suffix and directions. */
  readonly streets: readonly StreetEntry[];
  readonly neighbourhoods: readonly Neighbourhood[];
  /** Length of what precedes the rows. */
  readonly headBytes: Bytes;
  readonly #zips: readonly string[];
  readonly #rows: StoredRows;

  private constructor(head: ObjectHead) {
    const [words, names] = [head.reader('WORD'), head.reader('STRT')];
    this.headBytes = head.length;
    try {
      this.#zips = words.texts('words');
      this.streets = readStreets(names, this.#zips, words.texts('words'));
      this.neighbourhoods = readNeighbourhoods(names);
      this.#rows = head.rows(this.streets.length);
    } catch (error) {
      throw decodingError(head.ref.name, 'streets', error);
    }
  }

  /** Reads the head of `ref`: one read if it has no more than `headBytes`, otherwise two. */
  static async open(
    source: RangeSource,
    ref: ObjectRef,
    headBytes: Bytes = HEADER_READ_BYTES,
  ): Promise<AddressTable> {
    return new AddressTable(await ObjectHead.read(source, ref, ADDRESSES_KIND, headBytes));
  }

  get byteLength(): Bytes {
    const names = this.streets.length + this.neighbourhoods.length;
    return names * 200 + this.#rows.byteLength;
  }

  /** The ranges of the streets from `first` up to `end`. One range read. */
  ranges(first: number, end: number): Promise<AddressRange[][]> {
    return this.#rows.decoded(first, end, (reader) => readRanges(reader, this.#zips));
  }
}

/** The item of a list at a position as stored; throws a `RangeError` beyond its end. */
function itemOf(list: readonly string[], position: number): string {
  if (position < list.length) return list[position];
  throw new RangeError(`refers to word ${position} of ${list.length}`);
}

function readStreets(
  reader: VarintReader,
  zips: readonly string[],
  suffixes: readonly string[],
): StreetEntry[] {
  let base = '';
  return Array.from({ length: reader.count('streets') }, () => {
    base = reader.text() || base;
    const directions = reader.byte();
    const suffix = itemOf(suffixes, reader.uint());
    const label = reader.text();
    const lowest = reader.uint();
    return {
      before: itemOf(DIRECTIONS, Math.floor(directions / DIRECTIONS.length)),
      base,
      suffix,
      after: itemOf(DIRECTIONS, directions % DIRECTIONS.length),
      label,
      lowest,
      highest: lowest + reader.uint(),
      zips: Array.from({ length: reader.uint() }, () => itemOf(zips, reader.uint())),
    };
  });
}

/** Reads up to the end of the section. */
function readNeighbourhoods(reader: VarintReader): Neighbourhood[] {
  const found: Neighbourhood[] = [];
  while (!reader.done) {
    const label = reader.text();
    found.push({ label, x: reader.int(), y: reader.int(), geoid: reader.uint() });
  }
  return found;
}

function readRanges(reader: VarintReader, zips: readonly string[]): AddressRange[] {
  const ranges: AddressRange[] = [];
  let [from, geoid, x, y] = [0, 0, 0, 0];
  while (!reader.done) {
    from += reader.int();
    const to = from + reader.int();
    const parity = reader.uint();
    const suffix = reader.text();
    const zip = itemOf(zips, reader.uint());
    geoid += reader.int();
    const points = reader.count('points');
    if (points === 0) throw new RangeError('has no points');
    const [xs, ys]: number[][] = [[], []];
    for (let i = 0; i < points; i++) {
      x += reader.int();
      y += reader.int();
      xs.push(x);
      ys.push(y);
    }
    ranges.push({ from, to, parity, suffix, zip, geoid, x: xs, y: ys });
  }
  return ranges;
}
