import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import { publishExports } from '../../builder/export/publish-exports.ts';
import type { TableJob } from '../../builder/export/table-job.ts';
import { type ExportRequest, tableJobsOf } from '../../builder/export/write-tables.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { Progress } from '../../builder/progress.ts';
import { endLease, withLease } from '../../builder/publish/leases.ts';
import { counted } from '../../shards/number-words.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ServedExport } from '../../shards/release/served-exports.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { BuildQueue, type BuildQueueJob } from './queue.ts';
import { type QueuedTable, storeNameOf } from './queued-job.ts';
import { jobOptions } from './submit.ts';

const POLL_MS: Millis = 500;
const ID_DIGITS = 16;

/**
 * Exports tables into the store of their release, as `publishExports` does, by workers: a job a
 * table and county. Run again after it was killed, it finds what they have done meanwhile.
 */
export async function exportByQueue(
  release: Release,
  request: ExportRequest,
  { queue: address, threads }: { readonly queue: string; readonly threads: number },
  store: WritableStore,
  progress: Progress,
): Promise<readonly ServedExport[]> {
  const build = buildOf(release);
  const queue = await BuildQueue.open(address, progress.note);
  try {
    const exported = await withLease(store, build, async () => {
      const tables = tableJobsOf(release, request);
      const jobs = await queue.whilePlanning(async () => {
        const queued: BuildQueueJob[] = [];
        for (const table of tables) queued.push(await enqueue(queue, store, release, table));
        return queued;
      });
      progress.note(`export ${build}: ${counted(jobs.length, 'table')} queued`);
      const stage = progress.start('jobs', jobs.length, 'jobs');
      for (const [i, job] of jobs.entries()) {
        await untilDone(queue, job, () => enqueue(queue, store, release, tables[i]));
        stage.at(i + 1);
      }
      stage.finish();
      // Finds them by their receipts, and writes what the store has lost since.
      return publishExports(release, request, store, progress, threads);
    });
    await endLease(store, build);
    return exported;
  } finally {
    await queue.close();
  }
}

/** Id of the export of a release, whatever its tables. */
function buildOf({ latest }: Release): string {
  const digest = createHash('sha256').update(`export ${latest.manifest} ${latest.sha256}`);
  return digest.digest('hex').slice(0, ID_DIGITS);
}

/** Queues a table, unless it is in the queue and not finished. */
async function enqueue(
  { jobs }: BuildQueue,
  store: WritableStore,
  release: Release,
  table: TableJob,
): Promise<BuildQueueJob> {
  const build = buildOf(release);
  const id = [build, table.table, table.county ?? 'all', table.format].join('-');
  const there = await jobs.getJob(id);
  if (there && ((await there.isCompleted()) || (await there.isFailed()))) await there.remove();
  const data: QueuedTable = {
    build,
    storeName: storeNameOf(store),
    program: programVersion(),
    latest: release.latest,
    table,
  };
  return jobs.add('export', data, jobOptions(id));
}

/** Waits for a job; `again` queues it again if the queue has lost it. */
async function untilDone(
  queue: BuildQueue,
  { id }: BuildQueueJob,
  again: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const state = await queue.jobs.getJobState(id!);
    if (state === 'completed') return;
    if (state === 'failed') throw new BuildError(await queue.failureOf(id!));
    if (state === 'unknown') await again();
    await pause(POLL_MS);
  }
}
