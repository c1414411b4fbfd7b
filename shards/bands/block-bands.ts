import { z } from 'zod';
import { ShardError } from '../errors.ts';
import type { GeoidNumber } from '../geoid.ts';
import type { CountyBlock, CountyFips, DestTypeId, MicroDegrees } from '../units.ts';
import {
  BLOCK_BANDS_MAGIC,
  type BlockBandsHead,
  stepsBetween,
  sumsOf,
} from './block-band-layout.ts';
import { ColumnFile, encodeColumnFile } from './column-file.ts';

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
  readonly modes: readonly string[];
  /** Ascending. */
  readonly leafIds: readonly DestTypeId[];
  /** Ascending, as in the county's index. */
  readonly geoids: ArrayLike<GeoidNumber>;
  readonly lon: ArrayLike<MicroDegrees>;
  readonly lat: ArrayLike<MicroDegrees>;
  readonly population: readonly (number | null)[];
  readonly water: readonly CountyBlock[];
}

/**
 * Encodes the bands of a county's blocks. `bands` is indexed by column × blocks + block, with
 * columns as in the county's `nearest` object.
 */
export function encodeBlockBands(
  { county, modes, leafIds, geoids, lon, lat, population, water }: BlockBandFacts,
  bands: Uint8Array,
): Promise<Uint8Array> {
  const blocks = geoids.length;
  const columns = Array.from({ length: modes.length * leafIds.length }, (_, i) =>
    bands.subarray(i * blocks, (i + 1) * blocks),
  );
  return encodeColumnFile(
    BLOCK_BANDS_MAGIC,
    columns,
    (column_bytes) =>
      ({
        county,
        modes: [...modes],
        dest_type_ids: [...leafIds],
        column_bytes,
        geoid_steps: stepsBetween(Array.from(geoids)),
        lon_steps: stepsBetween(Array.from(lon, toCentre)),
        lat_steps: stepsBetween(Array.from(lat, toCentre)),
        population: [...population],
        water: [...water],
      }) satisfies BlockBandsHead,
  );
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
  readonly #file: ColumnFile<BlockBandsHead>;

  /** Throws a `ShardError` for anything that `encodeBlockBands` did not write. */
  constructor(object: string, bytes: Uint8Array) {
    const fail = (problem: string) => new ShardError(object, 'head', problem);
    this.#file = new ColumnFile(object, bytes, {
      magic: BLOCK_BANDS_MAGIC,
      kind: 'bands of blocks',
      schema: headSchema,
    });
    const { head } = this.#file;
    this.county = head.county;
    this.modes = head.modes;
    this.leafIds = head.dest_type_ids;
    this.geoids = sumsOf(head.geoid_steps);
    this.lon = sumsOf(head.lon_steps).map((lon) => lon * CENTRE);
    this.lat = sumsOf(head.lat_steps).map((lat) => lat * CENTRE);
    this.population = head.population;
    this.water = head.water;
    if (head.column_bytes.length !== head.modes.length * head.dest_type_ids.length) {
      throw fail('has other columns than modes and types');
    }
    const lists = [head.population, this.lon, this.lat];
    if (lists.some(({ length }) => length !== this.geoids.length)) {
      throw fail('counts blocks differently');
    }
  }

  /**
   * Band of each block in a column, which is for one mode and leaf type; columns are numbered mode
   * by mode.
   */
  column(number: number): Uint8Array {
    return this.#file.column(number, this.geoids.length);
  }
}
