import { countyOf, type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import type { CountyFips, Degrees, SquareMetres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { readAttributes, readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';

/** Where a census block is, for who goes there. */
export interface BlockPoint {
  readonly geoid: GeoidNumber;
  readonly county: CountyFips;
  /** The internal point: where trips from the block begin, and those to it end. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** Whether it has no land, and so nobody begins or ends a trip there. */
  readonly isWater: boolean;
}

/** A census block as TIGER/Line gives it. */
export interface CensusBlock extends BlockPoint {
  readonly population: number | null;
  readonly landArea: SquareMetres | null;
  readonly area: Area;
}

/** The blocks of some files by county, counties and blocks ascending. */
export interface BlocksRead {
  /** Those of the counties asked for. */
  readonly counties: ReadonlyMap<CountyFips, readonly CensusBlock[]>;
  /** The points of all others. */
  readonly others: ReadonlyMap<CountyFips, readonly BlockPoint[]>;
}

/**
 * Reads TIGER/Line `tabblock20` shapefiles: the blocks of some counties, or of all if none is
 * named, and where the others are. A county without blocks, a block given twice and a record that
 * is no block fail, by name.
 */
export async function readBlocks(
  paths: readonly string[],
  counties: readonly CountyFips[],
  onRecord: (records: number) => void,
): Promise<BlocksRead> {
  const asked = new Set(counties);
  const own = new Map<CountyFips, CensusBlock[]>();
  const others = new Map<CountyFips, BlockPoint[]>();
  let records = 0;
  for (const path of paths) {
    for await (const record of readShapefile(path)) {
      onRecord(++records);
      const block = blockOf(path, record);
      if (asked.size === 0 || asked.has(block.county)) addTo(own, block);
      else addTo(others, pointOf(block));
    }
  }
  const missing = [...asked].sort().find((county) => !own.has(county));
  if (missing !== undefined) {
    throw new BuildError(
      `${paths.join(', ')}: no blocks of county ${missing}; the counties there are ${[...own.keys(), ...others.keys()].sort().join(', ')}`,
    );
  }
  if (own.size === 0) throw new BuildError(`${paths.join(', ')}: no blocks`);
  return { counties: inOrder(own, paths), others: inOrder(others, paths) };
}

/** Where the blocks of a file are and what is in them, without their polygons. */
export async function* readBlockPoints(path: string): AsyncGenerator<BlockPoint> {
  for await (const record of readAttributes(path)) yield pointOf(factsOf(path, record));
}

function addTo<T extends BlockPoint>(counties: Map<CountyFips, T[]>, block: T): void {
  const known = counties.get(block.county);
  if (known) known.push(block);
  else counties.set(block.county, [block]);
}

function pointOf({ geoid, county, lon, lat, isWater }: BlockPoint): BlockPoint {
  return { geoid, county, lon, lat, isWater };
}

function inOrder<T extends BlockPoint>(
  counties: ReadonlyMap<CountyFips, T[]>,
  paths: readonly string[],
): Map<CountyFips, T[]> {
  for (const blocks of counties.values()) {
    blocks.sort((a, b) => a.geoid - b.geoid);
    const twice = blocks.find(({ geoid }, i) => geoid === blocks[i - 1]?.geoid);
    if (twice) {
      throw new BuildError(
        `${paths.join(', ')}: block ${twice.geoid} is there twice; give each file once`,
      );
    }
  }
  return new Map([...counties].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function geoidOf(path: string, { number, fields }: Attributes): string {
  const geoid = fields.GEOID20;
  if (typeof geoid === 'string' && isGeoid(geoid)) return geoid;
  throw new BuildError(
    `${path}: record ${number} has no 15-digit GEOID20; a TIGER/Line tabblock20 file is needed`,
  );
}

type Attributes = Pick<ShapeRecord, 'number' | 'fields'>;

function blockOf(path: string, record: ShapeRecord): CensusBlock {
  return { ...factsOf(path, record), area: record.area };
}

function factsOf(path: string, record: Attributes): Omit<CensusBlock, 'area'> {
  const geoid = geoidOf(path, record);
  const { fields, number } = record;
  const coordinate = (field: string, most: number): Degrees => {
    const value = Number.parseFloat(String(fields[field]));
    if (Math.abs(value) <= most) return value;
    throw new BuildError(
      `${path}: record ${number} (block ${geoid}) has no valid ${field}; fetch the file again`,
    );
  };
  const count = (field: string): number | null => {
    const value = fields[field];
    return typeof value === 'number' && value >= 0 ? Math.round(value) : null;
  };
  const landArea = count('ALAND20');
  return {
    geoid: geoidToNumber(geoid),
    county: countyOf(geoid),
    population: count('POP20'),
    landArea,
    isWater: landArea === 0,
    lon: coordinate('INTPTLON20', 180),
    lat: coordinate('INTPTLAT20', 90),
  };
}
