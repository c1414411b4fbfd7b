import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { silent } from '../../builder/progress.ts';
import { exportTablesBy } from '../../builder/tasks/export-tables.ts';
import { BuildQueue, type BuildQueueJob, connect } from '../../infra/build-queue/queue.ts';
import { openQueueExecutor } from '../../infra/build-queue/queue-executor.ts';
import { pauseAfterMs } from '../../infra/build-queue/retries.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { commandsOfTests, TTA } from '../support/tta.ts';

/** The smaller county of the demo city. */
const COUNTY = '99003';
const folder = folderOfTests();
const at = (name: string) => path.join(folder, name);
const started = new Set<Running>();
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  for (const store of ['threads', 'queue']) {
    await cp(inject('demoStore'), at(store), { recursive: true });
    await rm(path.join(at(store), 'exports'), { recursive: true, force: true });
  }
});
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await redis.stop();
});

interface Running {
  readonly child: ChildProcess;
  said: string;
}

function start(...args: string[]): Running {
  const child = spawn(process.execPath, [TTA, ...args]);
  const running = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      running.said += text;
    });
  }
  started.add(running);
  return running;
}

async function killed({ child }: Running): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Exports every table of the smaller county; those of the other would add no case. */
const exported = (store: string) => ['export', '--store', at(store), '--county', COUNTY];
const queued = () => [...exported('queue'), '--queue', redis.address()];
const work = () =>
  start('worker', '--store', at('queue'), '--queue', redis.address(), '--workers', '1');

/** Exported objects in base64 by name, without files that a killed worker left half-written. */
async function exportsIn(store: string): Promise<Record<string, string>> {
  const objects = await new FolderStore(at(store)).list('exports/');
  const contents = objects.map(async ({ name }) => {
    const bytes = await readFile(path.join(at(store), name));
    return [name, bytes.toString('base64')];
  });
  return Object.fromEntries(await Promise.all(contents));
}

test('workers export what threads do, byte for byte, though a worker is killed, and the command too', async () => {
  expect(await tta(...exported('threads'), '--workers', '2')).toMatchObject({ code: 0 });
  const first = start(...queued());
  const doomed = work();
  await expect.poll(() => doomed.said).toMatch(/^job table reach/m);
  await killed(doomed);
  await killed(first);
  expect(await readdir(path.join(at('queue'), 'exports'))).not.toContainEqual(
    expect.stringMatching(/\.json$/),
  );
  const workers = [work(), work()];
  const again = await tta(...queued());
  expect(again.code, again.stderr).toBe(0);
  expect(again.stdout).toMatch(/for the API to serve/);
  const expected = await exportsIn('threads');
  const files = await readdir(path.join(at('threads'), 'exports'));
  expect(files.map((file) => `exports/${file}`).sort()).toEqual(Object.keys(expected));
  const got = await exportsIn('queue');
  expect(Object.keys(got)).toEqual(Object.keys(expected));
  for (const name of Object.keys(expected)) expect(got[name] === expected[name], name).toBe(true);
  // On a busy machine one worker may start after the other has done everything.
  expect(workers.map(({ said }) => said).join('')).toMatch(/^job table/m);
  expect(await tta(...queued())).toMatchObject({ code: 0 });
});

test('the command fails with the first table that fails, and names it, while earlier ones are in progress', async () => {
  const address = redis.address(1);
  const store = await ofThisTest(new FolderStore(at('queue')));
  const release = await releaseIn(store);
  const request = {
    tables: ['nearest', 'weights'],
    counties: [COUNTY],
    format: 'parquet',
  } as const;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = async ({ data }: BuildQueueJob) => {
    if (data.task.kind === 'table' && data.task.table.table === 'weights')
      throw new UnrecoverableError('disk full');
    await ended;
    return { searched: [], notes: [] };
  };
  const connection = await connect(address);
  const executor = await ofThisTest(openQueueExecutor(address, store, silent));
  const { jobs } = await ofThisTest(BuildQueue.open(address, store));
  const worker = new Worker(jobs.name, work, { connection, concurrency: 2 });
  try {
    const exported = exportTablesBy(executor, release, request, store, silent, 1);
    await expect(exported).rejects.toThrow('table weights of county 99003: disk full');
  } finally {
    end();
    await worker.close();
    connection.disconnect();
  }
});

