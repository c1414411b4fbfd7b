import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { parseJson, parseWith } from '../codec/json-object.ts';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import type { GeoidNumber } from '../geoid.ts';
import type { Mode } from '../modes.ts';
import type { Bytes, CountyBlock, CountyFips, DestTypeId, MicroDegrees } from '../units.ts';
import {
  BLOCK_BANDS_MAGIC,
  type BlockBandsHead,
  columnBytes,
  decodeColumn,
  encodeColumn,
  HEAD_AT,
  stepsBetween,
  sumsOf,
} from './block-band-layout.ts';

/**
 * Limit on the inflated head, more than any county needs: a few bytes of Deflate could expand to
 * gigabytes.
 */
const MAX_HEAD_BYTES: Bytes = 1 << 26;

const headSchema: z.ZodType<BlockBandsHead> = z.strictObject({
  county: z.string(),
  modes: z.array(z.string()),
  dest_type_ids: z.array(z.int()),
  column_bytes: z.array(z.int().min(0)),
  geoid_steps: z.array(z.int().min(1)),
  lon_steps: z.array(z.int()),
  lat_steps: z.array(z.int()),
  population: z.array(z.int().min(0).nullable()),
  water: z.array(z.int().min(0)),
});

export interface BlockBandFacts {
  readonly county: CountyFips;
  readonly modes: readonly Mode[];
  /** Ascending. */
  readonly leafIds: readonly DestTypeId[];
  /** Ascending, as in the county's index. */
  readonly geoids: ArrayLike<GeoidNumber>;
  /** Centres. */
  readonly lon: ArrayLike<MicroDegrees>;
  readonly lat: ArrayLike<MicroDegrees>;
  readonly population: readonly (number | null)[];
  /** Blocks without land. */
  readonly water: readonly CountyBlock[];
}

const deflate = promisify(deflateRaw);
const DENSEST = { level: 9 };

/**
 * Encodes the bands of a county's blocks. `bands` is indexed by column × blocks + block, with
 * columns as in the county's `nearest` object.
 */
export async function encodeBlockBands(
  { county, modes, leafIds, geoids, lon, lat, population, water }: BlockBandFacts,
  bands: Uint8Array,
): Promise<Uint8Array> {
  const blocks = geoids.length;
  const columns = await Promise.all(
    Array.from({ length: modes.length * leafIds.length }, (_, i) =>
      deflate(encodeColumn(bands.subarray(i * blocks, (i + 1) * blocks)), DENSEST),
    ),
  );
  const head = {
    county,
    modes: [...modes],
    dest_type_ids: [...leafIds],
    column_bytes: columns.map(({ length }) => length),
    geoid_steps: stepsBetween(Array.from(geoids)),
    lon_steps: stepsBetween(Array.from(lon, toCentre)),
    lat_steps: stepsBetween(Array.from(lat, toCentre)),
    population: [...population],
    water: [...water],
  } satisfies BlockBandsHead;
  const packed = await deflate(JSON.stringify(head), DENSEST);
  const start = Buffer.alloc(HEAD_AT);
  start.write(BLOCK_BANDS_MAGIC, 'latin1');
  start.writeUInt32LE(packed.length, BLOCK_BANDS_MAGIC.length);
  return Buffer.concat([start, packed, ...columns]);
}

/** Resolution of the centres: about a metre, since tiles show no more. */
const CENTRE: MicroDegrees = 10;

function toCentre(degrees: MicroDegrees): number {
  return Math.round(degrees / CENTRE);
}

/** A decoded object of block bands, whole in memory. */
export class BlockBands {
  readonly county: CountyFips;
  readonly modes: readonly string[];
  readonly leafIds: readonly DestTypeId[];
  readonly geoids: Float64Array;
  /** Centres, rounded to a metre. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly population: readonly (number | null)[];
  readonly water: readonly CountyBlock[];
  readonly #object: string;
  readonly #columns: readonly Uint8Array[];

  /** Throws a `ShardError` for anything that `encodeBlockBands` did not write. */
  constructor(object: string, bytes: Uint8Array) {
    const fail = (problem: string) => new ShardError(object, 'head', problem);
    if (
      Buffer.from(bytes.subarray(0, BLOCK_BANDS_MAGIC.length)).toString('latin1') !==
      BLOCK_BANDS_MAGIC
    ) {
      throw fail('not bands of blocks');
    }
    if (bytes.length < HEAD_AT) throw fail(`truncated: ${bytes.length} bytes`);
    const { buffer, byteOffset } = bytes;
    const end =
      HEAD_AT + new DataView(buffer, byteOffset).getUint32(BLOCK_BANDS_MAGIC.length, true);
    const text = inflated(object, 'head', bytes.subarray(HEAD_AT, end), MAX_HEAD_BYTES);
    const head = parseWith(object, parseJson(object, text), headSchema);
    this.#object = object;
    this.county = head.county;
    this.modes = head.modes;
    this.leafIds = head.dest_type_ids;
    this.geoids = sumsOf(head.geoid_steps);
    this.lon = sumsOf(head.lon_steps).map((lon) => lon * CENTRE);
    this.lat = sumsOf(head.lat_steps).map((lat) => lat * CENTRE);
    this.population = head.population;
    this.water = head.water;
    let at = end;
    this.#columns = head.column_bytes.map((length) => {
      at += length;
      return bytes.subarray(at - length, at);
    });
    if (head.column_bytes.length !== head.modes.length * head.dest_type_ids.length) {
      throw fail('has other columns than modes and types');
    }
    const lists = [head.population, this.lon, this.lat];
    if (lists.some(({ length }) => length !== this.geoids.length)) {
      throw fail('counts blocks differently');
    }
    if (at !== bytes.length) throw fail(`columns end at ${at} of ${bytes.length} bytes`);
  }

  /**
   * Band of each block in a column, which is for one mode and leaf type; columns are numbered mode
   * by mode.
   */
  column(number: number): Uint8Array {
    const part = `column ${number}`;
    const blocks = this.geoids.length;
    const bytes = columnBytes(blocks);
    const steps = inflated(this.#object, part, this.#columns[number], bytes);
    if (steps.length !== bytes) {
      throw new ShardError(this.#object, part, `has ${steps.length} of ${bytes} bytes`);
    }
    return decodeColumn(steps, blocks);
  }
}

function inflated(object: string, part: string, packed: Uint8Array, most: Bytes): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    throw new ShardError(object, part, messageOf(error));
  }
}
