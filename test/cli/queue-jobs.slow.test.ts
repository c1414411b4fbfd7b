import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { jobsOf } from '../../builder/build-jobs.ts';
import { BuildError } from '../../builder/errors.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { ReleasePlan, StoredPlan } from '../../builder/plan/release-plan.ts';
import { silent } from '../../builder/progress.ts';
import { withWritesExcluded } from '../../builder/publish/leases.ts';
import { StoreBusy } from '../../builder/publish/locks.ts';
import { putObject } from '../../builder/publish/put-object.ts';
import { JobRunner } from '../../infra/build-queue/job-runner.ts';
import { QueuePreparationPool } from '../../infra/build-queue/prepare-by-queue.ts';
import {
  BuildQueue,
  connect,
  queueName,
  removeIfUnstarted,
} from '../../infra/build-queue/queue.ts';
import type { Queued, QueuedJob } from '../../infra/build-queue/queued-job.ts';
import { isTransient } from '../../infra/build-queue/retries.ts';
import { submitBuild } from '../../infra/build-queue/submit.ts';
import { watchBuild } from '../../infra/build-queue/watch.ts';
import { openWorker } from '../../infra/build-queue/worker.ts';
import { StoreError } from '../../shards/errors.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA, tta } from '../support/tta.ts';

/**
 * Simulates the threads that run jobs: `work` runs for each job, which is then reported done or
 * failed.
 */
const threads = vi.hoisted(() => {
  const crash: (error: Error) => void = () => {};
  return { work: async () => {}, started: 0, ended: 0, crash };
});
vi.mock('node:worker_threads', async (original) => ({
  ...(await original<object>()),
  Worker: class extends EventEmitter {
    constructor() {
      super();
      threads.started++;
      threads.crash = (error) => void this.emit('error', error);
    }
    postMessage() {
      threads.work().then(
        () => this.emit('message', { kind: 'done', result: { searched: [], notes: [] } }),
        ({ message }) => this.emit('message', { kind: 'failed', message, isFinal: true }),
      );
    }
    terminate() {
      threads.ended++;
    }
  },
}));

const folder = folderOfTests();
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const anyStore = new FolderStore(folder);
const ref = { name: 'plans/99001-0.json', bytes: 2, sha256: '0'.repeat(64) };
const sketch = { blocks: 9, lon: 0, lat: 0, pairs: 9, near: [] };
const plan = { ref, plan: { counties: { 99001: sketch, 99003: sketch } } } as unknown as StoredPlan;

/** Runs a queued build of two units, whose jobs are done by `work`. */
async function done(database: number, work: (kind: string) => void) {
  const queue = await BuildQueue.open(redis.address(database), anyStore);
  const reads = vi.spyOn(queue.jobs, 'getJobs');
  const connection = await connect(redis.address(database));
  const jobs = jobsOf(plan, 9);
  const submitted = await submitBuild(queue, ref, { release: 'r' }, jobs);
  reads.mockClear();
  const worker = new Worker(await queueName(anyStore), async ({ name }) => work(name), {
    connection,
  });
  const ended: number[] = [];
  const stage = { at: (jobs: number) => void ended.push(jobs), finish: () => {} };
  const progress = { ...silent, start: () => stage };
  try {
    const watched = await watchBuild(queue, { ...submitted, units: jobs.units.length }, progress);
    return { watched, ended, states: reads.mock.calls.map(([states]) => states) };
  } finally {
    await worker.close();
    connection.disconnect();
    await queue.close();
  }
}

test('watching a build reports progress, and reads no job of other finished builds', async () => {
  const { watched, ended, states } = await done(1, () => {});
  expect(watched).toBe('done');
  expect(ended.at(-1)).toBe(3);
  expect(new Set(states.flat())).toEqual(new Set(['active', 'delayed']));
});

test('a failed build reports why the job at the root of the failure failed', async () => {
  const bad = (kind: string) => {
    if (kind === 'unit') throw new UnrecoverableError('a feed is no zip');
  };
  await expect(done(2, bad)).rejects.toThrow(/^a feed is no zip$/);
});

