import { countWhile } from '../arrays/sorted.ts';
import { stemSum } from '../codec/object-name.ts';
import { type VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import { BLOCKS_PER_COUNTY, type GeoidNumber } from '../geoid.ts';
import type { Rings } from '../geometry/rings.ts';
import { writeEnvelope } from '../store/envelope.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { ObjectHead, RowsWriter, type StoredRows } from '../store/stored-rows.ts';
import {
  type BoundingBox,
  type CountyFips,
  type Degrees,
  MICRO,
  type StatePlace,
  toMicro,
} from '../units.ts';

/**
 * Writes the rings of one area: their number, the number of points of each, and all points as
 * deltas.
 */
function writeOutline(writer: VarintWriter, { firstPoint, x, y }: Rings): void {
  const rings = firstPoint.length - 1;
  writer.uint(rings);
  for (let r = 0; r < rings; r++) writer.uint(firstPoint[r + 1] - firstPoint[r]);
  let [atX, atY] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    writer.int(x[i] - atX);
    writer.int(y[i] - atY);
    [atX, atY] = [x[i], y[i]];
  }
}

/** Reads what `writeOutline` wrote; throws a `RangeError` for anything else. */
function readOutline(reader: VarintReader): Rings {
  const rings = reader.count('rings');
  const firstPoint = new Uint32Array(rings + 1);
  for (let r = 0; r < rings; r++) firstPoint[r + 1] = firstPoint[r] + reader.uint();
  const points = firstPoint[rings];
  if (points > reader.left) throw new RangeError(`counts ${points} points`);
  const x = new Int32Array(points);
  const y = new Int32Array(points);
  let [atX, atY] = [0, 0];
  for (let i = 0; i < points; i++) {
    x[i] = atX += reader.int();
    y[i] = atY += reader.int();
  }
  return { firstRing: Uint32Array.of(0, rings), firstPoint, x, y };
}

export const PLACES_KIND = 'PLAC';

/** A census place: a city, town or village. */
export interface PlaceRecord {
  /** Seven digits: state and place. */
  readonly geoid: string;
  readonly name: string;
  /** The census internal point. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** Population of the blocks whose centre is in the place. */
  readonly population: number;
  readonly box: BoundingBox;
}

export interface PlaceWithBlocks extends PlaceRecord {
  /** Ascending. */
  readonly blocks: readonly GeoidNumber[];
  /** The census boundary, which decides what is in the place. */
  readonly outline: Rings;
}

const GEOID_DIGITS = 7;

export interface PlaceEntry extends PlaceRecord {
  /** Counties of its blocks, ascending. */
  readonly counties: readonly CountyFips[];
}

/**
 * Encodes the places of a state, ascending by GEOID. Each has two rows: its blocks, and its
 * outline. `stem`: of the object's name.
 */
export function encodePlaces(stem: string, places: readonly PlaceWithBlocks[]): Uint8Array {
  const sum = stemSum(stem);
  const facts = new VarintWriter(1 << 12);
  const rows = new RowsWriter(sum);
  facts.uint(places.length);
  let previous = 0;
  places.forEach((place, ordinal) => {
    const geoid = Number(place.geoid);
    if (ordinal > 0 && geoid <= previous) {
      throw new RangeError(`place ${place.geoid} is out of order`);
    }
    facts.uint(geoid - previous);
    previous = geoid;
    facts.text(place.name);
    facts.int(toMicro(place.lon));
    facts.int(toMicro(place.lat));
    facts.uint(place.population);
    const { minLon, minLat, maxLon, maxLat } = place.box;
    for (const degrees of [minLon, minLat, maxLon, maxLat]) facts.int(toMicro(degrees));
    const counties = [
      ...new Set(place.blocks.map((block) => Math.floor(block / BLOCKS_PER_COUNTY))),
    ];
    facts.uint(counties.length);
    for (const county of counties) facts.uint(county);
    let block = 0;
    for (const next of place.blocks) {
      if (next <= block) throw new RangeError(`block ${next} of ${place.geoid} is out of order`);
      rows.row.uint(next - block);
      block = next;
    }
    rows.end();
    writeOutline(rows.row, place.outline);
    rows.end();
  });
  const sections = [{ tag: 'FACT', bytes: facts.view() }, ...rows.sections()];
  return writeEnvelope(PLACES_KIND, sections, sum);
}

/** Each place has a row with its blocks, and one with its outline. */
const ROWS_PER_PLACE = 2;

function blocksRow(ordinal: StatePlace): number {
  return ordinal * ROWS_PER_PLACE;
}

function outlineRow(ordinal: StatePlace): number {
  return ordinal * ROWS_PER_PLACE + 1;
}

/**
 * The stored places of a state. Facts are in memory; reading the blocks or the outline of a place
 * takes one range read.
 */
export class PlaceTable {
  readonly ref: ObjectRef;
  /** Ascending by GEOID. */
  readonly places: readonly PlaceEntry[];
  readonly #rows: StoredRows;

  private constructor(head: ObjectHead) {
    this.ref = head.ref;
    const facts = head.reader('FACT');
    try {
      const count = facts.count('places');
      this.#rows = head.rows(count * ROWS_PER_PLACE);
      let geoid = 0;
      this.places = Array.from({ length: count }, () => {
        geoid += facts.uint();
        return {
          geoid: String(geoid).padStart(GEOID_DIGITS, '0'),
          name: facts.text(),
          lon: facts.int() / MICRO,
          lat: facts.int() / MICRO,
          population: facts.uint(),
          box: {
            minLon: facts.int() / MICRO,
            minLat: facts.int() / MICRO,
            maxLon: facts.int() / MICRO,
            maxLat: facts.int() / MICRO,
          },
          counties: Array.from({ length: facts.uint() }, () =>
            String(facts.uint()).padStart(5, '0'),
          ),
        };
      });
    } catch (error) {
      throw decodingError(head.ref.name, 'places', error);
    }
  }

  static async open(source: RangeSource, ref: ObjectRef): Promise<PlaceTable> {
    return new PlaceTable(await ObjectHead.read(source, ref, PLACES_KIND));
  }

  get byteLength(): number {
    return this.places.length * 160;
  }

  ordinalOf(geoid: string): StatePlace {
    const { places } = this;
    const ordinal = countWhile(places.length, (at) => places[at].geoid < geoid);
    return places[ordinal]?.geoid === geoid ? ordinal : -1;
  }

  /** The blocks whose centre is in a place, ascending. One range read. */
  blocks(ordinal: StatePlace): Promise<GeoidNumber[]> {
    return this.#read(blocksRow(ordinal), (reader) => {
      const blocks: GeoidNumber[] = [];
      let block = 0;
      while (!reader.done) {
        block += reader.uint();
        blocks.push(block);
      }
      return blocks;
    });
  }

  /** The boundary of a place as the rings of one area, in micro-degrees. One range read. */
  outline(ordinal: StatePlace): Promise<Rings> {
    return this.#read(outlineRow(ordinal), readOutline);
  }

  async #read<T>(row: number, read: (reader: VarintReader) => T): Promise<T> {
    return (await this.#rows.decoded(row, row + 1, read))[0];
  }
}
