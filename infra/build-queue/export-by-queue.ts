import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import { exportRelease, refuseReleases } from '../../builder/export/export-release.ts';
import { findExported, publishExports } from '../../builder/export/publish-exports.ts';
import type { TableJob } from '../../builder/export/table-job.ts';
import { type ExportRequest, tableJobsOf } from '../../builder/export/write-tables.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { Progress } from '../../builder/progress.ts';
import { endLease, withLease } from '../../builder/publish/leases.ts';
import { PUBLISH_WAIT_MS } from '../../builder/publish/locks.ts';
import { counted } from '../../shards/number-words.ts';
import type { ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { BuildQueue, type BuildQueueJob } from './queue.ts';
import type { QueuedTable } from './queued-job.ts';
import { jobOptions } from './submit.ts';
import { retryNotes } from './watch.ts';

const POLL_MS: Millis = 500;
const RECENT_FAILURES = 20;
const ID_DIGITS = 16;

/**
 * Exports tables by workers, one job per table and county, into the store of the release as
 * `publishExports` does, or to `out` as `exportRelease` does. Workers always write to the store,
 * from which files are copied to `out`. If this is run again after it was killed, it finds what
 * workers have done meanwhile.
 */
export async function exportByQueue(
  release: Release,
  request: ExportRequest,
  { queue: address, threads }: { readonly queue: string; readonly threads: number },
  store: WritableStore,
  progress: Progress,
  out: WritableStore | null = null,
): Promise<readonly ExportedTable[]> {
  if (out !== null) await refuseReleases(out);
  const build = buildOf(release);
  const queue = await BuildQueue.open(address, store, progress.note);
  try {
    const patience = { onWait: progress.note };
    const performByQueue = async () => {
      const tables = tableJobsOf(release, request);
      const add = (table: TableJob) => enqueue(queue, release, table);
      const jobs = new Map<string, TableJob>();
      for (const table of tables) jobs.set((await add(table)).id!, table);
      progress.note(`export ${build}: ${counted(jobs.size, 'table')} queued`);
      const stage = progress.start('jobs', jobs.size, 'jobs');
      const waiting = { add, note: progress.note, onDone: (done: number) => stage.at(done) };
      await untilDone(queue, build, jobs, waiting);
      stage.finish();
    };
    // Finds the tables by their receipts, and writes those that the store has lost since.
    const publish = async () => {
      if (out !== null) {
        const find = (table: TableJob) => findExported(release, table, store);
        return exportRelease(release, request, out, progress, threads, find);
      }
      const longPatience = { ms: PUBLISH_WAIT_MS, ...patience };
      return publishExports(release, request, store, progress, threads, longPatience);
    };
    await queue.renew(build);
    // Workers that end when nothing is planned stay even while the lease has to wait.
    await queue.whilePlanning(() => withLease(store, build, performByQueue, patience));
    const exported = await withLease(store, build, publish, patience);
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

/** Queues a table, unless its job is in the queue and not finished. */
async function enqueue(
  { jobs }: BuildQueue,
  release: Release,
  table: TableJob,
): Promise<BuildQueueJob> {
  const build = buildOf(release);
  const { county, format, geoparquet } = table;
  const id = [build, table.table, county ?? 'all', format, geoparquet].join('-');
  const there = await jobs.getJob(id);
  if (there && ((await there.isCompleted()) || (await there.isFailed()))) await there.remove();
  const data: QueuedTable = {
    build,
    program: programVersion(),
    latest: release.latest,
    table,
  };
  return jobs.add('export', data, jobOptions(id));
}

interface Waiting {
  readonly add: (table: TableJob) => Promise<unknown>;
  readonly note: (line: string) => void;
  readonly onDone: (count: number) => void;
}

/**
 * Waits for jobs one after another; `add` queues a job again if the queue has lost it. Notes each
 * reason for a retry once. Throws a `BuildError` that names the table as soon as any job has failed
 * for good, or one that states that the build was cancelled.
 */
async function untilDone(
  queue: BuildQueue,
  build: string,
  tables: ReadonlyMap<string, TableJob>,
  { add, note, onDone }: Waiting,
): Promise<void> {
  const { jobs } = queue;
  const noteRetries = retryNotes(queue, note, ({ id }) => {
    const table = tables.get(id!);
    return table ? nameOf(table) : null;
  });
  let done = 0;
  for (const id of tables.keys()) {
    for (;;) {
      const state = await jobs.getJobState(id);
      await queue.requireUncancelled(build);
      if (state === 'completed') break;
      const failed = state === 'failed' ? [await jobs.getJob(id)] : await recentFailures(jobs);
      for (const job of failed) {
        const failure = job && tables.get(job.id!);
        if (failure) throw new BuildError(`${nameOf(failure)}: ${job.failedReason}`);
      }
      if (state === 'unknown') await addUnknown(jobs, tables, add);
      await noteRetries();
      await pause(POLL_MS);
    }
    onDone(++done);
  }
}

/** Queues all tables again that the queue has lost. */
async function addUnknown(
  jobs: BuildQueue['jobs'],
  tables: ReadonlyMap<string, TableJob>,
  add: Waiting['add'],
): Promise<void> {
  for (const [id, table] of tables) {
    if ((await jobs.getJobState(id)) === 'unknown') await add(table);
  }
}

/**
 * Returns the jobs that failed last, of any build. A job that failed earlier is found once it is
 * waited for.
 */
function recentFailures(jobs: BuildQueue['jobs']): Promise<(BuildQueueJob | undefined)[]> {
  return jobs.getFailed(0, RECENT_FAILURES - 1);
}

function nameOf({ table, county }: TableJob): string {
  return county === null ? `table ${table}` : `table ${table} of county ${county}`;
}