test('errors of stores, disks and locks are transient; invalid input and bugs in the program are not', () => {
  const disk = Object.assign(new Error('no space'), { errno: -28, code: 'ENOSPC' });
  const argument = Object.assign(new TypeError('an argument'), { code: 'ERR_INVALID_ARG_TYPE' });
  const passing = [new StoreError('unavailable', 'pois', 'away'), new StoreBusy('busy'), disk];
  const final = [new BuildError('no zip'), new TypeError('x is undefined'), argument, undefined];
  expect(passing.map(isTransient)).toEqual([true, true, true]);
  expect(final.map(isTransient)).toEqual([false, false, false, false]);
});

test('a worker told to stop while it fetches a job starts nothing and returns the job', async () => {
  const store = new FolderStore(folder);
  const stored = await storedPlan(store);
  const [asked, answered] = [gate(), gate()];
  const read = store.readRange;
  vi.spyOn(FolderStore.prototype, 'readRange').mockImplementation(async function (
    this: FolderStore,
    ...range
  ) {
    asked.open();
    await answered.isOpen;
    return read.apply(this, range);
  });
  const queue = await BuildQueue.open(redis.address(3), store);
  await submitBuild(queue, stored, { release: 'r' }, jobsOf(plan, 9));
  const notes: string[] = [];
  const worker = await openWorker({
    queue: redis.address(3),
    store: folder,
    workers: 1,
    memory: 2 ** 30,
    progress: { ...silent, note: (line) => void notes.push(line) },
  });
  try {
    await asked.isOpen;
    const closed = worker.close();
    answered.open();
    await closed;
    expect(notes).toEqual([]);
    expect(await Promise.race([worker.gaveUp, 'ended'])).toBe('ended');
    expect(await queue.jobs.getJobCounts('active', 'failed')).toEqual({ active: 0, failed: 0 });
  } finally {
    vi.restoreAllMocks();
    await queue.close();
  }
});

/** Stores an empty plan, by default of this program. */
function storedPlan(store: FolderStore, program = programVersion()) {
  const inputs = {
    osm: [],
    blocks: [],
    population: [],
    places: [],
    pois: [],
    elevation: [],
    weights: [],
    addresses: [],
    gtfs: [],
  };
  const empty: ReleasePlan = {
    program,
    modes: ['walk'],
    taxonomy: { version: '1', types: [] },
    parameters: {},
    service_date: null,
    inputs,
    blocks: {},
    osm: {
      files: ref,
      cells: {},
      wide: [],
      map: { overview: {}, detail: {}, wide: [] },
      unmapped: [],
    },
    pois: {},
    places: {},
    feeds: [],
    feeds_left_out: [],
    feed_licences: {},
    weights: { weights: [], counties: {} },
    addresses: null,
    counties: {},
  };
  return putObject(store, 'plans/none', 'json', Buffer.from(JSON.stringify(empty)));
}

test('nothing is cleared away between two jobs of a build, whose lease lasts until publication', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'leased')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(5), store));
  const { root } = await submitBuild(
    queue,
    await storedPlan(store),
    { release: 'r' },
    jobsOf(plan, 9),
  );
  const clear = () => withWritesExcluded(store, async () => 'cleared');
  for (const left of [3, 2, 1, 0]) {
    const [begun, mayEnd] = [gate(), gate()];
    threads.work = () => {
      begun.open();
      return mayEnd.isOpen;
    };
    const worker = await openWorker({
      queue: redis.address(5),
      store: store.location,
      workers: 1,
      memory: 2 ** 30,
      progress: silent,
    });
    await Promise.race([begun.isOpen, worker.gaveUp.then((why) => expect.unreachable(why))]);
    // A worker told to stop during a job accepts no other.
    const closed = worker.close();
    mayEnd.open();
    await closed;
    const counts = await queue.jobs.getJobCounts('completed', 'failed');
    expect(counts).toEqual({ completed: 4 - left, failed: 0 });
    if (left > 0) await expect(clear()).rejects.toThrow(StoreBusy);
  }
  expect(await (await queue.jobs.getJob(root))!.getState()).toBe('completed');
  expect(await clear()).toBe('cleared');
});

