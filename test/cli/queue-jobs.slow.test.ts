import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BuildError, StoreBusy } from '../../builder/errors.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { ReleasePlan } from '../../builder/plan/release-plan.ts';
import type { JobResult } from '../../builder/prepare/preparation.ts';
import { silent } from '../../builder/progress.ts';
import { withWritesExcluded } from '../../builder/publish/leases.ts';
import { putObject } from '../../builder/publish/put-object.ts';
import { type TaskNode, tasksOf } from '../../builder/tasks/task.ts';
import { awaitTasks } from '../../infra/build-queue/await-tasks.ts';
import { QueuePreparationPool } from '../../infra/build-queue/prepare-by-queue.ts';
import { BuildQueue, connect } from '../../infra/build-queue/queue.ts';
import { isTransient } from '../../infra/build-queue/retries.ts';
import { openWorker } from '../../infra/build-queue/worker.ts';
import { StoreError } from '../../shards/errors.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA, tta } from '../support/tta.ts';

/** Simulates the threads that run tasks: `work` runs for each task. */
const threads = vi.hoisted(() => ({ work: async () => {}, started: 0, ended: 0 }));
vi.mock('../../builder/threads/pool.ts', async (original) => ({
  ...(await original<object>()),
  openThreads() {
    threads.started++;
    return {
      async run({ port }: { port: MessagePort }) {
        try {
          await threads.work();
        } finally {
          port.close();
        }
        return { searched: [], notes: [] };
      },
      close: async () => void threads.ended++,
    };
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
const counties = { 99001: sketch, 99003: sketch };

/** The tasks of a build of two units by a plan. */
function buildOf(stored = ref, release = 'r', of: object = counties): TaskNode {
  return tasksOf({ ref: stored, plan: { counties: of } as ReleasePlan }, { release }, 9);
}

/** Queues a build of two units. */
async function submit(queue: BuildQueue, stored = ref, release = 'r'): Promise<TaskNode> {
  const root = buildOf(stored, release);
  await queue.add(root);
  return root;
}

/** Runs a queued build of two units, whose jobs are done by `work`. */
async function done(database: number, work: (kind: string) => void) {
  const queue = await BuildQueue.open(redis.address(database), anyStore);
  const reads = vi.spyOn(queue.jobs, 'getJobs');
  const connection = await connect(redis.address(database));
  const root = await submit(queue);
  reads.mockClear();
  const worker = new Worker(queue.name, async ({ name }) => work(name), { connection });
  const ended: number[] = [];
  const stage = { at: (jobs: number) => void ended.push(jobs), finish: () => {} };
  const progress = { ...silent, start: () => stage };
  try {
    await awaitTasks(queue, root.build, [root], progress);
    return { ended, states: reads.mock.calls.map(([states]) => states) };
  } finally {
    await worker.close();
    connection.disconnect();
    await queue.close();
  }
}

test('watching a build reports progress, and reads no job of other finished builds', async () => {
  const { ended, states } = await done(1, () => {});
  expect(ended.at(-1)).toBe(4);
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
  await submit(queue, stored, 'r');
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
  const { id: root } = await submit(queue, await storedPlan(store), 'r');
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
  // The same build, repaired, takes the place of what failed.
  await done(6, () => {});
  expect(await queue.jobs.getJobCountByTypes('failed')).toBe(0);
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
  await redis.cli('config', 'set', 'replica-serve-stale-data', 'no');
  await redis.cli('replicaof', '127.0.0.1', '1');
  await expect.poll(() => notes.join()).toContain('the queue refuses commands; asking again');
  await redis.cli('replicaof', 'no', 'one');
  await queue.jobs.add('stray', {} as never);
  await expect.poll(() => queue.jobs.getJobCountByTypes('waiting')).toBe(1);
  await queue.jobs.obliterate({ force: true });
  await done;
});

test('a worker with --until-done waits for all builds that are being planned, and no longer', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(7), anyStore));
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  let hasEnded = false;
  const command = () => BuildQueue.open(redis.address(7), anyStore, { isCommand: true });
  const planning = await command();
  const done = queue.untilDone().finally(() => {
    hasEnded = true;
  });
  // Another plan begins and ends in the meantime.
  await (await command()).close();
  await expect.poll(() => looks.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(6);
  expect(hasEnded).toBe(false);
  const looksBefore = looks.mock.calls.length;
  await planning.close();
  expect(await done).toBeNull();
  // The worker looks once a second, and waits for longer than a client takes to reconnect.
  expect(looks.mock.calls.length - looksBefore).toBeLessThan(8);
});

/** A worker on a store, and the lines that it reports. */
async function workerOn(database: number, store: string, memory = 2 ** 30) {
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const means = { workers: 1, memory, progress };
  const worker = await ofThisTest(openWorker({ queue: redis.address(database), store, ...means }));
  return { worker, notes };
}

test('a job whose plan has been removed fails for good, and the worker goes on with the next build', async () => {
  threads.work = async () => {};
  const store = await ofThisTest(new FolderStore(path.join(folder, 'collected')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(8), store));
  const collected = await storedPlan(store);
  await store.remove(collected.name);
  const lost = await submit(queue, collected, 'lost');
  const preparation = { ...ref, name: 'plans/job-0.json' };
  const build = 'b'.repeat(16);
  const task = { kind: 'prepare', job: preparation } as const;
  const early = await queue.jobs.add('prepare', { build, task, memory: 0 });
  const { worker, notes } = await workerOn(8, store.location);
  await expect.poll(() => queue.untilDone()).toMatch(/failed: plans\/\S+ has been removed from/);
  expect(await (await queue.jobs.getJob(lost.id))!.getState()).toBe('failed');
  expect(await early.getState()).toBe('failed');
  expect(notes.join('\n')).toMatch(
    /has been removed from \S+; run the command that queued the job again/,
  );
  await storedPlan(store);
  const { id: root } = await submit(queue, collected, 'next');
  await expect.poll(async () => (await queue.jobs.getJob(root))!.getState()).toBe('completed');
  expect(await Promise.race([worker.gaveUp, 'works'])).toBe('works');
  expect(await queue.untilDone()).toBeNull();
});

test('a worker runs jobs in one thread, in a new one after a failed job, and in none once all are done', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'one-thread')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(15), store));
  const request = { release: 'r', tiles: false, directions: ['from'] };
  const common = { kind: 'unit', plan: await storedPlan(store), request };
  const data = {
    build: 'd'.repeat(16),
    task: { ...common, counties: ['99001'] },
    memory: 0,
  };
  const jobs = await Promise.all([1, 2, 3, 4].map(() => queue.jobs.add('unit', data as never)));
  const [startedBefore, endedBefore] = [threads.started, threads.ended];
  const runIn: number[] = [];
  threads.work = async () => {
    runIn.push(threads.started - startedBefore);
    if (runIn.length === 2) throw new BuildError('a feed is no zip');
  };
  await workerOn(15, store.location);
  const states = () => Promise.all(jobs.map((job) => job.getState()));
  await expect.poll(states).toEqual(['completed', 'failed', 'completed', 'completed']);
  expect(runIn).toEqual([1, 1, 2, 2]);
  await expect.poll(() => threads.ended - endedBefore).toBe(2);
});

