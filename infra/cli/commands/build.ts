import path from 'node:path';
import { type Command, Option } from 'commander';
import { buildRelease } from '../../../builder/build.ts';
import { claimOutputFolder } from '../../../builder/publish/output-folder.ts';
import { openStore } from '../../../shards/store/open-store.ts';
import { run, UsageError } from '../run.ts';
import { duration, terminalProgress } from '../terminal-progress.ts';

interface BuildFlags {
  osm: string[];
  blocks: string[];
  counties?: string;
  out: string;
  release?: string;
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
    .option(
      '--counties <fips>',
      'five-digit county codes, comma-separated (default: all in --blocks)',
    )
    .addOption(
      new Option('--out <store>', 'the folder to publish into').env('STORE').makeOptionMandatory(),
    )
    .option('--release <label>', 'what to call the release (default: the date, UTC)')
    .addHelpText(
      'after',
      '\nExample:\n  tta build --osm maryland.osm.pbf --blocks tl_2024_24_tabblock20.zip --counties 24510 --out ./store',
    )
    .action((flags: BuildFlags) => run(() => build(flags)));
}

async function build(flags: BuildFlags): Promise<void> {
  const begun = performance.now();
  const progress = terminalProgress(process.stderr);
  const request = {
    osm: flags.osm,
    blocks: flags.blocks,
    counties: parseCounties(flags.counties),
    release: parseRelease(flags.release),
  };
  const inputs = [...flags.osm, ...flags.blocks].map((input) => path.resolve(input));
  const release = await claimOutputFolder(path.resolve(flags.out), inputs);
  const store = openStore(flags.out);
  try {
    const { latest, manifest } = await buildRelease(request, store, progress);
    const counties = Object.entries(manifest.counties);
    const blocks = counties.reduce((sum, [, county]) => sum + county.blocks, 0);
    const routable = counties.reduce((sum, [, county]) => sum + county.routable_blocks, 0);
    process.stdout.write(
      `release ${latest.release}: ${blocks} blocks (${routable} routable) in ${counties.length} ${counties.length === 1 ? 'county' : 'counties'}, ${duration((performance.now() - begun) / 1000)}, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n${latest.manifest}\n`,
    );
  } finally {
    await store.close();
    await release();
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

function parseRelease(label: string | undefined): string {
  const release = label ?? new Date().toISOString().slice(0, 10);
  if (/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/.test(release)) return release;
  throw new UsageError(`--release: "${release}" is not up to 64 letters, digits, dots, dashes`);
}