test('a worker with --until-done stops with the reason of a failed build, until another is queued after it', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(6), anyStore));
  const workUntilDone = () =>
    tta('worker', '--until-done', '--queue', redis.address(6), '--store', folder, '--workers', '1');
  expect((await workUntilDone()).code).toBe(0);
  await expect(
    done(6, (kind) => {
      if (kind === 'unit') throw new UnrecoverableError('a feed is no zip');
    }),
  ).rejects.toThrow();
  const failed = await workUntilDone();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^tta: build [0-9a-f]{16} failed: a feed is no zip$/m);
  // The same build, repaired: earlier builds that failed do not affect it.
  await done(6, () => {});
  expect(await queue.jobs.getJobCountByTypes('failed')).toBeGreaterThan(0);
  expect((await workUntilDone()).code).toBe(0);
});

test('a worker with --until-done and metrics ends when a scrape has shown why', async () => {
  await expect(
    done(18, (kind) => {
      if (kind === 'unit') throw new UnrecoverableError('a feed is no zip');
    }),
  ).rejects.toThrow();
  const place = ['--queue', redis.address(18), '--store', folder, '--metrics-port', '0'];
  const worker = spawn(process.execPath, [TTA, 'worker', '--until-done', ...place]);
  let said = '';
  for (const pipe of [worker.stdout, worker.stderr]) pipe.on('data', (text) => (said += text));
  const ended = once(worker, 'exit');
  await expect.poll(() => said).toContain('a feed is no zip; waiting for a last scrape');
  expect(worker.exitCode).toBeNull();
  const [, address] = /^metrics on (\S+)/m.exec(said)!;
  // A probe at another path is no scrape.
  expect((await fetch(new URL('/healthz', address))).status).toBe(404);
  const scraped = await (await fetch(address)).text();
  expect(scraped).toMatch(/^tta_build_jobs\{state="failed"\} [1-9]/m);
  expect((await ended)[0]).toBe(1);
});

test('a worker with --until-done outlasts a Redis that refuses commands', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(19), anyStore));
  const notes: string[] = [];
  const done = queue.untilDone(60_000, (line) => notes.push(line));
  await redis.cli('replicaof', '127.0.0.1', '1');
  await expect.poll(() => notes.join()).toContain('the queue refuses commands; asking again');
  await redis.cli('replicaof', 'no', 'one');
  await queue.whilePlanning(async () => {});
  await queue.jobs.add('stray', {} as never);
  await expect.poll(() => queue.jobs.getJobCountByTypes('waiting')).toBe(1);
  await queue.jobs.obliterate({ force: true });
  await done;
});

test('a worker with --until-done waits for all builds that are being planned, and no longer', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(7), anyStore));
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  let hasEnded = false;
  const ended = await queue.whilePlanning(async () => {
    const done = queue.untilDone().finally(() => {
      hasEnded = true;
    });
    // Another plan begins and ends in the meantime.
    await queue.whilePlanning(async () => {});
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(2);
    return { done, early: hasEnded };
  });
  expect(ended.early).toBe(false);
  const looksBefore = looks.mock.calls.length;
  expect(await ended.done).toBeNull();
  // The worker looks once a second: the key of the plan is removed, and need not expire.
  expect(looks.mock.calls.length - looksBefore).toBeLessThan(4);
});

/** A worker on a store, and the lines that it reports. */
async function workerOn(database: number, store: string) {
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const means = { workers: 1, memory: 2 ** 30, progress };
  const worker = await ofThisTest(openWorker({ queue: redis.address(database), store, ...means }));
  return { worker, notes };
}

