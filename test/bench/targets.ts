import { Random } from '../../infra/demo/seeded-random.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { PoiTable } from '../../shards/pois/poi-table.ts';
import type { Release } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';
import { type Place, placesIn } from './places.ts';
import { ask } from './wrk.ts';

const MAX_PATHS = 4_000;
const MAX_PLACE_PAGES = 300;
const SEED = 20_260_101;
/** Half the side of a search box, in degrees: some 300 m to 2 km. */
const [SMALLEST_BOX, LARGEST_BOX] = [0.003, 0.02];

/** The release that is measured, and access to a server of it. */
export interface Measured {
  readonly release: Release;
  readonly places: readonly Place[];
  readonly address: string;
  readonly key: string;
}

/** Returns many different paths of requests of one route, the same in each run. */
export type PathsOf = (measured: Measured) => Promise<string[]>;

const summaryPaths: PathsOf = async ({ release }) =>
  (await someBlocks(release, MAX_PATHS)).map((geoid) => `/v1/blocks/${geoid}/summary`);

const poisPaths: PathsOf = async ({ release }) =>
  (await someBlocks(release, MAX_PATHS)).map((geoid) => `/v1/blocks/${geoid}/pois`);

const searchPaths: PathsOf = async ({ release }) =>
  (await someBoxes(release, MAX_PATHS)).map((bbox) => `/v1/pois?bbox=${bbox}`);

/** Pages of 1,000 rows of all non-empty places, found by following each server's own cursors. */
const placePagePaths: PathsOf = async ({ places, address, key }) => {
  const paths: string[] = [];
  for (const { geoid } of places) {
    const first = `/v1/places/${geoid}/blocks?limit=1000`;
    let path: string | null = first;
    while (path !== null && paths.length < MAX_PLACE_PAGES) {
      const response = await ask(address, { path, key });
      // The release lacks places outside its area.
      if (response.status === 404) break;
      const page = (await response.json()) as { results: object[]; next_cursor: string | null };
      if (page.results.length > 0) paths.push(path);
      path = page.next_cursor && `${first}&cursor=${page.next_cursor}`;
    }
  }
  return paths;
};

/** Paths of a sum for each census place, mode and leaf type. */
const coveragePaths: PathsOf = async ({ release, places }) => {
  const { leafIds } = release.taxonomy;
  const cells = release.manifest.modes.flatMap((mode) =>
    leafIds.map((type) => `mode=${mode}&type=${type}`),
  );
  const paths = (await placesIn(release, places)).flatMap((geoid) =>
    cells.map((cell) => `/v1/places/${geoid}/coverage?${cell}`),
  );
  return new Random(SEED, 2).shuffle(paths).slice(0, MAX_PATHS);
};

/** The routes that are measured under load, by the names of their figures. */
export const ROUTES: Readonly<Record<string, PathsOf>> = {
  block_summary: summaryPaths,
  block_pois: poisPaths,
  place_blocks: placePagePaths,
  poi_search: searchPaths,
  place_coverage: coveragePaths,
};

/** Routable blocks of a release, up to `count`, in a seeded order. */
export async function someBlocks(release: Release, count: number): Promise<string[]> {
  const geoids: string[] = [];
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let block = 0; block < index.count; block++) {
      if (index.isRoutable(block)) geoids.push(geoidFromNumber(index.geoids[block]));
    }
  }
  return new Random(SEED).shuffle(geoids).slice(0, count);
}

/** Boxes of many sizes around points of interest, in `bbox` format. */
async function someBoxes(release: Release, count: number): Promise<string[]> {
  const random = new Random(SEED, 1);
  const tables: PoiTable[] = [];
  for (const county of Object.values(release.manifest.counties)) {
    const { table } = await release.pois(county);
    if (table.count > 0) tables.push(table);
  }
  return Array.from({ length: count }, () => {
    const table = random.pick(tables);
    const poi = random.below(table.count);
    const half = random.between(SMALLEST_BOX, LARGEST_BOX);
    const [lon, lat] = [table.lon[poi] / MICRO, table.lat[poi] / MICRO];
    const box = [lon - half, lat - half, lon + half, lat + half];
    return box.map((degrees) => degrees.toFixed(6)).join(',');
  });
}
