import { randomBytes } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchInputs } from '../../builder/fetch/fetch-inputs.ts';
import { bytesOfUnit } from '../../builder/plan/cut-units.ts';
import { duration } from '../../builder/progress.ts';
import { terminalProgress } from '../../infra/cli/terminal-progress.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { statedFeeds } from '../../shards/release/feed-state.ts';
import { readLatest } from '../../shards/release/latest.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { PATHS } from '../fetch/maryland.ts';
import { Mirror } from '../fetch/mirror.ts';
import { STATE } from '../fetch/nation-mirror.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { releaseIn } from '../support/release-in.ts';
import { type Costs, costsOf, type StepCosts, since, sumOfCosts } from './costs.ts';
import { figure } from './figure.ts';
import { type ServedNation, serveNation } from './nation-inputs.ts';
import { residentMemory } from './resident-memory.ts';
import { bytesByKind, measuredOn, numberOf, readRecord, stepOf, writeRecord } from './scale.ts';
import { type ScaleNation, type ScaleRecord, secondsOf } from './scale-record.ts';
import { openAccounts, startService } from './service.ts';
import { WatchedCommand } from './watched-command.ts';
import { ask } from './wrk.ts';

/** Gigabytes of memory of a process, and of one that only joins. */
const MEMORY = { build: 3, join: 1 };
const WORKERS = 3;
const LEAST_UNITS = 6;
/** The largest nation that is also built by one process, without a queue. */
const ALSO_ALONE = 30_000;
/** Names of the receipts that a join leaves besides its objects. */
const JOIN_RECEIPT = /^(?:part|reach|access|catchment|states|tiles|archives|join)-/;
const REPORT_MS = 15_000;
const POLL_MS = 5;
const SYNCED = { megabytes: 256, piece: 2 ** 20 };

/**
 * Builds a made nation of about `blocks` blocks, with defective feeds among its 200, over a queue
 * with three workers, of which one is killed in the middle; verifies and serves it. Prints what
 * each step takes, and writes it into the tables of the documents. A small nation is also built by
 * one process, which must make the same release.
 */
export async function benchNation(blocks: number, folder: string): Promise<void> {
  const stages: Record<string, Costs> = {};
  const inputs = path.join(folder, `inputs-${blocks}`);
  const store = path.join(folder, `nation-${blocks}`);
  const served = await serveAndFetch(blocks, inputs, folder, stages);
  const record = await readRecord();
  const expected = secondsPerBlock(record) * blocks;
  const redis = await startRedis();
  let built: BuiltByQueue;
  try {
    built = await buildByQueue(redis, inputs, store, blocks, expected);
  } finally {
    await redis.stop();
  }
  stages.build = { ...sumOfCosts(built.steps.values()), elapsed: built.elapsed };
  stages.verify = await costsOfCommand('release', 'verify', '--store', store);
  const opened = new FolderStore(store);
  const release = await releaseIn(opened);
  await serve(release, store, folder, blocks);
  await opened.close();
  const { manifest } = release;
  const all = Object.values(manifest.counties);
  const nation: ScaleNation = {
    ...measuredOn(),
    blocks: all.reduce((sum, county) => sum + county.blocks, 0),
    counties: all.length,
    feeds: { served: served.feeds.length, used: manifest.feeds.length },
    leftOut: requireTrueReasons(served, release),
    extractBytes: served.extractBytes,
    pairs: built.pairs,
    stages,
    steps: Object.fromEntries(built.steps),
    peakMegabytes: built.peakMegabytes,
    syncedBytesPerSecond: await syncedBytesPerSecond(folder),
    bytes: bytesByKind(manifest),
  };
  for (const [name, costs] of [...Object.entries(stages), ...built.steps]) {
    figure('nation.step', costs.seconds, 's', { blocks, step: name, ...costs });
  }
  figure('nation.processor_time_a_block', (1e3 * secondsOf(nation)) / nation.blocks, 'ms', {
    blocks: nation.blocks,
    counties: nation.counties,
  });
  figure('nation.peak_memory', built.peakMegabytes, 'MB', { blocks, wanted: 1_000 * MEMORY.build });
  const others = record.nations.filter((one) => one.blocks !== nation.blocks);
  await writeRecord({
    ...record,
    nations: [...others, nation].toSorted((a, b) => a.blocks - b.blocks),
  });
  if (blocks <= ALSO_ALONE) await buildAlone(inputs, store, folder, blocks);
}