test('a job whose plan has been removed fails for good, and the worker goes on with the next build', async () => {
  threads.work = async () => {};
  const store = await ofThisTest(new FolderStore(path.join(folder, 'collected')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(8), store));
  const collected = await storedPlan(store);
  await store.remove(collected.name);
  const lost = await submitBuild(queue, collected, { release: 'lost' }, jobsOf(plan, 9));
  const preparation = { ...ref, name: 'plans/job-0.json' };
  const build = 'b'.repeat(16);
  const early = await queue.jobs.add('prepare', { build, preparation });
  const { worker, notes } = await workerOn(8, store.location);
  await expect.poll(() => queue.untilDone()).toMatch(/failed: plans\/\S+ has been removed from/);
  expect(await (await queue.jobs.getJob(lost.root))!.getState()).toBe('failed');
  expect(await early.getState()).toBe('failed');
  expect(notes.join('\n')).toMatch(
    /has been removed from \S+; run the command that queued the job again/,
  );
  await storedPlan(store);
  const { root } = await submitBuild(queue, collected, { release: 'next' }, jobsOf(plan, 9));
  await expect.poll(async () => (await queue.jobs.getJob(root))!.getState()).toBe('completed');
  expect(await Promise.race([worker.gaveUp, 'works'])).toBe('works');
  expect(await queue.untilDone()).toBeNull();
});

test('a worker runs jobs in one thread, in a new one after a failed job, and in none once all are done', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'one-thread')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(15), store));
  const data = {
    build: 'd'.repeat(16),
    plan: await storedPlan(store),
    request: { release: 'r', tiles: false, directions: ['from'] },
    job: { kind: 'unit', counties: ['99001'] },
  };
  const jobs = await Promise.all([1, 2, 3, 4].map(() => queue.jobs.add('unit', data as never)));
  const [startedBefore, endedBefore] = [threads.started, threads.ended];
  const runIn: number[] = [];
  threads.work = async () => {
    runIn.push(threads.started - startedBefore);
    if (runIn.length === 2) throw new Error('a feed is no zip');
  };
  await workerOn(15, store.location);
  const states = () => Promise.all(jobs.map((job) => job.getState()));
  await expect.poll(states).toEqual(['completed', 'failed', 'completed', 'completed']);
  expect(runIn).toEqual([1, 1, 2, 2]);
  await expect.poll(() => threads.ended - endedBefore).toBe(2);
});

test('a thread that crashes fails the job in progress, and none between jobs', async () => {
  const means = { folder, workers: 1, memory: 2 ** 30 };
  const runner = new JobRunner({ store: folder, ...means });
  const run = () => runner.run({} as Queued, () => {});
  const before = threads.started;
  threads.work = async () => {};
  await run();
  threads.crash(new TypeError('x is undefined'));
  await run();
  expect(threads.started - before).toBe(2);
  threads.work = () => new Promise(() => {});
  const running = run();
  threads.crash(new TypeError('y is undefined'));
  await expect(running).rejects.toThrow(/y is undefined/);
  threads.work = async () => {};
  await run();
  expect(threads.started - before).toBe(3);
  await runner.end();
});

test('a worker refuses stray jobs of another version and bad ones of its own, names them, and goes on', async () => {
  threads.work = async () => {};
  const store = await ofThisTest(new FolderStore(path.join(folder, 'versions')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(13), store));
  const latest = { manifest: 'manifests/r-0.json', sha256: ref.sha256 };
  const table = { table: 'later', county: null, format: 'later', geoparquet: '9.9' };
  const job = { build: 'c'.repeat(16), table, latest, later: true };
  const add = (program: string) => queue.jobs.add('export', { ...job, program } as never);
  const [other, wrong] = [await add('another version'), await add(programVersion())];
  const ofOtherPlan = await storedPlan(store, 'another version');
  await submitBuild(queue, ofOtherPlan, { release: 'other' }, jobsOf(plan, 9));
  const good = await submitBuild(queue, await storedPlan(store), { release: 'r' }, jobsOf(plan, 9));
  const { worker, notes } = await workerOn(13, store.location);
  await expect.poll(async () => (await queue.jobs.getJob(good.root))!.getState()).toBe('completed');
  expect([await other.getState(), await wrong.getState()]).toEqual(['failed', 'failed']);
  const made = 'was made by another version, a different version of the program from this one';
  expect(notes.join('\n')).toContain(
    `job ${other.id} is refused: job ${other.id}: program: ${made}`,
  );
  expect(notes.join('\n')).toMatch(`is refused: ${ofOtherPlan.name}: program: ${made}`);
  expect(await Promise.race([worker.gaveUp, 'works'])).toBe('works');
});

