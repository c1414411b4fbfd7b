import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { buildRelease } from '../../../builder/build.ts';
import { duration } from '../../../builder/progress.ts';
import { whileBuilding } from '../../../builder/publish/output.ts';
import { DIRECTIONS, type Direction } from '../../../shards/manifest.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import { integer } from '../../environment.ts';
import { run, UsageError } from '../run.ts';
import { terminalProgress } from '../terminal-progress.ts';

interface BuildFlags {
  osm: string[];
  blocks: string[];
  gtfs?: string[];
  places?: string[];
  pois?: string[];
  counties?: string;
  out: string;
  release?: string;
  serviceDate?: string;
  workers?: string;
  memory: string;
  tiles: boolean;
  directions: string;
}

export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .description('Build a release from open data and publish it into a store.')
    .requiredOption('--osm <files...>', 'OpenStreetMap extracts, .osm.pbf')
    .requiredOption(
      '--blocks <files...>',
      'census blocks, TIGER/Line tabblock20 shapefiles (.zip or .shp)',
    )
    .option('--gtfs <feeds...>', 'transit feeds, .zip or folders (default: no transit)')
    .option('--places <files...>', 'census places, TIGER/Line place shapefiles')
    .option(
      '--pois <files...>',
      'places to go beside those of OpenStreetMap: GeoJSON or GeoParquet, of Overture’s schema or your own',
    )
    .option(
      '--counties <fips>',
      'counties to begin in, five-digit codes, comma-separated (default: all in --blocks); one gets from them to all blocks given',
    )
    .addOption(
      new Option('--out <store>', 'the folder to publish into').env('STORE').makeOptionMandatory(),
    )
    .option('--release <label>', 'what to call the release (default: the date, UTC)')
    .option(
      '--service-date <date>',
      'the day transit is read on, YYYY-MM-DD (default: the common weekday with most trips)',
    )
    .addOption(
      new Option('--workers <n>', 'threads that search (default: one a core)').env('WORKERS'),
    )
    .addOption(
      new Option('--memory <size>', 'what the build may use, such as 8GB')
        .env('MEMORY')
        .default('4GB'),
    )
    .option('--no-tiles', 'make no map tiles')
    .addOption(
      new Option(
        '--directions <list>',
        'of block-to-block times: from, or from,to; without to the build is quicker and smaller, and there are no isochrones towards a place',
      )
        .env('DIRECTIONS')
        .default(DIRECTIONS.join(',')),
    )
    .addHelpText(
      'after',
      '\nExample:\n  tta build --osm maryland.osm.pbf --blocks tl_2024_24_tabblock20.zip \\\n    --gtfs mta.zip --places tl_2024_24_place.zip --counties 24510 --out ./store',
    )
    .action((flags: BuildFlags) => run(() => build(flags)));
}

async function build(flags: BuildFlags): Promise<void> {
  if (flags.serviceDate !== undefined && !flags.gtfs) {
    throw new UsageError('--service-date: is the day transit feeds are read on; give --gtfs too');
  }
  const begun = performance.now();
  const progress = terminalProgress(process.stderr);
  const store = openWritableStore(flags.out);
  const request = {
    osm: flags.osm,
    blocks: flags.blocks,
    gtfs: flags.gtfs ?? [],
    places: flags.places ?? [],
    pois: flags.pois ?? [],
    counties: parseCounties(flags.counties),
    release: parseRelease(flags.release),
    workers: integer('--workers', flags.workers, 1, 256) ?? availableParallelism(),
    memory: parseMemory(flags.memory),
    tiles: flags.tiles,
    directions: parseDirections(flags.directions),
    scratch: store.scratch,
    ...(flags.serviceDate !== undefined && { serviceDate: parseDate(flags.serviceDate) }),
  };
  const inputs = [
    ...request.osm,
    ...request.blocks,
    ...request.gtfs,
    ...request.places,
    ...request.pois,
  ];
  try {
    const { latest, manifest } = await whileBuilding(store, inputs, () =>
      buildRelease(request, store, progress),
    );
    const counties = Object.entries(manifest.counties);
    const blocks = counties.reduce((sum, [, county]) => sum + county.blocks, 0);
    const routable = counties.reduce((sum, [, county]) => sum + county.routable_blocks, 0);
    process.stdout.write(
      `release ${latest.release}: ${blocks} blocks (${routable} routable) in ${counties.length} ${counties.length === 1 ? 'county' : 'counties'}, ${duration((performance.now() - begun) / 1000)}, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n${latest.manifest}\n`,
    );
  } finally {
    await store.close();
  }
}

function parseCounties(text: string | undefined): string[] {
  const counties = text?.split(',').map((county) => county.trim()) ?? [];
  for (const county of counties) {
    if (!/^\d{5}$/.test(county)) {
      throw new UsageError(`--counties: "${county}" is not a five-digit county code such as 24510`);
    }
  }
  return counties;
}

function parseDirections(text: string): Direction[] {
  const directions = text.split(',').map((word) => {
    const known = DIRECTIONS.find((direction) => direction === word.trim());
    if (known !== undefined) return known;
    throw new UsageError(`--directions: "${word}" is none of ${DIRECTIONS.join(', ')}`);
  });
  if (directions.includes('from')) return directions;
  throw new UsageError('--directions: "to" is made of "from"; give from,to');
}

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 };

function parseMemory(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?([MG]i?B?)$/i.exec(text) ?? [];
  const bytes = Number(amount) * UNITS[`${unit?.toUpperCase().replace(/B$/, '')}B`];
  if (bytes > 0) return Math.floor(bytes);
  throw new UsageError(`--memory: "${text}" is not a size such as 8GB or 500MB`);
}

function parseDate(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDate = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isDate) return text;
  throw new UsageError(`--service-date: "${text}" is not a day such as 2026-03-17`);
}

function parseRelease(label: string | undefined): string {
  const release = label ?? new Date().toISOString().slice(0, 10);
  if (/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/.test(release)) return release;
  throw new UsageError(`--release: "${release}" is not up to 64 letters, digits, dots, dashes`);
}