/** Makes the inputs, serves them and fetches them, as `tta fetch` does. */
async function serveAndFetch(
  blocks: number,
  out: string,
  folder: string,
  stages: Record<string, Costs>,
): Promise<ServedNation> {
  const mirror = await Mirror.start();
  try {
    let served!: ServedNation;
    stages.generate = await costsHere(async () => {
      served = await serveNation(blocks, mirror, path.join(folder, 'served'));
    });
    const { url } = mirror;
    stages.fetch = await costsHere(async () => {
      await fetchInputs(
        {
          area: { places: [], counties: [], states: [STATE], nation: false },
          out,
          inputs: ['osm', 'census', 'gtfs'],
          gtfs: [],
          overtureRelease: null,
          services: {
            geofabrik: url,
            census: url,
            lodes: url,
            mobility: `${url}${PATHS.catalogue}`,
            overture: url,
          },
          http: { idleMs: 60_000, retryMs: 2 },
        },
        terminalProgress(process.stderr),
      );
    });
    return served;
  } finally {
    await mirror.close();
  }
}

interface BuiltByQueue {
  readonly steps: StepCosts;
  readonly elapsed: number;
  readonly peakMegabytes: number;
  readonly pairs: ScaleNation['pairs'];
}

/** Builds by a queue and three workers, one of which is killed during a unit, half-way. */
async function buildByQueue(
  redis: RedisServer,
  inputs: string,
  store: string,
  blocks: number,
  expected: number,
): Promise<BuiltByQueue> {
  const queue = redis.address();
  const fitting = Math.floor((MEMORY.build * 1e9) / bytesOfUnit(1));
  const units = Math.max(LEAST_UNITS, Math.ceil(blocks / fitting));
  const unitBlocks = ['--unit-blocks', String(Math.ceil(blocks / units))];
  const steps: StepCosts = new Map();
  const pairs = { blocks: 0, pois: 0 };
  const workers: WatchedCommand[] = [];
  const metering: Promise<void>[] = [];
  let [begunUnits, searched] = [0, 0];
  let killed: WatchedCommand | null = null;
  const work = () => {
    const own = ['--store', store, '--workers', '1', '--memory', `${MEMORY.build}GB`];
    const worker = new WatchedCommand(['worker', '--queue', queue, ...own]);
    workers.push(worker);
    let job = '';
    const stepOfWorker = (line: string | null) => {
      if (line === null) return 'others';
      const begun = /^job (\w+)/.exec(line)?.[1];
      if (begun !== undefined) {
        job = begun;
        if (job === 'unit') begunUnits++;
        return 'others';
      }
      const rows = /^search: ([\d,]+) POI rows.*?([\d,]+) reach rows/.exec(line);
      if (rows) {
        searched++;
        pairs.pois += numberOf(rows[1]);
        pairs.blocks += numberOf(rows[2]);
      }
      // Its streets are read, its search is to come.
      if (killed === null && /^stops:/.test(line) && begunUnits >= units / 2) {
        killed = worker;
        process.stderr.write(`nation-${blocks}: killing a worker in unit ${begunUnits}\n`);
        worker.child.kill('SIGKILL');
      }
      return job === 'prepare' ? 'preparation' : stepOf(line);
    };
    metering.push(worker.addCosts(steps, stepOfWorker));
  };
  for (let i = 0; i < WORKERS; i++) work();
  const flags = [...flagsOf(inputs, store), ...unitBlocks, '--queue', queue];
  const build = new WatchedCommand(['build', ...flags]);
  metering.push(build.addCosts(steps, (line) => (line === null ? 'others' : stepOf(line))));
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1_000;
  const reporting = setInterval(() => {
    const { seconds } = sumOfCosts(steps.values());
    const left = (Math.max(0, expected - seconds) * elapsed()) / seconds;
    const rest = seconds > expected / 50 ? `, about ${duration(left)} left` : '';
    process.stderr.write(
      `nation-${blocks}: ${searched} of about ${units} units searched, ${Math.round(seconds)} of about ${Math.round(expected)} s of CPU time in ${duration(elapsed())}${rest}\n`,
    );
  }, REPORT_MS);
  try {
    await build.succeeded();
  } catch (error) {
    throw new Error(`${error}\n${workers.map(({ said }) => said).join('\n')}`);
  } finally {
    clearInterval(reporting);
    for (const worker of workers) await worker.end('SIGTERM');
  }
  await Promise.all(metering);
  if (killed === null) throw new Error('no worker was killed');
  const peakMegabytes = Math.max(...workers.map((worker) => worker.peakMegabytes));
  return { steps, elapsed: elapsed(), peakMegabytes, pairs };
}

function flagsOf(inputs: string, store: string): string[] {
  return ['--inputs', inputs, '--out', store, '--release', 'nation'];
}

/**
 * Builds without a queue, which must give the same release; then again without changes, and the
 * join alone.
 */
