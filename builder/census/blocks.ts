import { countyOf, type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import type { CountyFips, Degrees, SquareMetres } from '../../shards/units.ts';
import { MAX_COUNT } from '../../shards/weights/weight.ts';
import { BuildError } from '../errors.ts';
import { readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';
import { coordinateOf } from './internal-point.ts';

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

/** Numbers that a block may lack, by field: what they count, and the most that a block can have. */
const COUNTS = {
  POP20: { what: 'population', most: MAX_COUNT },
  ALAND20: { what: 'land area', most: 1e12 },
} as const;
type CountField = keyof typeof COUNTS;

/**
 * Reads a TIGER/Line `tabblock20` shapefile block by block. An invalid record throws an error that
 * names it; blocks already yielded are valid only once all have been read. `note` receives a
 * warning about blocks without a valid count.
 */
export async function* readBlocks(
  path: string,
  note: (line: string) => void,
): AsyncGenerator<CensusBlock> {
  const lacking = new Map<CountField, { blocks: number; first: number }>();
  let read = 0;
  for await (const record of readShapefile(path)) {
    const block = blockOf(path, record);
    read++;
    for (const field of Object.keys(COUNTS) as CountField[]) {
      if (countOf(record, field) !== null) continue;
      const known = lacking.get(field);
      if (known) known.blocks++;
      else lacking.set(field, { blocks: 1, first: record.number });
    }
    yield block;
  }
  for (const [field, { blocks, first }] of lacking) {
    const some = `${withCommas(blocks)} of ${counted(read, 'block')} (first: record ${first})`;
    note(
      `WARNING: ${path}: ${blocks === read ? 'no block has a' : `${some} have no`} valid ${field}, so ${COUNTS[field].what} is unknown; download a tabblock20 file of a later year`,
    );
  }
}

function countOf({ fields }: ShapeRecord, field: CountField): number | null {
  const value = fields[field];
  const isCount = typeof value === 'number' && value >= 0 && value <= COUNTS[field].most;
  return isCount ? Math.round(value) : null;
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
    const value = coordinateOf(fields[field], most);
    if (value !== null) return value;
    throw new BuildError(
      `${path}: record ${number} (block ${geoid}) has no valid ${field}; download the file again`,
    );
  };
  const landArea = countOf(record, 'ALAND20');
  return {
    geoid: geoidToNumber(geoid),
    county: countyOf(geoid),
    population: countOf(record, 'POP20'),
    landArea,
    isWater: landArea === 0,
    lon: coordinate('INTPTLON20', 180),
    lat: coordinate('INTPTLAT20', 90),
    area,
  };
}
