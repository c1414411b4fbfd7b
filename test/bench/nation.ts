import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLatest } from '../../shards/release/latest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { figure } from './figure.ts';
import { type BenchInputs, country } from './inputs.ts';
import { WatchedCommand, watched } from './watched-command.ts';

/** Memory limits of a process, and of one that only joins. */
const MEMORY = { build: '3GB', join: '1GB' };
const WORKERS = 3;
const KILLS = 2;
const UNITS_BY_QUEUE = 6;
/** Names of the receipts that a join leaves besides its objects. */
const JOIN_RECEIPT = /^(?:part|reach|access|catchment|states|tiles|archives|join)-/;

/**
 * Measures the cost of a country, whose counties have eight blocks per square kilometre, for one
 * process: a full build, a rebuild without changes, and the join alone. Then three workers over a
 * queue, one of which is killed twice, must make the same release, which is fully verified.
 */
export async function benchNation(blocks: number, folder: string): Promise<void> {
  const inputs = await country(blocks, folder);
  const store = (name: string) => path.join(folder, `${name}-${blocks}`);
  const flags = inputFlags(inputs);
  const buildHere = (memory: string) =>
    watched('build', ...flags, '--out', store('one'), '--workers', '1', '--memory', memory);
  const about = { place: inputs.place };

  const began = performance.now();
  const all = await buildHere(MEMORY.build);
  const seconds = (performance.now() - began) / 1000;
  figure('nation.by_one_process', seconds, 's', about);
  const milliseconds = (1000 * all.processorSeconds) / blocks;
  figure('nation.processor_time_a_block', milliseconds, 'ms', about);
  figure('nation.peak_memory', all.peakMegabytes, 'MB', { ...about, wanted: 3_000 });
  const again = await buildHere(MEMORY.build);
  const share = (100 * again.processorSeconds) / all.processorSeconds;
  figure('nation.again_without_changes', share, '%', { ...about, wanted: 2 });

  const receipts = path.join(store('one'), 'receipts');
  for (const name of await readdir(receipts)) {
    if (JOIN_RECEIPT.test(name)) await rm(path.join(receipts, name));
  }
  const joined = await buildHere(MEMORY.join);
  const ofTheJoin = (1000 * joined.processorSeconds) / blocks;
  figure('nation.join.processor_time_a_block', ofTheJoin, 'ms', about);
  figure('nation.join.peak_memory', joined.peakMegabytes, 'MB', { ...about, wanted: 1_000 });

  const redis = await startRedis();
  try {
    const began = performance.now();
    const peaks = await buildByWorkers(redis, store('many'), [
      ...flags,
      '--unit-blocks',
      String(Math.ceil(blocks / UNITS_BY_QUEUE)),
    ]);
    const seconds = (performance.now() - began) / 1000;
    figure('nation.by_workers', seconds, 's', { ...about, workers: WORKERS, kills: KILLS });
    const most = Math.max(...peaks);
    figure('nation.by_workers.peak_memory', most, 'MB', { ...about, each: peaks, wanted: 3_000 });
  } finally {
    await redis.stop();
  }
  const [one, many] = await Promise.all([store('one'), store('many')].map(manifestIn));
  if (one !== many) throw new Error(`one process made ${one}, ${WORKERS} workers made ${many}`);
  const verified = await watched('release', 'verify', '--store', store('many'));
  figure('nation.verify.processor_time', verified.processorSeconds, 's', about);
}

function inputFlags({ osm, gtfs, blocks, places }: BenchInputs): string[] {
  const files = ['--osm', osm, '--gtfs', ...gtfs, '--blocks', ...blocks, '--places', ...places];
  return [...files, '--release', 'nation'];
}

/** Builds by a queue; returns the peak memory of each worker, in megabytes. */
async function buildByWorkers(
  redis: RedisServer,
  store: string,
  flags: readonly string[],
): Promise<number[]> {
  const queue = redis.address();
  const workers: WatchedCommand[] = [];
  const work = () => {
    const own = ['--store', store, '--workers', '1', '--memory', MEMORY.build];
    const worker = new WatchedCommand(['worker', '--queue', queue, ...own]);
    workers.push(worker);
    return worker;
  };
  try {
    for (let i = 1; i < WORKERS; i++) work();
    const done = watched('build', ...flags, '--out', store, '--queue', queue);
    for (let kills = 0; kills < KILLS; kills++) {
      const doomed = work();
      while (!/^job unit/m.test(doomed.said)) await pause(100);
      await doomed.end('SIGKILL');
    }
    work();
    await done;
  } finally {
    for (const worker of workers) await worker.end('SIGTERM');
  }
  return workers.map(({ peakMegabytes }) => peakMegabytes);
}

/**
 * The name of the current manifest, which has its hash; the manifest has the hashes of all objects.
 */
async function manifestIn(folder: string): Promise<string> {
  const store = new FolderStore(folder);
  try {
    return (await readLatest(store)).manifest;
  } finally {
    await store.close();
  }
}