test('a worker refuses stray jobs of another version and bad ones of its own, names them, and goes on', async () => {
  threads.work = async () => {};
  const store = await ofThisTest(new FolderStore(path.join(folder, 'versions')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(13), store));
  const latest = { manifest: 'manifests/r-0.json', sha256: ref.sha256 };
  const table = { table: 'later', county: null, format: 'later', geoparquet: '9.9' };
  const add = (program: string) => {
    const task = { kind: 'table', program, table, latest, later: true };
    return queue.jobs.add('table', { build: 'c'.repeat(16), task } as never);
  };
  const [other, wrong] = [await add('another version'), await add(programVersion())];
  const ofOtherPlan = await storedPlan(store, 'another version');
  await submit(queue, ofOtherPlan, 'other');
  const good = await submit(queue, await storedPlan(store), 'r');
  const { worker, notes } = await workerOn(13, store.location);
  await expect.poll(async () => (await queue.jobs.getJob(good.id))!.getState()).toBe('completed');
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
      const { id: root, build } = await submit(queue, stored);
      return { queue, build, state: async () => (await queue.jobs.getJob(root))!.getState() };
    }),
  );
  expect(builds[0].build).toBe(builds[1].build);
  await workerOn(16, stores[1].location);
  await expect.poll(builds[1].state).toBe('completed');
  expect(await builds[0].state()).toBe('waiting-children');
  const noted: string[] = [];
  for (const { queue } of builds) await queue.noteOthers((line) => void noted.push(line));
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
    await submit(queue);
    return queue;
  };
  const before = await open();
  await rm(store.location, { recursive: true });
  const after = await open();
  const noted: string[] = [];
  for (const queue of [before, after]) await queue.noteOthers((line) => void noted.push(line));
  const at = store.location;
  expect(noted).toEqual([
    `4 jobs of this queue are for the store ${at} as it was created anew after this worker began; start the worker again`,
    `4 jobs of this queue are for another store that was at ${at} before, or is there on another machine; workers with this one cannot run such jobs`,
  ]);
});

