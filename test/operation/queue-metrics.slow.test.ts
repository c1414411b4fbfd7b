import { UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { silent } from '../../builder/progress.ts';
import { BuildQueue } from '../../infra/build-queue/queue.ts';
import { openQueueExecutor } from '../../infra/build-queue/queue-executor.ts';
import { queueMetrics } from '../../infra/build-queue/queue-metrics.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const folder = folderOfTests();
const redis = ofTests(() => startRedis());

test('workers report how often the next job has been taken over from others, also with many jobs behind it', async () => {
  const queue = await ofThisTest(BuildQueue.open(redis.address(), new FolderStore(folder)));
  const registry = queueMetrics(queue);
  const takeovers = async () =>
    /^tta_build_takeovers\{queue="[^"]+"\} (\d+)$/m.exec(await registry.metrics())?.[1];
  expect(await takeovers()).toBe('0');
  for (let i = 0; i < 120; i++) {
    // The contents of a job do not matter here.
    await queue.jobs.add('unit', {} as never, { jobId: `unit-${i}` });
  }
  expect(await takeovers()).toBe('0');
  const client = new Redis(redis.port, '127.0.0.1');
  // As when a worker dies: the job returns to the head of the queue.
  const taken = await client.rpop(`bull:${queue.jobs.name}:wait`);
  await client.hset(`bull:${queue.jobs.name}:${taken}`, 'stc', 4);
  await client.rpush(`bull:${queue.jobs.name}:wait`, taken!);
  expect(await takeovers()).toBe('4');
  await client.rpop(`bull:${queue.jobs.name}:wait`);
  await client.lpush(`bull:${queue.jobs.name}:active`, taken!);
  expect(await takeovers()).toBe('4');
  client.disconnect();
});

test('workers report failed jobs until the next command', async () => {
  const client = new Redis(redis.port, '127.0.0.1', { db: 1, maxRetriesPerRequest: null });
  const queue = await ofThisTest(BuildQueue.open(redis.address(1), new FolderStore(folder)));
  const registry = queueMetrics(queue);
  const failed = async () =>
    /^tta_build_jobs\{queue="[^"]+",state="failed"\} (\d+)$/m.exec(await registry.metrics())?.[1];
  const work = async ({ name }: { name: string }) => {
    if (name === 'bad') throw new UnrecoverableError('a feed is no zip');
  };
  const worker = await ofThisTest(new Worker(queue.jobs.name, work, { connection: client }));
  worker.on('error', () => {});
  const finished = async (name: string, jobId: string) => {
    await queue.jobs.add(name, {} as never, { jobId });
    await expect.poll(async () => (await queue.jobs.getJob(jobId))?.finishedOn).toBeGreaterThan(0);
  };
  await finished('good', 'first');
  expect(await failed()).toBe('0');
  await finished('bad', 'second');
  await finished('bad', 'third');
  expect(await failed()).toBe('2');
  const store = new FolderStore(folder);
  await ofThisTest(openQueueExecutor(redis.address(1), store, silent));
  expect(await failed()).toBe('0');
  await finished('bad', 'fourth');
  expect(await failed()).toBe('1');
  client.disconnect();
});