test('the command reports once why a table keeps failing transiently', async () => {
  const address = redis.address(3);
  const store = await ofThisTest(new FolderStore(at('queue')));
  const release = await releaseIn(store);
  const request = { tables: ['types'], counties: [], format: 'parquet' } as const;
  const notes: string[] = [];
  const retried = () => notes.filter((line) => line.includes('the disk is full'));
  const work = async () => {
    if (retried().length === 0) throw new Error('the disk is full');
    return { searched: [], notes: [] };
  };
  const connection = await connect(address);
  const settings = { backoffStrategy: pauseAfterMs };
  const progress = { ...silent, note: (line: string) => void notes.push(line) };
  const executor = await ofThisTest(openQueueExecutor(address, store, progress));
  const { jobs } = await ofThisTest(BuildQueue.open(address, store));
  const worker = new Worker(jobs.name, work, { connection, settings });
  try {
    await exportTablesBy(executor, release, request, store, progress, 1);
    expect(retried()).toEqual(['table types: the disk is full; it will be tried again']);
  } finally {
    await worker.close();
    connection.disconnect();
  }
});

/** Starts an export, and waits until its only table is in the queue. */
async function queueTable(queue: string) {
  const flags = ['--queue', queue, '--store', at('queue')];
  const waiting = start('export', ...flags, '--tables', 'types');
  const store = await ofThisTest(new FolderStore(at('queue')));
  const { jobs } = await ofThisTest(BuildQueue.open(queue, store));
  await expect.poll(() => jobs.count()).toBe(1);
  return { waiting, jobs };
}

test('a signal ends an export, and takes its tables off the queue', async () => {
  const { waiting, jobs } = await queueTable(redis.address(4));
  const ended = once(waiting.child, 'exit');
  waiting.child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await jobs.getJobs()).toEqual([]);
});

test('garbage collection refuses while tables are queued', async () => {
  const { waiting } = await queueTable(redis.address(5));
  const refused = await tta('release', 'gc', '--store', at('queue'));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/a build \(process \d+\) is writing to it; wait until it is done/),
  ]);
  await killed(waiting);
});

test('a store of releases is refused as --out before any table is queued', async () => {
  const refused = start(...queued(), '--out', at('threads'));
  await expect.poll(() => refused.said).toContain('is a store of releases');
});

test('with --out, the files of workers are copied, equal those of threads, and are not served', async () => {
  const counties = ['--county', COUNTY, '--tables', 'nearest,blocks,places', '--geoparquet', '2.0'];
  const store = at('unserved');
  await cp(inject('demoStore'), store, { recursive: true });
  await rm(path.join(store, 'exports'), { recursive: true, force: true });
  const whole = at('whole');
  expect(await tta('export', '--store', store, '--out', whole, ...counties)).toMatchObject({
    code: 0,
  });
  const flags = ['--store', store, '--queue', redis.address(2)];
  const worker = start('worker', ...flags, '--workers', '1');
  const copy = at('copy');
  expect(await tta('export', ...flags, '--out', copy, ...counties)).toMatchObject({ code: 0 });
  expect(worker.said).toMatch(/^job table nearest/m);
  const list = (folder: string) => readFile(path.join(folder, 'release=demo/SHA256SUMS'), 'utf8');
  expect(await list(copy)).toBe(await list(whole));
  expect(await tta('export', 'verify', copy)).toMatchObject({ code: 0 });
  const served = await readdir(path.join(store, 'exports'));
  expect(served.length).toBeGreaterThan(0);
  expect(served.filter((name) => name.endsWith('.json'))).toEqual([]);
});
