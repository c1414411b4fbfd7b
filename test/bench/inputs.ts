import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { silent } from '../../builder/progress.ts';
import { type DemoOptions, writeDemoCity } from '../../infra/demo/write-demo-city.ts';

/** What is measured on: Baltimore where its data lies beside the project, else the demo city. */
export interface BenchInputs {
  readonly place: string;
  readonly osm: string;
  readonly gtfs: readonly string[];
  readonly blocks: readonly string[];
  readonly places: readonly string[];
  readonly counties: readonly string[];
}

const BALTIMORE = path.resolve('../shared/data/baltimore');
const DEMO = { blocks: 10_000, seed: 1 };
const LARGE = { blocks: 20_000, seed: 1 };
const COUNTRY_COUNTIES = 24;
const METROPOLIS = { ...LARGE, preset: 'metropolis' } as const;

export async function benchInputs(folder: string): Promise<BenchInputs> {
  const osm = path.join(BALTIMORE, 'osm/baltimore.osm.pbf');
  if (existsSync(osm)) {
    const blocks = [path.join(BALTIMORE, 'blocks/tl_24510_tabblock20.zip')];
    const places = [path.join(BALTIMORE, 'places/tl_24_place.zip')];
    const feeds = path.join(BALTIMORE, 'gtfs');
    const gtfs = readdirSync(feeds).map((feed) => path.join(feeds, feed));
    return { place: 'Baltimore', osm, gtfs: gtfs.sort(), blocks, places, counties: ['24510'] };
  }
  process.stderr.write(`no ${BALTIMORE}: measuring on a demo city of ${DEMO.blocks} blocks\n`);
  return demoCity(DEMO, folder);
}

/** A demo city large enough for a bicycle to reach 5,000 blocks in an hour, with buses. */
export function largeCity(folder: string): Promise<BenchInputs> {
  return demoCity(LARGE, folder);
}

/** As many blocks, with as much public transport as Manhattan has. */
export function metropolis(folder: string): Promise<BenchInputs> {
  return demoCity(METROPOLIS, folder);
}

/** As many blocks as asked for, in counties that are wider than an hour's ride. */
export function country(blocks: number, folder: string): Promise<BenchInputs> {
  return demoCity({ blocks, seed: 1, counties: COUNTRY_COUNTIES, preset: 'country' }, folder);
}

async function demoCity(size: Omit<DemoOptions, 'out'>, folder: string): Promise<BenchInputs> {
  const { blocks: count, preset = 'city' } = size;
  const out = path.join(folder, `${preset}-${count}`);
  const { osm, gtfs, blocks, places } = await writeDemoCity({ ...size, out }, silent);
  const place = `demo ${preset} of ${count} blocks`;
  return { place, osm, gtfs: [gtfs], blocks, places: [places], counties: [] };
}
