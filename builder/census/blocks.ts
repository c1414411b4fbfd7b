import { countyOf, type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import type { CountyFips, Degrees, SquareMetres } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';

/** The location of a census block, as needed for a target. */
export interface BlockPoint {
  readonly geoid: GeoidNumber;
  readonly county: CountyFips;
  /** Internal point, at which trips from and to the block begin and end. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** Whether the block has no land, so that no trips begin or end there. */
  readonly isWater: boolean;
}

/** A census block as provided by TIGER/Line. */
export interface CensusBlock extends BlockPoint {
  readonly population: number | null;
  readonly landArea: SquareMetres | null;
  readonly area: Area;
}

/**
 * Reads a TIGER/Line `tabblock20` shapefile block by block. An invalid record throws an error that
 * names it; blocks already yielded are valid only once all have been read.
 */
export async function* readBlocks(path: string): AsyncGenerator<CensusBlock> {
  for await (const record of readShapefile(path)) yield blockOf(path, record);
}

function geoidOf(path: string, { number, fields }: ShapeRecord): string {
  const geoid = fields.GEOID20;
  if (typeof geoid === 'string' && isGeoid(geoid)) return geoid;
  throw new BuildError(
    `${path}: record ${number} has no 15-digit GEOID20; a TIGER/Line tabblock20 file is needed`,
  );
}

function blockOf(path: string, record: ShapeRecord): CensusBlock {
  const geoid = geoidOf(path, record);
  const { fields, number, area } = record;
  const coordinate = (field: string, most: number): Degrees => {
    const value = Number.parseFloat(String(fields[field]));
    if (Math.abs(value) <= most) return value;
    throw new BuildError(
      `${path}: record ${number} (block ${geoid}) has no valid ${field}; download the file again`,
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
    area,
  };
}
