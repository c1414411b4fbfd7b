import { countyOf, type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import type { CountyFips, Degrees, SquareMetres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';

/** A census block as TIGER/Line gives it. */
export interface CensusBlock {
  readonly geoid: GeoidNumber;
  readonly county: CountyFips;
  readonly population: number | null;
  readonly landArea: SquareMetres | null;
  /** The internal point: where trips from the block begin. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly area: Area;
}

/**
 * Reads the blocks of some counties from TIGER/Line `tabblock20` shapefiles, ascending by GEOID.
 * A county without blocks, a block given twice and a record that is no block fail, by name.
 */
export async function readBlocks(
  paths: readonly string[],
  counties: readonly CountyFips[],
  onRecord: (records: number) => void,
): Promise<Map<CountyFips, CensusBlock[]>> {
  const wanted = new Map<CountyFips, CensusBlock[]>(counties.map((county) => [county, []]));
  const present = new Set<CountyFips>();
  let records = 0;
  for (const path of paths) {
    for await (const record of readShapefile(path)) {
      onRecord(++records);
      const geoid = geoidOf(path, record);
      present.add(countyOf(geoid));
      const blocks = wanted.get(countyOf(geoid));
      if (blocks) blocks.push(blockOf(path, record, geoid));
    }
  }
  for (const [county, blocks] of wanted) {
    if (blocks.length === 0) {
      throw new BuildError(
        `${paths.join(', ')}: no blocks of county ${county}; the counties there are ${[...present].sort().join(', ')}`,
      );
    }
    blocks.sort((a, b) => a.geoid - b.geoid);
    for (let i = 1; i < blocks.length; i++) {
      if (blocks[i].geoid === blocks[i - 1].geoid) {
        throw new BuildError(
          `${paths.join(', ')}: block ${blocks[i].geoid} is there twice; give each file once`,
        );
      }
    }
  }
  return wanted;
}

/** The counties that some block files speak of, ascending. */
export async function countiesIn(paths: readonly string[]): Promise<CountyFips[]> {
  const counties = new Set<CountyFips>();
  for (const path of paths) {
    for await (const record of readShapefile(path)) counties.add(countyOf(geoidOf(path, record)));
  }
  return [...counties].sort();
}

function geoidOf(path: string, { number, fields }: ShapeRecord): string {
  const geoid = fields.GEOID20;
  if (typeof geoid === 'string' && isGeoid(geoid)) return geoid;
  throw new BuildError(
    `${path}: record ${number} has no 15-digit GEOID20; a TIGER/Line tabblock20 file is needed`,
  );
}

function blockOf(path: string, record: ShapeRecord, geoid: string): CensusBlock {
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
  return {
    geoid: geoidToNumber(geoid),
    county: countyOf(geoid),
    population: count('POP20'),
    landArea: count('ALAND20'),
    lon: coordinate('INTPTLON20', 180),
    lat: coordinate('INTPTLAT20', 90),
    area: record.area,
  };
}
