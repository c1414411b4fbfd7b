import type { Command } from 'commander';
import type { z } from 'zod';
import { buildRelease } from '../../../builder/build.ts';
import { pathsIn } from '../../../builder/build-request.ts';
import { extractCoverageOf } from '../../../builder/extract/extract-coverage.ts';
import { duration } from '../../../builder/progress.ts';
import { whileBuilding } from '../../../builder/publish/output.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { counted } from '../../../shards/number-words.ts';
import { releaseSchema } from '../../../shards/release/manifest.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import { ArgumentError } from '../../errors.ts';
import { buildSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { executorOf } from '../executor-of.ts';
import { gapWarnings } from '../gap-warnings.ts';
import { addInputs, type InputFlags, readInputs } from '../input-options.ts';
import { print, tell } from '../print.ts';
import { readTogether, runResumable } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

interface BuildFlags extends InputFlags, Flags {
  release?: string;
  tiles: boolean;
}

export function defineBuild(command: Command): void {
  addInputs(command)
    .option('--release <label>', 'name of the release (default: today’s date, UTC)')
    .option('--no-tiles', 'do not build map tiles')
    .addHelpText(
      'after',
      '\nExamples:\n  tta build --inputs ./baltimore --out ./store\n  tta build --osm maryland.osm.pbf --blocks tl_2024_24_tabblock20.zip \\\n    --gtfs mta.zip --places tl_2024_24_place.zip --counties 24510 --out ./store',
    );
  addSettings(command, buildSchema).action((flags: BuildFlags) => runResumable(() => build(flags)));
}

async function build(flags: BuildFlags): Promise<void> {
  const [inputs, set, release] = await readTogether(
    () => readInputs(flags),
    () => readSettings(buildSchema, flags),
    () => parseRelease(flags.release),
  );
  const begun = performance.now();
  const progress = terminalProgress(process.stderr);
  const request = { ...inputs, release, ...buildOptions(set, flags) };
  await whileOpen(openWritableStore(set.STORE), async (store) => {
    const open = executorOf(set.QUEUE, store, progress);
    const make = () => buildRelease({ ...request, scratch: store.scratch }, store, progress, open);
    const { latest, manifest } = await whileBuilding(
      store,
      pathsIn(inputs),
      make,
      open !== undefined,
    );
    const counties = Object.entries(manifest.counties);
    const blocks = counties.reduce((sum, [, county]) => sum + county.blocks, 0);
    const routable = counties.reduce((sum, [, county]) => sum + county.routable_blocks, 0);
    print(
      `release ${latest.release}: ${counted(blocks, 'block')} (${routable} routable) in ${counted(counties.length, 'county', 'counties')}, ${duration((performance.now() - begun) / 1000)}, at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB of memory`,
      latest.manifest,
    );
    const extracts = await Promise.all(inputs.osm.map(extractCoverageOf));
    tell(...gapWarnings(manifest, extracts).map((warning) => `warning: ${warning}`));
  });
}

/** How to build, as settings and flags say. */
export function buildOptions(set: z.output<typeof buildSchema>, { tiles }: { tiles: boolean }) {
  return {
    workers: set.WORKERS,
    memory: set.MEMORY,
    tiles,
    directions: set.DIRECTIONS,
    ...(set.ACCESS && { access: set.ACCESS }),
    unitBlocks: set.UNIT_BLOCKS,
  };
}

function parseRelease(label: string | undefined): string {
  const release = label ?? new Date().toISOString().slice(0, 10);
  if (releaseSchema.safeParse(release).success) return release;
  throw new ArgumentError(
    `--release: "${release}" is not a name of up to 64 letters, digits, dots and dashes`,
  );
}