test('builds of two stores by one Redis leave each other alone, even of the same plan', async () => {
  threads.work = async () => {};
  const stores = await Promise.all(
    ['store-a', 'store-b'].map((name) => ofThisTest(new FolderStore(path.join(folder, name)))),
  );
  const builds = await Promise.all(
    stores.map(async (store) => {
      const queue = await ofThisTest(BuildQueue.open(redis.address(16), store));
      const stored = await storedPlan(store);
      const { root, build } = await submitBuild(queue, stored, { release: 'r' }, jobsOf(plan, 9));
      return { queue, build, state: async () => (await queue.jobs.getJob(root))!.getState() };
    }),
  );
  expect(builds[0].build).toBe(builds[1].build);
  await workerOn(16, stores[1].location);
  await expect.poll(builds[1].state).toBe('completed');
  expect(await builds[0].state()).toBe('waiting-children');
  const noted: string[] = [];
  for (const { queue } of builds) {
    await queue.whilePlanning(async () => {});
    await queue.noteOthers((line) => void noted.push(line));
  }
  expect(noted).toEqual([
    expect.stringContaining(
      `4 jobs of this queue are for workers with the store ${stores[0].location}; `,
    ),
  ]);
  await workerOn(16, stores[0].location);
  await expect.poll(builds[0].state).toBe('completed');
});

test('workers are told what to do when a store has been created anew at its location', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'anew')));
  const open = async () => {
    const queue = await ofThisTest(BuildQueue.open(redis.address(19), store));
    await queue.whilePlanning(async () => {});
    await queue.jobs.add('none', {} as never);
    return queue;
  };
  const before = await open();
  await rm(store.location, { recursive: true });
  const after = await open();
  const noted: string[] = [];
  for (const queue of [before, after]) await queue.noteOthers((line) => void noted.push(line));
  const at = store.location;
  expect(noted).toEqual([
    `1 job of this queue is for the store ${at} as it was created anew after this worker began; start the worker again`,
    `1 job of this queue is for another store that was at ${at} before, or is there on another machine; workers with this one cannot run such jobs`,
  ]);
});

test('a job that has lost three workers fails, with its counties and the probable cause', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'fatal')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(17), store));
  const stored = await storedPlan(store);
  const { root } = await submitBuild(queue, stored, { release: 'r' }, jobsOf(plan, 9));
  const [unit] = await queue.jobs.getWaiting();
  await unit.updateProgress({ worker: 'host-4711', stage: 'search 45 %' });
  const tried: number[] = [];
  threads.work = async () => {
    tried.push(1);
  };
  const lost = (times: number) =>
    redis.cli('-n', '17', 'hset', queue.jobs.toKey(unit.id!), 'stc', String(times));
  await lost(3);
  const { notes } = await workerOn(17, store.location);
  const { job } = unit.data as QueuedJob;
  const counties = 'counties' in job ? job.counties.join(', ') : '';
  const cause = `unit of ${counties} for r of build ${unit.data.build}: its worker was killed or cut off 3 times, the last time on host-4711 during search 45 %, probably because memory ran out; `;
  await expect.poll(async () => (await queue.jobs.getJob(root))!.getState()).toBe('failed');
  expect(await queue.failureOf(root)).toContain(cause);
  expect(notes.join('\n')).toContain(`job ${unit.id} is refused: ${cause}`);
  expect(await queue.untilDone()).toContain(cause);
});