async function buildAlone(
  inputs: string,
  store: string,
  folder: string,
  blocks: number,
): Promise<void> {
  const alone = path.join(folder, `alone-${blocks}`);
  const build = async (gigabytes: number) => {
    const own = ['--workers', '1', '--memory', `${gigabytes}GB`];
    const command = new WatchedCommand(['build', ...flagsOf(inputs, alone), ...own]);
    await command.succeeded();
    return command;
  };
  const all = await build(MEMORY.build);
  const [byOne, byMany] = await Promise.all([alone, store].map(manifestIn));
  if (byOne !== byMany) throw new Error(`one process made ${byOne}, ${WORKERS} workers ${byMany}`);
  figure('nation.alone', all.processorSeconds, 's', { blocks, peak_megabytes: all.peakMegabytes });
  const again = await build(MEMORY.build);
  const share = (100 * again.processorSeconds) / all.processorSeconds;
  figure('nation.again_without_changes', share, '%', { blocks, wanted: 2 });
  const receipts = path.join(alone, 'receipts');
  for (const name of await readdir(receipts)) {
    if (JOIN_RECEIPT.test(name)) await rm(path.join(receipts, name));
  }
  const joined = await build(MEMORY.join);
  const aBlock = (1_000 * joined.processorSeconds) / blocks;
  figure('nation.join.processor_time_a_block', aBlock, 'ms', { blocks });
  figure('nation.join.peak_memory', joined.peakMegabytes, 'MB', {
    blocks,
    wanted: 1_000 * MEMORY.join,
  });
}

/** Serves a release; prints the time until it is ready, its memory and its first response. */
async function serve(
  release: Release,
  store: string,
  folder: string,
  blocks: number,
): Promise<void> {
  const ledger = path.join(folder, `ledger-${blocks}`);
  const [key] = await openAccounts(ledger, 1);
  const index = await release.index(Object.values(release.manifest.counties)[0]);
  const block = Array.from({ length: index.count }, (_, i) => i).find((i) => index.isRoutable(i))!;
  const beganMs = performance.now();
  const service = await startService(store, ledger);
  try {
    while (!(await fetch(`${service.address}/v1/ready`)).ok) await pause(POLL_MS);
    const readyMs = performance.now();
    const about = { blocks, processor_seconds: (await costsOf(service.pid, beganMs)).seconds };
    figure('nation.serve.ready', (readyMs - beganMs) / 1_000, 's', about);
    figure('nation.serve.memory', await residentMemory(service.pid, 'VmRSS'), 'MB', { blocks });
    const askedMs = performance.now();
    const geoid = geoidFromNumber(index.geoids[block]);
    const response = await ask(service.address, { path: `/v1/blocks/${geoid}/summary`, key });
    await response.text();
    if (response.status !== 200) throw new Error(`summary of ${geoid}: ${response.status}`);
    figure('nation.serve.first_response', performance.now() - askedMs, 'ms', { blocks });
  } finally {
    await service.stop();
  }
}

/**
 * Counts the feeds that the release leaves out. Throws unless they are those that are bad, each
 * with its true reason.
 */
function requireTrueReasons({ feeds }: ServedNation, { manifest }: Release): number {
  const stated = new Map(statedFeeds(manifest).map((feed) => [feed.file, feed]));
  let leftOut = 0;
  for (const { entry, reason } of feeds) {
    const feed = stated.get(`${entry.id}.zip`);
    const said = feed?.status === 'left-out' ? feed.reason : null;
    if (reason === null ? said !== null : said === null || !reason.test(said)) {
      throw new Error(`${entry.id}: left out because ${said}, and it should be ${reason}`);
    }
    if (reason !== null) leftOut++;
  }
  return leftOut;
}

/** Bytes per second that this machine writes and brings onto its disk. */
async function syncedBytesPerSecond(folder: string): Promise<number> {
  const name = path.join(folder, 'synced');
  const file = await open(name, 'w');
  const piece = randomBytes(SYNCED.piece);
  const began = performance.now();
  for (let i = 0; i < SYNCED.megabytes; i++) await file.write(piece);
  await file.sync();
  const seconds = (performance.now() - began) / 1_000;
  await file.close();
  await rm(name);
  return (SYNCED.megabytes * SYNCED.piece) / seconds;
}

/** Seconds of processor time of a block in the largest nation so far, or else city. */
function secondsPerBlock({ nations, cities }: ScaleRecord): number {
  const largest = nations.at(-1) ?? cities.at(-1)!;
  return secondsOf(largest) / largest.blocks;
}

async function costsHere(work: () => Promise<void>): Promise<Costs> {
  const beganMs = performance.now();
  const before = await costsOf(process.pid, beganMs);
  await work();
  return since(before, await costsOf(process.pid, beganMs));
}

async function costsOfCommand(...args: string[]): Promise<Costs> {
  const command = new WatchedCommand(args);
  await command.succeeded();
  return command.costs();
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