test('a job that has lost three workers fails, with its counties and the probable cause', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'fatal')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(17), store));
  const stored = await storedPlan(store);
  const { id: root } = await submit(queue, stored, 'r');
  const [unit] = await queue.jobs.getPrioritized();
  await unit.updateProgress({ worker: 'host-4711', stage: 'search 45 %' });
  const tried: number[] = [];
  threads.work = async () => {
    tried.push(1);
  };
  const lost = (times: number) =>
    redis.cli('-n', '17', 'hset', queue.jobs.toKey(unit.id!), 'stc', String(times));
  await lost(3);
  const { notes } = await workerOn(17, store.location);
  const { task } = unit.data;
  const own = task.kind === 'unit' ? task.counties.join(', ') : '';
  const cause = `unit of ${own} for r of build ${unit.data.build}: its worker was killed or cut off 3 times, the last time on host-4711 during search 45 %, probably because memory ran out; `;
  await expect.poll(async () => (await queue.jobs.getJob(root))!.getState()).toBe('failed');
  expect(await queue.failureOf(root)).toContain(cause);
  expect(notes.join('\n')).toContain(`job ${unit.id} is refused: ${cause}`);
  expect(await queue.untilDone()).toContain(cause);
});

test('cancelling a build removes its jobs except the one in progress, and no job of another build', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'cancelled')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(9), store));
  const stored = await storedPlan(store);
  const { build } = await submit(queue, stored, 'a');
  const begun = gate();
  const mayEnd = gate();
  threads.work = () => {
    begun.open();
    return mayEnd.isOpen;
  };
  const { worker } = await workerOn(9, store.location);
  await begun.isOpen;
  const other = await submit(queue, stored, 'b');
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
  expect(await (await queue.jobs.getJob(other.id))!.getState()).toBe('completed');
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
  const root = await submit(queue, stored);
  const awaited = awaitTasks(queue, root.build, [root], silent).catch(({ message }) => message);
  const at = ['--queue', redis.address(14), '--store', store.location];
  const { code } = await tta('worker', ...at, '--cancel', root.build);
  expect([code, await awaited]).toEqual([0, 'the build was cancelled']);
  expect(await queue.jobs.getJobs()).toEqual([]);
  threads.work = async () => {};
  await submit(queue, stored);
  await workerOn(14, store.location);
  await awaitTasks(queue, root.build, [root], silent);
});

