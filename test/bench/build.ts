import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';
import { leastProcessorMs, processorMs } from '../support/standard-work.ts';
import { figure } from './figure.ts';
import { type BenchInputs, demoCity } from './inputs.ts';
import { watched } from './watched-command.ts';

const TTA = path.resolve('dist/infra/cli/tta.js');

/**
 * Builds with the command itself; measures time, peak memory and bytes per row. Returns the store.
 */
export async function benchBuild(inputs: BenchInputs, folder: string): Promise<string> {
  const store = path.join(folder, 'store');
  const begun = performance.now();
  const stdout = await build([...buildFlags(inputs), '--out', store]);
  const about = { place: inputs.place };
  figure('build.seconds', (performance.now() - begun) / 1000, 's', about);
  figure('build.peak_memory', Number(/(\d+) MB/.exec(stdout)![1]), 'MB', about);

  const opened = new FolderStore(store);
  const { rows, bytes } = await countRows(await releaseIn(opened));
  await opened.close();
  figure('pois.bytes_a_row', bytes / rows, 'B', { ...about, rows, everything_counted: true });
  return store;
}

const LARGE_DEMO = 200_000;

/** Measures how a large demo city is written: processor time and peak memory. */
export async function benchDemo(folder: string): Promise<void> {
  const args = ['demo', '--blocks', `${LARGE_DEMO}`, '--seed', '5'];
  const { processorSeconds, peakMegabytes } = await watched(
    ...args,
    '--out',
    path.join(folder, 'demo'),
  );
  const about = { blocks: LARGE_DEMO };
  figure('demo.processor_time', processorSeconds, 's', { ...about, wanted: 60 });
  figure('demo.peak_memory', peakMegabytes, 'MB', { ...about, wanted: 1_000 });
}

/** Blocks and counties of the city whose build is repeated. */
const REPEATED = { blocks: 3_000, seed: 4, counties: 6 };
/** The first repetitions also compile code, and collect the garbage of the build before. */
const REPETITIONS = 20;

/** Measures a build over its own results, as a share of the processor time of the first. */
export async function benchRebuild(folder: string): Promise<void> {
  const { osm, gtfs, blocks, places, counties, place } = await demoCity(REPEATED, folder);
  const inputs = { osm: [osm], gtfs, blocks, places, counties };
  const store = new FolderStore(path.join(folder, 'repeated'));
  const make = () => buildRelease({ ...inputs, release: 'r' }, store, silent);
  const builtMs = await processorMs(make);
  const share = (100 * (await leastProcessorMs(make, REPETITIONS))) / builtMs;
  figure('build.again_without_changes', share, '%', { place, wanted: 2 });
  await store.close();
}

/** The flags of `tta build` that name its inputs. */
export function buildFlags({ osm, gtfs, blocks, places, counties }: BenchInputs): string[] {
  const flags = ['--osm', osm, '--gtfs', ...gtfs, '--blocks', ...blocks, '--places', ...places];
  return counties.length > 0 ? [...flags, '--counties', counties.join(',')] : flags;
}

/** Builds with the command, as a user would; returns its final output. */
export async function build(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [TTA, 'build', ...args]);
  return stdout;
}

async function countRows(release: Release): Promise<{ rows: number; bytes: number }> {
  let [rows, bytes] = [0, 0];
  for (const county of Object.values(release.manifest.counties)) {
    const pois = await release.pois(county);
    for (let block = 0; block < county.blocks; block++) {
      for (const { targets } of await pois.matrix.row(block)) rows += targets.length;
    }
    bytes += county.objects.pois.bytes;
  }
  return { rows, bytes };
}
