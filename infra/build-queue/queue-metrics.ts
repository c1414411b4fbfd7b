import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { addFamily } from '../observe/metric-family.ts';
import { type BuildQueue, UNFINISHED_STATES } from './queue.ts';

/** A queue that does not respond within this time counts as unavailable, and gives no samples. */
const TIMEOUT_MS = 3_000;
/** Jobs of each state that are read; one that is taken over is the next. */
const JOBS_READ = 50;

export function queueMetrics({ jobs }: BuildQueue): Registry {
  const registry = new Registry();
  // Each store has a queue of its own, and several may share a Redis.
  const queue = jobs.name;
  collectDefaultMetrics({ register: registry });
  const inTime = <T>(reading: Promise<T>) => Promise.race([reading, pause(TIMEOUT_MS, null)]);
  addFamily(registry, {
    name: 'tta_build_jobs',
    help: 'Build jobs in the queue by state, including those that finished since the last command began, in the last week.',
    type: 'gauge',
    async samples() {
      const read = await inTime(jobs.getJobCounts(...UNFINISHED_STATES, 'completed', 'failed'));
      return Object.entries(read ?? {}).map(([state, value]) => ({
        labels: { queue, state },
        value,
      }));
    },
  });
  addFamily(registry, {
    name: 'tta_build_takeovers',
    help: 'How often a job has been taken over from a worker that ended: the most of those in progress or next.',
    type: 'gauge',
    async samples() {
      const read = await inTime(jobs.getJobs(['active', 'waiting'], 0, JOBS_READ - 1, true));
      // A job that has been removed meanwhile is undefined.
      const takeovers = read?.map((job) => job?.stalledCounter ?? 0);
      return takeovers ? [{ labels: { queue }, value: Math.max(0, ...takeovers) }] : [];
    },
  });
  return registry;
}