test('a job of a queue that is gone is not taken for one that is running', async () => {
  const queue = await BuildQueue.open(redis.address(12), anyStore);
  const { id } = await submit(queue);
  await queue.close();
  await expect(queue.removeUnlessBegun(id)).rejects.toThrow(/[Cc]onnection/);
});

test('a preparation takes up the job that a killed command left for the same plan', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'killed')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(10), store));
  const spec = { kind: 'osm-nodes', edges: [0, 0, 1, 1], from: 0, to: 1 } as const;
  const job = { spec, paths: [], key: 'b'.repeat(64), memory: 9, work: 1 };
  const pending = { key: 'a'.repeat(64), inputAt: () => expect.unreachable() };
  const poolWith = (width: number, run: () => Promise<JobResult>) =>
    new QueuePreparationPool(queue, store, pending, { width, run, close: async () => {} });
  // Never closed, as if it had been killed.
  poolWith(0, () => expect.unreachable())
    .run(job, () => {})
    .catch(() => {});
  const ids = async () => (await queue.jobs.getJobs()).map(({ id }) => id);
  await expect.poll(ids).toHaveLength(1);
  const [left] = await ids();
  const again = poolWith(1, async () => ({ value: 'here', notes: [], isKept: false }));
  const running = again.run(job, () => {});
  await expect.poll(ids).not.toContain(left);
  expect(await running).toMatchObject({ value: 'here' });
  await again.close();
});

test('a client of the queue reports each outage of the queue once', async () => {
  const own = await ofThisTest(startRedis());
  const notes: string[] = [];
  const queue = await ofThisTest(
    BuildQueue.open(own.address(0), anyStore, { note: (line) => void notes.push(line) }),
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

test('a build that the queue has lost is queued again by the command that waits, for which workers with --until-done stay', async () => {
  const own = await ofThisTest(startRedis());
  const store = await ofThisTest(new FolderStore(path.join(folder, 'flushed')));
  const command = await BuildQueue.open(own.address(0), store, { isCommand: true });
  const worker = await ofThisTest(BuildQueue.open(own.address(0), store));
  const root = await submit(command);
  let hasEnded = false;
  const done = worker.untilDone().finally(() => {
    hasEnded = true;
  });
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const awaiting = awaitTasks(command, root.build, [root], progress);
  const unfinished = () => worker.jobs.getJobCountByTypes('waiting-children', 'prioritized');
  for (const times of [1, 2]) {
    await own.cli('flushall');
    await expect.poll(() => notes).toHaveLength(times);
    expect(notes.at(-1)).toBe('the queue has lost the build; queuing it again');
    await expect.poll(unfinished).toBe(4);
  }
  // A Redis that starts again without what it held.
  await own.cli('flushall');
  await own.kill('SIGKILL');
  await own.restart();
  await expect.poll(unfinished, { timeout: 20_000 }).toBe(4);
  expect(hasEnded).toBe(false);
  const connection = await connect(own.address(0));
  const order: string[] = [];
  const working = new Worker(worker.name, async ({ name }) => void order.push(name), {
    connection,
  });
  try {
    await awaiting;
    expect(order).toEqual(['unit', 'unit', 'join', 'publish']);
    await command.close();
    expect(await done).toBeNull();
  } finally {
    await working.close();
    connection.disconnect();
  }
});

test('the unit that takes longest begins first, and adding it again changes nothing', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(20), anyStore));
  // A permutation, since 37 and 61 have no common divisor.
  const pairs = Array.from({ length: 60 }, (_, i) => ((i + 1) * 37) % 61);
  const row = pairs.map((pairs, i) => [`99${100 + i}`, { ...sketch, pairs }] as const);
  const root = buildOf(ref, 'r', Object.fromEntries(row));
  expect(await queue.add(root)).toBe(true);
  expect(await queue.add(root)).toBe(false);
  expect(await queue.jobs.getJobCountByTypes('prioritized')).toBe(pairs.length);
  const begun: number[] = [];
  const connection = await connect(redis.address(20));
  const work = async ({ data }: { data: { task: { counties?: readonly string[] } } }) => {
    const [county] = data.task.counties ?? [];
    if (county) begun.push(pairs[Number(county) - 99_100]);
  };
  const worker = new Worker(queue.name, work, { connection });
  try {
    await awaitTasks(queue, root.build, [root], silent);
    expect(begun).toEqual(begun.toSorted((a, b) => b - a));
    expect(begun).toHaveLength(pairs.length);
  } finally {
    await worker.close();
    connection.disconnect();
  }
});

