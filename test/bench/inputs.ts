import { readdirSync } from 'node:fs';
import path from 'node:path';
import { silent } from '../../builder/progress.ts';
import { type DemoOptions, writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM, baltimoreFile } from '../support/baltimore.ts';

/** Inputs of a build that is measured. */
export interface BenchInputs {
  readonly place: string;
  readonly osm: string;
  readonly gtfs: readonly string[];
  readonly blocks: readonly string[];
  readonly places: readonly string[];
  readonly counties: readonly string[];
}

const METROPOLIS = { blocks: 20_000, seed: 1, preset: 'metropolis' } as const;

/** The real city whose inputs are in the repository. */
export function baltimore(): BenchInputs {
  const feeds = baltimoreFile('gtfs');
  return {
    place: 'Baltimore',
    osm: BALTIMORE_OSM,
    gtfs: readdirSync(feeds)
      .sort()
      .map((feed) => path.join(feeds, feed)),
    blocks: [BALTIMORE_BLOCKS],
    places: [baltimoreFile('places/tl_24_place.zip')],
    counties: ['24510'],
  };
}

/** A large demo city with as much public transport as Manhattan. */
export function metropolis(folder: string): Promise<BenchInputs> {
  return demoCity(METROPOLIS, folder);
}

/** Writes a demo city of the given size. */
export async function demoCity(
  size: Omit<DemoOptions, 'out'>,
  folder: string,
): Promise<BenchInputs> {
  const { blocks: count, preset = 'city' } = size;
  const out = path.join(folder, `${preset}-${count}`);
  const { osm, gtfs, blocks, places } = await writeDemoCity({ ...size, out }, silent);
  const place = `demo ${preset} of ${count} blocks`;
  return { place, osm, gtfs: [gtfs], blocks, places: [places], counties: [] };
}
