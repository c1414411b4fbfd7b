import path from 'node:path';
import { FetchFolder } from '../../builder/fetch/fetch-folder.ts';
import type { Progress } from '../../builder/progress.ts';
import { ROUTING_OPTIONS } from '../../builder/routing-parameters.ts';
import { counted } from '../../shards/number-words.ts';
import { FICTIONAL_STATE } from '../../shards/states.ts';
import { addressLayer } from './address-layer.ts';
import { countiesOf } from './census-ids.ts';
import { planCity } from './city-plan.ts';
import { gtfsTables } from './gtfs-tables.ts';
import { writeGtfs } from './gtfs-writer.ts';
import { planMetropolisTransit } from './metropolis-transit.ts';
import { streetNames } from './names.ts';
import { osmCity } from './osm-file.ts';
import { writePbf } from './pbf-writer.ts';
import { writeShapefile } from './shapefile-writer.ts';
import { blockLayer, countyLayer, placeLayer } from './tiger-layers.ts';
import { planTransit as planCityTransit } from './transit-plan.ts';
import { WEIGHT_FILES, writeWeightFiles } from './weight-files.ts';

/** The kinds of demo, with the size of their blocks and their public transport. */
const PRESETS = {
  city: { scale: 1, planTransit: planCityTransit },
  metropolis: { scale: 1, planTransit: planMetropolisTransit },
  /** Blocks three times as long and wide, as around cities: eight per square kilometre. */
  country: { scale: 3, planTransit: planCityTransit },
};
export type DemoPreset = keyof typeof PRESETS;
export const DEMO_PRESETS = Object.keys(PRESETS) as DemoPreset[];

export interface DemoOptions {
  /** Total number of census blocks, 500 to 1,000,000. */
  readonly blocks: number;
  /** Seed of the city, 0 to 2³² − 1; a different seed makes a different city. */
  readonly seed: number;
  /** Number of counties, 2 by default; more than two have equal size. */
  readonly counties?: number;
  /** Block size and density of public transport; by default those of a city. */
  readonly preset?: DemoPreset;
  /** The output folder; created if missing. */
  readonly out: string;
}

export interface DemoFiles {
  readonly osm: string;
  readonly gtfs: string;
  /** One for each county. */
  readonly blocks: string[];
  readonly places: string;
  readonly counties: string;
  /** LODES workplaces and residences, and PL 94-171. */
  readonly weights: string[];
  /** Address ranges, one for each county. */
  readonly addresses: string[];
}

/** Date of the map data; fixed, like everything in the city. */
const DRAWN = new Date('2026-01-01T00:00:00Z');

/**
 * Writes a fictional city as the files a real one comes in: OpenStreetMap PBF, GTFS, and TIGER/Line
 * shapefiles of blocks, places, counties and address ranges, with a list of them for
 * `tta build --inputs`. Equal options give identical bytes. Throws a `BuildError` for an invalid
 * size or seed.
 */
export async function writeDemoCity(options: DemoOptions, progress: Progress): Promise<DemoFiles> {
  const { scale, planTransit } = PRESETS[options.preset ?? 'city'];
  const plan = planCity({ ...options, scale });
  const counties = countiesOf(plan);
  const names = streetNames(plan);
  const transit = planTransit(plan, names);
  const at = (...parts: string[]) => path.join(options.out, ...parts);
  const files: DemoFiles = {
    osm: at('osm', 'demo.osm.pbf'),
    gtfs: at('gtfs', 'demo_transit.zip'),
    blocks: counties.map(({ fips }) => at('blocks', `tl_${FICTIONAL_STATE}${fips}_tabblock20.zip`)),
    places: at('places', `tl_${FICTIONAL_STATE}_place.zip`),
    counties: at('places', 'tl_us_county.zip'),
    weights: WEIGHT_FILES.map((name) => at('weights', name)),
    addresses: counties.map(({ fips }) =>
      at('addresses', `tl_2024_${FICTIONAL_STATE}${fips}_addrfeat.zip`),
    ),
  };

  const streets = progress.start('demo streets', null, 'elements');
  const city = osmCity(plan, names, transit);
  await writePbf(files.osm, { ...city, timestamp: DRAWN }, (written) => streets.at(written));
  streets.finish();

  const census = progress.start('demo census', counties.length, 'counties');
  for (const [i, county] of counties.entries()) {
    await writeShapefile(files.blocks[i], blockLayer(plan, county));
    await writeShapefile(files.addresses[i], addressLayer(plan, names, county));
    census.at(i + 1);
  }
  await writeShapefile(files.places, placeLayer(plan));
  await writeShapefile(files.counties, countyLayer(plan));
  await writeWeightFiles(plan, counties, files.weights);
  census.finish(
    `${counted(plan.blocks, 'block')} in ${counted(counties.length, 'county', 'counties')}`,
  );

  await writeGtfs(files.gtfs, gtfsTables(plan, transit));
  await listInputs(options.out, files);
  return files;
}

/** Leaves the list of inputs that `tta fetch` leaves beside real files. */
async function listInputs(out: string, files: DemoFiles): Promise<void> {
  const below = (paths: readonly string[]) =>
    paths.map((file) => path.relative(out, file).replaceAll(path.sep, '/'));
  const folder = await FetchFolder.open(out);
  try {
    await folder.noteInputs({
      counties: [],
      bike_speed_kmh: ROUTING_OPTIONS.bike_speed_kmh.usual,
      osm: below([files.osm]),
      blocks: below(files.blocks),
      places: below([files.places, files.counties]),
      pois: [],
      weights: below(files.weights),
      addresses: below([...files.addresses, files.osm]),
      gtfs: below([files.gtfs]).map((file) => ({ file, publisher: '', licence: null })),
      gtfs_left_out: [],
    });
  } finally {
    await folder.close();
  }
}
