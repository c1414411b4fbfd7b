import { countyOf, type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import type { CountyFips, Degrees, SquareMetres } from '../../shards/units.ts';
import { MAX_COUNT } from '../../shards/weights/weight.ts';
import { BuildError } from '../errors.ts';
import { coordinateOf } from '../inputs/decimal.ts';
import { readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';

export interface BlockPoint {
  readonly geoid: GeoidNumber;
  readonly county: CountyFips;
  /** Internal point, at which trips from and to the block begin and end. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** Whether the block has no land, so that no trips begin or end there. */
  readonly isWater: boolean;
}

export interface CensusBlock extends BlockPoint {
  readonly population: number | null;
  readonly landArea: SquareMetres | null;
  readonly area: Area;
}

/** Numbers that a block may lack, by field. Files such as `tl_2020_24_tabblock20` have no POP20. */
const COUNTS = {
  POP20: {
    member: 'population',
    name: 'population',
    most: MAX_COUNT,
    effect: 'people within reach are counted without them; give it with --population',
  },
  ALAND20: {
    member: 'landArea',
    name: 'land area',
    most: 1e12,
    effect: 'areas are summed without them; download a tabblock20 file of a later year',
  },
} as const;
type CountField = keyof typeof COUNTS;
const COUNT_FIELDS = Object.keys(COUNTS) as CountField[];

/**
 * Reads a TIGER/Line `tabblock20` shapefile block by block. An invalid record throws an error that
 * names it; blocks already yielded are valid only once all have been read. `populations` count
 * instead of those in the file. `note` receives a warning about blocks that lack a count.
 */
export async function* readBlocks(
  path: string,
  populations: ReadonlyMap<GeoidNumber, number>,
  note: (line: string) => void,
): AsyncGenerator<CensusBlock> {
  const lacking = new Map<CountField, { blocks: number; first: number }>();
  let read = 0;
  for await (const record of readShapefile(path)) {
    const own = blockOf(path, record);
    const block = { ...own, population: populations.get(own.geoid) ?? own.population };
    read++;
    for (const field of COUNT_FIELDS) {
      if (block[COUNTS[field].member] !== null) continue;
      const known = lacking.get(field);
      if (known) known.blocks++;
      else lacking.set(field, { blocks: 1, first: record.number });
    }
    yield block;
  }
  for (const [field, { blocks, first }] of lacking) {
    const { name, effect } = COUNTS[field];
    const which =
      blocks === read
        ? `(no column ${field} with numbers)`
        : `for ${withCommas(blocks)} of ${counted(read, 'block')} (no valid ${field}, first in record ${first})`;
    note(`WARNING: ${path}: no ${name} ${which}: ${effect}`);
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
