import { STATES, type StateFips, stateFipsOf } from '../../shards/states.ts';
import type { Bytes, CountyFips, Millis } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { openFeed } from '../gtfs/feed.ts';
import { ZipInput } from '../inputs/zip.ts';
import { readBlobs } from '../osm/blob-reader.ts';
import type { Download } from './download.ts';
import { readCatalogue } from './gtfs-catalogue.ts';
import { readPlaceList } from './place-list.ts';

/** Returns the state of a county. Throws a `BuildError` if the code belongs to no state. */
export function stateOf(county: CountyFips): StateFips {
  const state = stateFipsOf(county);
  if (isState(state)) return state;
  throw new BuildError(
    `county ${county}: ${state} is not a state; county codes start with the code of one of the 50 states, the District of Columbia (11) or Puerto Rico (72)`,
  );
}

/** Whether a code belongs to a state whose streets and census data are available. */
export function isState(code: StateFips): boolean {
  return STATES.has(code);
}

export function stateName(state: StateFips): string {
  return STATES.get(state)!.name;
}

/** Sources of the public inputs: the services themselves, or mirrors with the same layout. */
export interface PublicServices {
  readonly geofabrik: string;
  readonly census: string;
  readonly lodes: string;
  /** The catalogue's server, or the URL of a catalogue in CSV. */
  readonly mobility: string;
  /** The STAC catalogue of Overture Maps. */
  readonly overture: string;
}

export const PUBLIC_SERVICES: PublicServices = {
  geofabrik: 'https://download.geofabrik.de',
  census: 'https://www2.census.gov',
  lodes: 'https://lehd.ces.census.gov',
  mobility: 'https://files.mobilitydatabase.org',
  overture: 'https://stac.overturemaps.org',
};

const TIGER_YEAR = 2024;
const GB: Bytes = 1e9;
/** Maximum file sizes: several times the largest of each kind today. */
export const MAX_BYTES = {
  osm: 20 * GB,
  census: 4 * GB,
  catalogue: 0.25 * GB,
  feed: 2 * GB,
  weights: 2 * GB,
  checksums: 0.01 * GB,
} as const;

/**
 * Age up to which an extract is not asked for again. Geofabrik, which offers new ones daily, asks
 * clients not to download them often.
 */
const EXTRACT_AGE: Millis = 7 * 24 * 60 * 60 * 1000;

/** A state's OpenStreetMap extract, in Geofabrik's layout. */
export function osmExtract({ geofabrik }: PublicServices, state: StateFips): Download {
  const name = `${stateName(state).toLowerCase().replaceAll(' ', '-')}-latest.osm.pbf`;
  const url = `${geofabrik}/north-america/us/${name}`;
  return {
    url,
    md5Url: `${url}.md5`,
    file: `osm/${name}`,
    maxBytes: MAX_BYTES.osm,
    keepForMs: EXTRACT_AGE,
    check: checkPbf,
  };
}

export function censusBlocks({ census }: PublicServices, state: StateFips): Download {
  const name = `tl_${TIGER_YEAR}_${state}_tabblock20.zip`;
  const url = `${census}/geo/tiger/TIGER${TIGER_YEAR}/TABBLOCK20/${name}`;
  return { url, file: `blocks/${name}`, maxBytes: MAX_BYTES.census, check: checkShapefile };
}

/** A state's cities, towns and census-designated places. */
export function censusPlaces({ census }: PublicServices, state: StateFips): Download {
  const name = `tl_${TIGER_YEAR}_${state}_place.zip`;
  const url = `${census}/geo/tiger/TIGER${TIGER_YEAR}/PLACE/${name}`;
  return { url, file: `places/${name}`, maxBytes: MAX_BYTES.census, check: checkShapefile };
}

/** Connecticut has planning regions in place of its counties of 2020 from this year on. */
const CONNECTICUT = { state: '09', lastYear: 2021 };

export function censusAddresses({ census }: PublicServices, county: CountyFips): Download {
  const year = county.startsWith(CONNECTICUT.state) ? CONNECTICUT.lastYear : TIGER_YEAR;
  const name = `tl_${year}_${county}_addrfeat.zip`;
  const url = `${census}/geo/tiger/TIGER${year}/ADDRFEAT/${name}`;
  return { url, file: `addresses/${name}`, maxBytes: MAX_BYTES.census, check: checkShapefile };
}

/**
 * The layers of the country's counties, either of which will do: those of 2020, which the blocks
 * have, with borders simplified for maps; and those of later years, which lack Connecticut's.
 */
export function censusCounties({ census }: PublicServices): Download[] {
  const layers = [
    ['GENZ2020/shp', 'cb_2020_us_county_500k.zip'],
    [`TIGER${TIGER_YEAR}/COUNTY`, `tl_${TIGER_YEAR}_us_county.zip`],
  ];
  return layers.map(([folder, name]) => ({
    url: `${census}/geo/tiger/${folder}/${name}`,
    file: `places/${name}`,
    maxBytes: MAX_BYTES.census,
    check: checkShapefile,
  }));
}

/** The list of the country's places, with the counties of 2020 that each has a part of. */
export function censusPlaceList({ census }: PublicServices): Download {
  const name = 'national_place_by_county2020.txt';
  const url = `${census}/geo/docs/reference/codes2020/${name}`;
  const check = async (path: string) => void (await readPlaceList(path));
  return { url, file: `places/${name}`, maxBytes: MAX_BYTES.catalogue, check };
}

export function gtfsCatalogue({ mobility }: PublicServices): Download {
  const isFile = new URL(mobility).pathname.endsWith('.csv');
  const url = isFile ? mobility : `${mobility}/feeds_v2.csv`;
  const check = async (path: string) => void (await readCatalogue(path));
  return { url, file: 'gtfs/catalogue.csv', maxBytes: MAX_BYTES.catalogue, check };
}

export function gtfsFeed(url: string, name: string): Download {
  const check = async (path: string) => (await openFeed(path)).close();
  return { url, file: `gtfs/${name}.zip`, maxBytes: MAX_BYTES.feed, check };
}

async function checkPbf(path: string): Promise<void> {
  for await (const { type } of readBlobs(path, () => {})) {
    if (type === 'OSMHeader') return;
    break;
  }
  throw new BuildError(`${path}: does not start with an OSMHeader block`);
}

async function checkShapefile(path: string): Promise<void> {
  const endings = ['.shp', '.dbf'];
  const zip = await ZipInput.open(path, endings);
  zip.close();
  for (const ending of endings) {
    if (zip.endingWith(ending).length === 0) {
      throw new BuildError(`${path}: a zip archive without ${ending}`);
    }
  }
}
