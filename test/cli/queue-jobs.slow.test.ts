import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BuildError, OutOfMemory, StoreBusy } from '../../builder/errors.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { ReleasePlan } from '../../builder/plan/release-plan.ts';
import { silent } from '../../builder/progress.ts';
import { perform } from '../../builder/tasks/executor.ts';
import { type TaskNode, tasksOf } from '../../builder/tasks/task.ts';
import { BuildQueue, connect } from '../../infra/build-queue/queue.ts';
import { openQueueExecutor } from '../../infra/build-queue/queue-executor.ts';
import { isTransient } from '../../infra/build-queue/retries.ts';
import { openWorker } from '../../infra/build-queue/worker.ts';
import { StoreError } from '../../shards/errors.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA, tta } from '../support/tta.ts';

/** Simulates the threads that run tasks: `work` runs for each task. */
const threads = vi.hoisted(() => ({ work: async () => {}, started: 0 }));
vi.mock('../../builder/threads/pool.ts', async (original) => ({
  ...(await original<object>()),
  openThreads() {
    threads.started++;
    let end = (_: Error) => {};
    const ended = new Promise<never>((_, reject) => {
      end = reject;
    });
    ended.catch(() => {});
    return {
      async run({ port }: { port: MessagePort }) {
        try {
          await Promise.race([threads.work(), ended]);
        } finally {
          port.close();
        }
        return { searched: [], notes: [] };
      },
      async close() {
        end(new Error('the thread was ended'));
      },
    };
  },
}));

const folder = folderOfTests();
let redis: RedisServer;
let databases = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const ref = { name: 'plans/99001-0.json', bytes: 2, sha256: '0'.repeat(64) };
const sketch = { blocks: 9, lon: 0, lat: 0, pairs: 9, near: [] };
const counties = { 99001: sketch, 99003: sketch };
const done = { searched: [], notes: [] };

/** The tasks of a build of a unit for each county. */
function buildOf(release = 'r', of: object = counties): TaskNode {
  const weights = { weights: [], counties: {} };
  const plan = { counties: of, weights, taxonomy: { types: [] } } as unknown as ReleasePlan;
  return tasksOf({ ref, plan }, { release, tiles: false }, 9);
}

/** A store with a queue of its own, and what works on it. */
async function place() {
  const address = redis.address(databases++);
  const store = await ofThisTest(new FolderStore(path.join(folder, String(databases))));
  const queue = await ofThisTest(BuildQueue.open(address, store));
  const noting = () => {
    const notes: string[] = [];
    return { notes, progress: { ...silent, note: (line: string) => void notes.push(line) } };
  };
  return {
    address,
    store,
    queue,
    async command() {
      const { notes, progress } = noting();
      const executor = await ofThisTest(openQueueExecutor(address, store, progress));
      const build = (root = buildOf()) => perform(root, executor, async () => false);
      return { executor, notes, build };
    },
    async worker(memory = 2 ** 30) {
      const { notes, progress } = noting();
      const means = { queue: address, store: store.location, workers: 1, memory, progress };
      return { notes, worker: await ofThisTest(openWorker(means)) };
    },
    /** A worker of BullMQ alone, whose jobs are done by `work`. */
    async plainWorker(work: (job: Job) => unknown) {
      const connection = await connect(address);
      await ofThisTest({ close: async () => connection.disconnect() });
      const perform = async (job: Job) => {
        await work(job);
        return done;
      };
      return ofThisTest(new Worker(queue.jobs.name, perform, { connection }));
    },
  };
}

const unfinished = (queue: BuildQueue) =>
  queue.jobs.getJobCountByTypes('waiting', 'active', 'delayed');

test('a failed build reports why its task failed, and leaves nothing in the queue to be done', async () => {
  const { queue, command, plainWorker } = await place();
  const { build, executor } = await command();
  await plainWorker(() => {
    throw new UnrecoverableError('a feed is no zip');
  });
  await expect(build()).rejects.toThrow(/^a feed is no zip$/);
  await executor.close();
  await expect.poll(() => unfinished(queue)).toBe(0);
});

