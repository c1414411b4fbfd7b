import { readFile } from 'node:fs/promises';
import { COUNTY_FIPS, PLACE_GEOID } from '../../shards/geoid.ts';
import type { StateFips } from '../../shards/states.ts';
import type { CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { decodePiece } from '../inputs/text.ts';

export interface NamedArea {
  /** GEOID of the place, or code of the county. */
  readonly code: string;
  readonly name: string;
  /** Name without the kind of area. */
  readonly shortName: string;
  readonly state: StateFips;
  readonly counties: readonly CountyFips[];
}

/** Columns of `national_place_by_county2020.txt` that are read. */
const COLUMNS = ['STATEFP', 'COUNTYFP', 'PLACEFP', 'PLACENAME'] as const;

/**
 * The kind of place that the census appends to names: ` city`, ` CDP`, ` city (balance)`,
 * ` metropolitan government (balance)`.
 */
const KIND = /( (CDP|\(balance\)|\p{Ll}\S*))+$/u;

/**
 * Reads the Census Bureau's list of places by county: a row for each county that a place has a part
 * of. Throws a `BuildError` for another file.
 */
export async function readPlaceList(path: string): Promise<NamedArea[]> {
  const bytes = await readFile(path).catch((error) => {
    throw unreadable(path, error);
  });
  const [header, ...rows] = decodePiece(bytes)
    .split(/\r?\n/)
    .map((line) => line.split('|'));
  const missing = COLUMNS.find((column) => !header.includes(column));
  if (missing !== undefined) {
    throw new BuildError(
      `${path}: is not the Census Bureau’s list of places by county: it has no column ${missing}; check --census-url`,
    );
  }
  const columns = COLUMNS.map((column) => header.indexOf(column));
  const places = new Map<string, NamedArea & { readonly counties: CountyFips[] }>();
  for (const row of rows) {
    const [state, county, place, name] = columns.map((at) => row[at] ?? '');
    const geoid = `${state}${place}`;
    if (!PLACE_GEOID.test(geoid) || !COUNTY_FIPS.test(`${state}${county}`)) continue;
    const known = places.get(geoid);
    if (known) known.counties.push(`${state}${county}`);
    else {
      const shortName = name.replace(KIND, '');
      places.set(geoid, { code: geoid, name, shortName, state, counties: [`${state}${county}`] });
    }
  }
  return [...places.values()];
}
