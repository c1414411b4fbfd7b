import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { type Manifest, objectsNamed } from '../../shards/release/manifest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';
import { buildFlags } from './build.ts';
import type { StepCosts } from './costs.ts';
import { figure } from './figure.ts';
import { demoCity } from './inputs.ts';
import { type ScaleCity, type ScaleRecord, scaleRecordSchema, secondsOf } from './scale-record.ts';
import { withTables } from './scale-tables.ts';
import { WatchedCommand } from './watched-command.ts';

/** The documents with tables of what is measured here. */
export const DOCUMENTS = ['SCALE.md', 'test/bench/COSTS.md'];
const RECORD = 'test/bench/scale.json';
const SEED = 5;
type Step = keyof ScaleCity['seconds'];

/** The step of the build that a line of its progress ends, by the first word of the line. */
const STEPS: Readonly<Record<string, Step>> = {
  blocks: 'blocks',
  osm: 'network',
  network: 'network',
  linking: 'network',
  stops: 'network',
  search: 'search',
  'reach-to': 'reachTo',
  catchment: 'catchment',
  tiles: 'tiles',
  // Before it, tiles are put into archives.
  join: 'tiles',
};

/**
 * Builds demo cities of some sizes, keeps what they cost in `scale.json`, beside what other sizes
 * cost at the same commit, and writes the tables of SCALE.md.
 */
export async function benchScale(sizes: readonly number[], folder: string): Promise<void> {
  const before = await readRecord();
  const { commit } = measuredOn();
  const cities = new Map(
    before.commit === commit ? before.cities.map((city) => [city.blocks, city] as const) : [],
  );
  for (const blocks of sizes) {
    const city = await buildCity(blocks, folder);
    cities.set(blocks, city);
    figure('scale.processor_time', secondsOf(city), 's', { ...city });
  }
  await writeRecord({
    ...before,
    ...measuredOn(),
    cities: [...cities.values()].toSorted((a, b) => a.blocks - b.blocks) as [ScaleCity],
  });
}

/** The day, the commit and the machine of a measurement. */
export function measuredOn() {
  const revision = ['rev-parse', '--short=10', 'HEAD'];
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', revision, { encoding: 'utf8' }).trim(),
    machine: `${cpus().length} cores, ${cpus()[0].model}`,
    node: process.versions.node,
  };
}

/** Keeps measurements, and writes the tables of the documents. */
export async function writeRecord(record: ScaleRecord): Promise<void> {
  await writeFile(RECORD, `${JSON.stringify(record, null, 2)}\n`);
  for (const file of DOCUMENTS) {
    await writeFile(file, withTables(await readFile(file, 'utf8'), record));
  }
}

export async function readRecord(): Promise<ScaleRecord> {
  return scaleRecordSchema.parse(JSON.parse(await readFile(RECORD, 'utf8')));
}

/** The step that a line of progress ends. */
export function stepOf(line: string): Step {
  return STEPS[/^[\w-]+(?=:)/.exec(line)?.[0] ?? ''] ?? 'others';
}

/** Builds a demo city with the command and one search thread; returns its counts and costs. */
export async function buildCity(blocks: number, folder: string): Promise<ScaleCity> {
  const inputs = await demoCity({ blocks, seed: SEED }, folder);
  const store = path.join(folder, `scale-${blocks}`);
  const flags = [...buildFlags(inputs), '--out', store, '--release', 'scale', '--workers', '1'];
  const began = performance.now();
  const command = new WatchedCommand(['build', ...flags]);
  const steps: StepCosts = new Map();
  await command.addCosts(steps, (line) => (line === null ? 'others' : stepOf(line)));
  await command.succeeded();
  const elapsedSeconds = (performance.now() - began) / 1_000;
  const secondsIn = (step: Step) => steps.get(step)?.seconds ?? 0;
  const [, pois, reach] = /search: ([\d,]+) POI rows.*?([\d,]+) reach rows/.exec(command.said)!;
  const opened = new FolderStore(store);
  const { manifest } = await releaseIn(opened);
  await opened.close();
  return {
    blocks,
    pois: numberOf(/([\d,]+) POIs/.exec(command.said)![1]),
    pairs: { blocks: numberOf(reach), pois: numberOf(pois) },
    seconds: {
      blocks: secondsIn('blocks'),
      network: secondsIn('network'),
      search: secondsIn('search'),
      reachTo: secondsIn('reachTo'),
      catchment: secondsIn('catchment'),
      tiles: secondsIn('tiles'),
      others: secondsIn('others'),
    },
    elapsedSeconds,
    peakMegabytes: command.peakMegabytes,
    bytes: bytesByKind(manifest),
  };
}

export function bytesByKind(manifest: Manifest): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, bytes } of objectsNamed(manifest)) {
    const kind = name.slice(0, name.indexOf('/'));
    sums[kind] = (sums[kind] ?? 0) + bytes;
  }
  return sums;
}

/** Reads a number of a line of progress. */
export function numberOf(grouped: string): number {
  return Number(grouped.replaceAll(',', ''));
}