test('a task that ran out of memory is tried again on a larger machine only, as soon as there is one', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'memory')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(21), store));
  const root = await submit(queue, await storedPlan(store));
  threads.work = async () => {
    throw Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  };
  const small = await workerOn(21, store.location, 2 ** 30);
  const runsOf = ({ notes }: { notes: readonly string[] }) =>
    notes.filter((line) => /^job unit .* of build \S+$/.test(line)).length;
  const leastAttempts = async () => {
    const delayed = await queue.jobs.getDelayed();
    return delayed.length < 2 ? 0 : Math.min(...delayed.map(({ attemptsMade }) => attemptsMade));
  };
  await expect.poll(leastAttempts, { timeout: 20_000 }).toBeGreaterThan(1);
  expect(runsOf(small)).toBe(2);
  threads.work = async () => {};
  const equal = await workerOn(21, store.location, 2 ** 30);
  const large = await workerOn(21, store.location, 2 ** 31);
  await awaitTasks(queue, root.build, [root], silent);
  expect([runsOf(small), runsOf(equal), runsOf(large)]).toEqual([2, 0, 2]);
});

test('a task that needs more memory than a worker has is left to a larger worker, if there is one', async () => {
  const store = await ofThisTest(new FolderStore(path.join(folder, 'large')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(22), store));
  threads.work = async () => {};
  const stored = await storedPlan(store);
  const large = { ...sketch, blocks: 50_000 };
  const root = buildOf(stored, 'r', { 99001: sketch, 99003: large });
  const workers = await Promise.all(
    [2 ** 30, 2 ** 32].map((memory) => workerOn(22, store.location, memory)),
  );
  await queue.add(root);
  await awaitTasks(queue, root.build, [root], silent);
  expect(workers[0].notes.join('\n')).not.toMatch(/^job unit of 99003/m);
  expect(workers[1].notes.join('\n')).toMatch(/^job unit of 99003/m);
  await workers[1].worker.close();
  const alone = buildOf(stored, 'alone', { 99003: large });
  await queue.add(alone);
  await awaitTasks(queue, alone.build, [alone], silent);
  expect(workers[0].notes.join('\n')).toMatch(/^job unit of 99003 for alone/m);
});

test('a command that watches a build reports once why its jobs are to be tried again', async () => {
  const memory = Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  let runs = 0;
  threads.work = async () => {
    runs++;
    throw memory;
  };
  const store = await ofThisTest(new FolderStore(path.join(folder, 'retried')));
  const queue = await ofThisTest(BuildQueue.open(redis.address(14), store));
  const root = await submit(queue, await storedPlan(store), 'retried');
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const watching = awaitTasks(queue, root.build, [root], progress).catch(() => 'ended');
  const { worker } = await workerOn(14, store.location);
  const retried = /^unit of 9900\d: out of memory; use smaller units .*; it will be tried again$/;
  await expect.poll(() => notes).toContainEqual(expect.stringMatching(retried));
  const failedTwice = async () => {
    const delayed = await queue.jobs.getDelayed();
    return delayed.filter(({ attemptsMade }) => attemptsMade > 1).length;
  };
  await expect.poll(failedTwice).toBe(2);
  await worker.close();
  // Each unit has run once: no worker has more memory than this one.
  expect(runs).toBe(2);
  await queue.cancel(root.build);
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