test('errors of stores, disks and locks are transient; invalid input, missing objects and bugs in the program are not', () => {
  const disk = Object.assign(new Error('no space'), { errno: -28, code: 'ENOSPC' });
  const argument = Object.assign(new TypeError('an argument'), { code: 'ERR_INVALID_ARG_TYPE' });
  const passing = [new StoreError('unavailable', 'pois', 'away'), new StoreBusy('busy'), disk];
  const missing = new StoreError('missing', 'pois', 'is missing');
  const bug = new TypeError('x is undefined');
  const final = [new BuildError('no zip'), missing, bug, argument, undefined];
  expect(passing.map(isTransient)).toEqual([true, true, true]);
  expect(final.map(isTransient)).toEqual([false, false, false, false, false]);
});

test('a worker told to stop returns its job, and another does it', async () => {
  const { queue, command, worker } = await place();
  const { build } = await command();
  const begun = gate();
  threads.work = () => {
    begun.open();
    return new Promise(() => {});
  };
  const building = build();
  const stopped = await worker();
  await begun.isOpen;
  await stopped.worker.close();
  expect(await queue.jobs.getJobCounts('active', 'failed')).toEqual({ active: 0, failed: 0 });
  threads.work = async () => {};
  await worker();
  await building;
});

test('a worker with --until-done and metrics ends after a last scrape, which shows what failed', async () => {
  const { address, store, command, plainWorker } = await place();
  const { build, executor } = await command();
  const failing = await plainWorker(() => {
    throw new UnrecoverableError('a feed is no zip');
  });
  await expect(build()).rejects.toThrow();
  await executor.close();
  await failing.close();
  const flags = ['--queue', address, '--store', store.location, '--metrics-port', '0'];
  const worker = spawn(process.execPath, [TTA, 'worker', '--until-done', ...flags]);
  let said = '';
  for (const pipe of [worker.stdout, worker.stderr]) pipe.on('data', (text) => (said += text));
  const ended = once(worker, 'exit');
  await expect.poll(() => said).toContain('no jobs left; waiting for a last scrape');
  expect(worker.exitCode).toBeNull();
  const [, metrics] = /^metrics on (\S+)/m.exec(said)!;
  // A probe at another path is no scrape.
  expect((await fetch(new URL('/healthz', metrics))).status).toBe(404);
  const scraped = await (await fetch(metrics)).text();
  expect(scraped).toMatch(/^tta_build_jobs\{queue="[^"]+",state="failed"\} [1-9]/m);
  expect((await ended)[0]).toBe(0);
});

test('a worker with --until-done outlasts a Redis that refuses commands', async () => {
  const { queue } = await place();
  const notes: string[] = [];
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  const done = queue.untilDone(600_000, (line) => notes.push(line));
  await redis.cli('config', 'set', 'replica-serve-stale-data', 'no');
  await redis.cli('replicaof', '127.0.0.1', '1');
  await expect.poll(() => notes.join()).toContain('the queue refuses commands; asking again');
  await redis.cli('replicaof', 'no', 'one');
  await queue.jobs.add('stray', {} as never);
  await expect.poll(() => looks.mock.results.at(-1)?.value).toBe(1);
  await queue.jobs.obliterate({ force: true });
  await done;
});

test('a worker with --until-done waits for all commands, and no longer', async () => {
  const { queue, command } = await place();
  const looks = vi.spyOn(queue.jobs, 'getJobCountByTypes');
  let hasEnded = false;
  const planning = await command();
  const done = queue.untilDone().finally(() => {
    hasEnded = true;
  });
  // Another command begins and ends in the meantime.
  await (await command()).executor.close();
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(6);
  expect(hasEnded).toBe(false);
  await planning.executor.close();
  const looksBefore = looks.mock.calls.length;
  await done;
  // The worker looks once a second, and waits for longer than a client takes to reconnect.
  expect(looks.mock.calls.length - looksBefore).toBeLessThan(8);
});

test('a worker with --until-done may wait for a first job', async () => {
  const { address, store, queue } = await place();
  const flags = ['--queue', address, '--store', store.location, '--workers', '1'];
  expect((await tta('worker', '--until-done', ...flags)).code).toBe(0);
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
  await done;
});

test('a worker runs jobs in one thread, and in a new one after a failed job', async () => {
  const { command, worker } = await place();
  const [startedBefore, runIn]: [number, number[]] = [threads.started, []];
  threads.work = async () => {
    runIn.push(threads.started - startedBefore);
    if (runIn.length === 2) throw new StoreBusy('the store is locked');
  };
  const { build } = await command();
  await worker();
  await build();
  expect(runIn).toEqual([1, 1, 2, 2, 2, 2]);
});

test('a job that has lost three workers fails, with its counties and the probable cause', async () => {
  const { queue, command, worker } = await place();
  const { build } = await command();
  const building = build(buildOf('r', { 99001: sketch }));
  building.catch(() => {});
  const connection = await connect(`${redis.address(databases - 1)}`);
  await ofThisTest({ close: async () => connection.disconnect() });
  const lost = await ofThisTest(new Worker(queue.jobs.name, null, { connection, autorun: false }));
  await expect.poll(() => queue.jobs.getWaiting()).toHaveLength(1);
  const unit = (await lost.getNextJob('lost'))!;
  await unit.updateProgress('search 45 % on host-4711');
  // It has lost two workers before, and this one no longer renews its lock.
  await connection.hset(queue.jobs.toKey(unit.id!), 'stc', 2);
  await connection.del(`${queue.jobs.toKey(unit.id!)}:lock`);
  await worker();
  await expect(building).rejects.toThrow(
    'unit of 99001: its worker was killed or cut off 3 times, the last time during search 45 % on host-4711, probably because memory ran out; ',
  );
});

test('a command that ends takes off the queue what no worker has begun, and nothing else', async () => {
  const { queue, command, worker } = await place();
  const { build, executor } = await command();
  const [begun, mayEnd] = [gate(), gate()];
  threads.work = () => {
    begun.open();
    return mayEnd.isOpen;
  };
  build().catch(() => {});
  await worker();
  await begun.isOpen;
  await expect.poll(() => unfinished(queue)).toBe(2);
  await executor.close();
  expect(await queue.jobs.getJobCounts('active', 'waiting')).toEqual({
    active: 1,
    waiting: 0,
  });
  mayEnd.open();
  await expect.poll(() => unfinished(queue)).toBe(0);
});

test('a command takes up the jobs of one that was killed, and adds none twice', async () => {
  const { queue, command, worker } = await place();
  // Never closed, as if it had been killed.
  const killed = await command();
  killed.build().catch(() => {});
  await expect.poll(() => unfinished(queue)).toBe(2);
  const ids = async () => (await queue.jobs.getJobs()).map(({ id }) => id).sort();
  const before = await ids();
  const { build } = await command();
  const building = build();
  expect(await ids()).toEqual(before);
  let runs = 0;
  threads.work = async () => void runs++;
  await worker();
  await building;
  expect(runs).toBe(5);
});

test('a command uploads few inputs at once, whatever number of tasks waits for theirs', async () => {
  const { store, command, worker } = await place();
  const { executor } = await command();
  let [begun, running, most] = [0, 0, 0];
  vi.spyOn(store, 'putContent').mockImplementation(async () => {
    begun++;
    most = Math.max(most, ++running);
    await pause(5);
    running--;
    return 'written';
  });
  const spec = { kind: 'osm', edges: [0, 0, 1, 1], mapped: [] } as const;
  const preparationOf = (name: string): TaskNode => {
    const sha256 = name.padEnd(64, '0');
    const input = { name, sha256, parts: [{ name, bytes: 1, sha256 }] };
    const task = { kind: 'prepare' as const, spec, inputs: [input] };
    return {
      id: name,
      task,
      after: [],
      inputs: [{ input, path: name, stamp: '' }],
      memory: 0,
    };
  };
  threads.work = async () => {};
  await worker();
  const names = Array.from({ length: 16 }, (_, i) => `a${i.toString(16)}`);
  await Promise.all(names.map((name) => executor.run(preparationOf(name))));
  expect([begun, most]).toEqual([16, 4]);
});

test('tasks that fail since the queue cannot be asked may be run again', async () => {
  const { command, worker } = await place();
  const { executor } = await command();
  const task = { kind: 'prepare', spec: { kind: 'elevation', cells: [] }, inputs: [] } as const;
  const node: TaskNode = { id: 'asked-twice', task, after: [], inputs: [], memory: 0 };
  vi.spyOn(Queue.prototype, 'getJobState').mockRejectedValueOnce(new Error('no answer'));
  await expect(executor.run(node)).rejects.toThrow('no answer');
  threads.work = async () => {};
  await worker();
  await executor.run(node);
});

test('a client of the queue reports each outage of the queue once', async () => {
  const own = await ofThisTest(startRedis());
  const notes: string[] = [];
  const store = new FolderStore(folder);
  const queue = await ofThisTest(
    BuildQueue.open(own.address(0), store, { note: (line) => void notes.push(line) }),
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

test('what the queue has lost is added again by the command, also if Redis starts anew without it', async () => {
  const own = await ofThisTest(startRedis());
  const store = await ofThisTest(new FolderStore(path.join(folder, 'flushed')));
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const executor = await ofThisTest(openQueueExecutor(own.address(0), store, progress));
  const queue = await ofThisTest(BuildQueue.open(own.address(0), store));
  const building = perform(buildOf(), executor, async () => false);
  await expect.poll(() => unfinished(queue)).toBe(2);
  for (const times of [1, 2]) {
    await own.cli('flushall');
    await expect.poll(() => notes).toHaveLength(times);
    expect(notes.at(-1)).toBe(`the queue has lost jobs (${times} ×); they are added again`);
    await expect.poll(() => unfinished(queue)).toBe(2);
  }
  await own.cli('flushall');
  await own.kill('SIGKILL');
  await own.restart();
  await expect.poll(() => unfinished(queue)).toBe(2);
  const connection = await connect(own.address(0));
  const order: string[] = [];
  const work = async ({ name }: Job) => {
    order.push(name);
    return done;
  };
  const working = new Worker(queue.jobs.name, work, { connection });
  try {
    await building;
    expect(order).toEqual(['unit', 'unit', 'part', 'states', 'join']);
  } finally {
    await working.close();
    connection.disconnect();
  }
});

test('the unit that takes longest begins first', async () => {
  const { queue, command, plainWorker } = await place();
  // A permutation, since 37 and 61 have no common divisor.
  const pairs = Array.from({ length: 60 }, (_, i) => ((i + 1) * 37) % 61);
  const row = pairs.map((pairs, i) => [`99${100 + i}`, { ...sketch, pairs }] as const);
  const { build } = await command();
  const building = build(buildOf('r', Object.fromEntries(row)));
  await expect.poll(() => queue.jobs.getJobCountByTypes('waiting')).toBe(pairs.length);
  const begun: number[] = [];
  await plainWorker(({ name, data }) => {
    if (name === 'unit') begun.push(pairs[Number(data.task.counties[0]) - 99_100]);
  });
  await building;
  expect(begun).toEqual(begun.toSorted((a, b) => b - a));
  expect(begun).toHaveLength(pairs.length);
});

const runsOf = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.filter((line) => /^job unit .*\)$/.test(line)).length;

test('a task that ran out of memory is tried again on a larger machine only, as soon as there is one', async () => {
  const { command, worker } = await place();
  const { build, notes } = await command();
  const building = build();
  threads.work = async () => {
    throw new OutOfMemory('the heap is full');
  };
  const small = await worker(2 ** 30);
  const retried = /^unit of 9900\d: needs 1,074 MB, more than .*; it will be tried again$/;
  await expect.poll(() => notes.filter((line) => retried.test(line))).toHaveLength(2);
  threads.work = async () => {};
  const equal = await worker(2 ** 30);
  const large = await worker(2 ** 31);
  await building;
  expect([runsOf(small), runsOf(equal), runsOf(large)]).toEqual([2, 0, 2]);
});

test('a task that needs more memory than a worker has is left to a larger worker, and the command says so meanwhile', async () => {
  const { command, worker } = await place();
  threads.work = async () => {};
  const { build, notes } = await command();
  const building = build(buildOf('r', { 99001: sketch, 99003: { ...sketch, blocks: 50_000 } }));
  const small = await worker(2 ** 30);
  const left =
    /^unit of 99003: needs 2,000 MB, more than the 1,074 MB of \S+: run a worker with more/;
  await expect.poll(() => notes).toContainEqual(expect.stringMatching(left));
  const large = await worker(2 ** 32);
  await building;
  expect(small.notes.join('\n')).not.toMatch(/^job unit of 99003/m);
  expect(large.notes.join('\n')).toMatch(/^job unit of 99003/m);
});

test('tasks that a worker leaves again and again do not keep it from those that it has the memory for', async () => {
  const { queue, worker } = await place();
  threads.work = async () => {};
  const [{ task }] = buildOf().after;
  const add = (memory: number) =>
    queue.jobs.add('unit', { program: programVersion(), task, memory });
  const large = await Promise.all(Array.from({ length: 8 }, () => add(2 ** 31)));
  const { notes } = await worker(2 ** 30);
  const startsOf = async (id: string) => (await queue.jobs.getJob(id))!.attemptsStarted;
  // Waits that are too long by a fifth of the time between renewals of locks meet one in five.
  await expect.poll(() => startsOf(large[0].id!)).toBeGreaterThan(6);
  expect(notes.join('\n')).not.toContain('could not renew lock');
  const small = await add(0);
  await expect.poll(() => small.getState()).toBe('completed');
});

test('a worker of another version of the program leaves a job to others, and goes on', async () => {
  const { queue, command, worker } = await place();
  const { notes } = await worker();
  const [unit] = buildOf().after;
  const data = { program: 'another', task: unit.task, memory: 0 };
  const job = await queue.jobs.add('unit', data);
  const left = `job ${job.id} is left: was queued by another version of the program, another, than that of`;
  await expect.poll(() => notes.join('\n')).toContain(left);
  threads.work = async () => {};
  await (await command()).build();
  expect(await job.getState()).toMatch(/delayed|waiting|active/);
  await job.updateData({ ...data, program: programVersion() });
  await expect.poll(() => job.getState()).toBe('completed');
});

test('a command reports once why its tasks are to be tried again, and that there are no workers', async () => {
  const { command, worker } = await place();
  const { build, notes } = await command();
  let runs = 0;
  threads.work = async () => {
    if (runs++ < 4) throw new StoreError('unavailable', 'pois', 'is away');
  };
  const building = build();
  const alone = expect.stringMatching(/^no worker is connected; start some: tta worker /);
  await expect.poll(() => notes).toContainEqual(alone);
  await worker();
  await building;
  for (const county of ['99001', '99003']) {
    const lines = notes.filter((line) => line.startsWith(`unit of ${county}: pois: is away`));
    expect(lines).toEqual([expect.stringContaining('; it will be tried again')]);
  }
});

function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
}