test('cancelling a build removes its jobs except the one in progress, and no job of another build', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'cancelled')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(9), store));
  const stored = await storedPlan(store);
  const { build } = await submitBuild(queue, stored, { release: 'a' }, jobsOf(plan, 9));
  const begun = gate();
  const mayEnd = gate();
  threads.work = () => {
    begun.open();
    return mayEnd.isOpen;
  };
  const { worker } = await workerOn(9, store.location);
  await begun.isOpen;
  const other = await submitBuild(queue, stored, { release: 'b' }, jobsOf(plan, 9));
  const at = ['--queue', redis.address(9), '--store', store.location];
  const cancelled = await tta('worker', ...at, '--cancel', build);
  expect([cancelled.code, cancelled.stdout]).toEqual([
    0,
    `build ${build}: 3 jobs removed from the queue\n`,
  ]);
  const running = await tta('worker', ...at, '--cancel', build);
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('are running')]);
  mayEnd.open();
  expect(await queue.untilDone()).toBeNull();
  expect(await (await queue.jobs.getJob(other.root))!.getState()).toBe('completed');
  const left = await queue.jobs.getJobs(['completed', 'failed']);
  expect(left.filter(({ data }) => data.build === build).map(({ name }) => name)).toEqual(['unit']);
  const again = await tta('worker', ...at, '--cancel', build);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no job of build')]);
  expect(await Promise.race([worker.gaveUp, 'works'])).toBe('works');
});

test('a command that waits for a build ends once it is cancelled, and the build may be queued again', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'awaited')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(14), store));
  const stored = await storedPlan(store);
  const submit = () => submitBuild(queue, stored, { release: 'r' }, jobsOf(plan, 9));
  const submitted = await submit();
  const watched = watchBuild(queue, { ...submitted, units: 2 }, silent).catch(
    ({ message }) => message,
  );
  const at = ['--queue', redis.address(14), '--store', store.location];
  const { code } = await tta('worker', ...at, '--cancel', submitted.build);
  expect([code, await watched]).toEqual([0, 'the build was cancelled']);
  expect(await queue.jobs.getJobs()).toEqual([]);
  threads.work = async () => {};
  const again = await submit();
  await workerOn(14, store.location);
  expect(await watchBuild(queue, { ...again, units: 2 }, silent)).toBe('done');
});

test('a job of a queue that is gone is not taken for one that is running', async () => {
  const queue = await BuildQueue.open(redis.address(12), anyStore);
  const preparation = { ...ref, name: 'plans/job-0.json' };
  const job = await queue.jobs.add('prepare', { build: 'a', preparation });
  await queue.close();
  await expect(removeIfUnstarted(job)).rejects.toThrow(/[Cc]onnection/);
});

test('a preparation removes the jobs that a killed command left for the same plan', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'killed')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(10), store));
  const preparation = { ...ref, name: 'plans/job-0.json' };
  const [same, other] = ['a', 'b'].map((digit) => digit.repeat(16));
  for (const build of [same, same, other]) {
    await queue.jobs.add('prepare', { build, preparation });
  }
  const local = { width: 1, run: () => expect.unreachable(), close: async () => {} };
  const pending = { key: same.repeat(4), inputAt: () => expect.unreachable() };
  const pool = new QueuePreparationPool(queue, store, pending, local);
  const left = async () => (await queue.jobs.getJobs()).map(({ data }) => data.build);
  await expect.poll(left).toEqual([other]);
  await pool.close();
});

test('a client of the queue reports each outage of the queue once', async () => {
  const own = await ofThisTest(startRedis());
  const notes: string[] = [];
  const queue = await ofThisTest(
    BuildQueue.open(own.address(0), anyStore, (line) => void notes.push(line)),
  );
  for (const times of [1, 2]) {
    await own.kill('SIGKILL');
    await expect.poll(() => notes.length).toBe(times);
    expect(notes.at(-1)).toMatch(/^queue: .*; waiting for it to come back$/);
    await own.restart();
    await queue.jobs.count();
  }
  expect(notes).toHaveLength(2);
});

test('a worker with --until-done may wait for a first job', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(11), anyStore));
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  let hasEnded = false;
  const done = queue.untilDone(60_000).finally(() => {
    hasEnded = true;
  });
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(2);
  expect(hasEnded).toBe(false);
  const job = await queue.jobs.add('none', {} as never);
  await expect.poll(() => looks.mock.results.at(-1)?.value).toBe(1);
  await job.remove();
  expect(await done).toBeNull();
});

