import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Manifest } from '../../shards/release/manifest.ts';
import { objectsNamed } from '../../shards/release/manifest-objects.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';
import { buildFlags } from './build.ts';
import { figure } from './figure.ts';
import { demoCity } from './inputs.ts';
import { ownProcessorSeconds } from './processor-time.ts';
import {
  type ScaleCity,
  type ScaleRecord,
  scaleRecordSchema,
  totalSeconds,
} from './scale-record.ts';
import { withTables } from './scale-tables.ts';
import { WatchedCommand } from './watched-command.ts';

const DOCUMENT = 'SCALE.md';
const RECORD = 'test/bench/scale.json';
const SEED = 5;
/** The step of the build that a line of its progress ends, by the first word of the line. */
const STEPS: Readonly<Record<string, keyof ScaleCity['seconds']>> = {
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
  const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], {
    encoding: 'utf8',
  }).trim();
  const before = await readRecord();
  const cities = new Map(
    before.commit === commit ? before.cities.map((city) => [city.blocks, city] as const) : [],
  );
  for (const blocks of sizes) {
    const city = await buildCity(blocks, folder);
    cities.set(blocks, city);
    figure('scale.processor_time', totalSeconds(city), 's', { ...city });
  }
  const record: ScaleRecord = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${cpus().length} cores, ${cpus()[0].model}`,
    node: process.versions.node,
    cities: [...cities.values()].toSorted((a, b) => a.blocks - b.blocks) as [ScaleCity],
  };
  await writeFile(RECORD, `${JSON.stringify(record, null, 2)}\n`);
  await writeFile(DOCUMENT, withTables(await readFile(DOCUMENT, 'utf8'), record));
}

export async function readRecord(): Promise<ScaleRecord> {
  return scaleRecordSchema.parse(JSON.parse(await readFile(RECORD, 'utf8')));
}

/** Builds a demo city with the command and one search thread; returns its counts and costs. */
export async function buildCity(blocks: number, folder: string): Promise<ScaleCity> {
  const inputs = await demoCity({ blocks, seed: SEED }, folder);
  const store = path.join(folder, `scale-${blocks}`);
  const flags = [...buildFlags(inputs), '--out', store, '--release', 'scale', '--workers', '1'];
  const began = performance.now();
  const command = new WatchedCommand(['build', ...flags]);
  const seconds = {
    blocks: 0,
    network: 0,
    search: 0,
    reachTo: 0,
    catchment: 0,
    tiles: 0,
    others: 0,
  };
  let used = 0;
  for await (const line of createInterface(command.child.stderr!)) {
    const now = Math.max(used, await ownProcessorSeconds(command.child.pid!));
    seconds[STEPS[/^[\w-]+(?=:)/.exec(line)?.[0] ?? ''] ?? 'others'] += now - used;
    used = now;
  }
  if ((await command.ended) !== 0) throw new Error(command.said);
  const elapsedSeconds = (performance.now() - began) / 1_000;
  const [, pois, reach] = /search: ([\d,]+) POI rows.*?([\d,]+) reach rows/.exec(command.said)!;
  const opened = new FolderStore(store);
  const { manifest } = await releaseIn(opened);
  await opened.close();
  return {
    blocks,
    pois: numberOf(/([\d,]+) POIs/.exec(command.said)![1]),
    pairs: { blocks: numberOf(reach), pois: numberOf(pois) },
    seconds,
    elapsedSeconds,
    peakMegabytes: command.peakMegabytes,
    bytes: bytesByKind(manifest),
  };
}

function bytesByKind(manifest: Manifest): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, bytes } of objectsNamed(manifest)) {
    const kind = name.slice(0, name.indexOf('/'));
    sums[kind] = (sums[kind] ?? 0) + bytes;
  }
  return sums;
}

function numberOf(grouped: string): number {
  return Number(grouped.replaceAll(',', ''));
}