test('a worker with --until-done notices that the queue came back with an older snapshot', async () => {
  const own = await ofThisTest(startRedis());
  const queue = await ofThisTest(BuildQueue.open(own.address(0), anyStore));
  const notes: string[] = [];
  const job = await queue.jobs.add('none', {} as never);
  const done = queue.untilDone(0, (line) => void notes.push(line));
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(1);
  // After a restart, Redis has only what it has saved until now.
  await own.cli('config', 'set', 'appendonly', 'no');
  const before = looks.mock.calls.length;
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(before + 2);
  await own.kill('SIGKILL');
  await own.restart();
  await expect.poll(() => notes).toEqual([expect.stringMatching(/^the queue has lost data/)]);
  await job.remove();
  expect(await done).toBeNull();
});

test('a worker with --until-done waits for a build to be queued again when the queue has lost its data', async () => {
  const own = await ofThisTest(startRedis());
  const queue = await ofThisTest(BuildQueue.open(own.address(0), anyStore));
  const notes: string[] = [];
  let hasEnded = false;
  await queue.jobs.add('none', {} as never);
  const done = queue
    .untilDone(0, (line) => void notes.push(line))
    .finally(() => {
      hasEnded = true;
    });
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  await expect.poll(() => looks.mock.results.at(-1)?.value).toBe(1);
  const redisClient = await connect(own.address(0));
  await redisClient.flushall();
  redisClient.disconnect();
  await expect.poll(() => notes).toEqual([expect.stringMatching(/^the queue has lost data/)]);
  const looksAtLoss = looks.mock.calls.length;
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(looksAtLoss + 2);
  expect(hasEnded).toBe(false);
  const again = await queue.jobs.add('none', {} as never);
  await expect.poll(() => looks.mock.results.at(-1)?.value).toBe(1);
  await again.remove();
  expect(await done).toBeNull();
  expect(notes).toHaveLength(1);
});

test('a worker with --until-done stays while a planner finds its build lost, and may queue it again', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(12), anyStore));
  const store = await ofThisTest(new FolderStore(path.join(folder, 'watched')));
  const { root, build } = await submitBuild(
    queue,
    await storedPlan(store),
    { release: 'watched' },
    jobsOf(plan, 9),
  );
  let hasEnded = false;
  const { done } = await queue.whilePlanning(async () => {
    const done = queue.untilDone().finally(() => {
      hasEnded = true;
    });
    const watching = watchBuild(queue, { build, root, units: 1 }, silent);
    await queue.removeUnstarted(() => true);
    expect(await watching).toBe('lost');
    const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(2);
    expect(hasEnded).toBe(false);
    return { done };
  });
  expect(await done).toBeNull();
});

test('a command that watches a build reports once why its jobs are to be tried again', async () => {
  const memory = Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  threads.work = () => {
    setImmediate(threads.crash, memory);
    return new Promise(() => {});
  };
  const store = await ofThisTest(new FolderStore(path.join(folder, 'retried')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(14), store));
  const stored = await storedPlan(store);
  const jobs = jobsOf(plan, 9);
  const { root, build } = await submitBuild(queue, stored, { release: 'retried' }, jobs);
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const watching = watchBuild(queue, { build, root, units: 2 }, progress).catch(() => 'ended');
  const { worker } = await workerOn(14, store.location);
  const retried = /^unit of 9900\d: out of memory; use smaller units .*; it will be tried again$/;
  await expect.poll(() => notes).toContainEqual(expect.stringMatching(retried));
  const failedTwice = async () => {
    const delayed = await queue.jobs.getDelayed();
    return delayed.filter(({ attemptsMade }) => attemptsMade > 1).length;
  };
  await expect.poll(failedTwice).toBe(2);
  await worker.close();
  await queue.cancel(build);
  expect(await watching).toBe('ended');
  expect(notes.filter((line) => line.includes('will be tried again'))).toHaveLength(1);
});

function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
}
