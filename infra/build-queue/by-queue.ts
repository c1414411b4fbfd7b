import { type BuildRequest, pathsIn } from '../../builder/build-request.ts';
import { exportRelease, refuseReleases } from '../../builder/export/export-release.ts';
import { findExported, publishExports } from '../../builder/export/publish-exports.ts';
import type { TableJob } from '../../builder/export/table-job.ts';
import { type ExportRequest, tableJobsOf } from '../../builder/export/write-tables.ts';
import { type PendingPlan, planRelease } from '../../builder/plan/make-plan.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import { putInputs } from '../../builder/plan/shared-inputs.ts';
import { openPreparationPool } from '../../builder/prepare/preparation-pool.ts';
import type { Progress } from '../../builder/progress.ts';
import { beginLease, endLease, withLease } from '../../builder/publish/leases.ts';
import { PUBLISH_WAIT_MS, withBuildsLocked } from '../../builder/publish/locks.ts';
import { requireStore } from '../../builder/publish/output.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import {
  buildIdOf,
  releaseIdOf,
  type TaskNode,
  tasksIn,
  tasksOf,
} from '../../builder/tasks/task.ts';
import { counted } from '../../shards/number-words.ts';
import type { ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { awaitTasks } from './await-tasks.ts';
import { QueuePreparationPool } from './prepare-by-queue.ts';
import { BuildQueue } from './queue.ts';

/** Maximum wait while another build publishes. */
const PLAN_WAIT_MS: Millis = 60_000;

/** Runs a command with the queue of a store, where workers see that it may add tasks. */
async function asCommand<T>(
  address: string,
  store: WritableStore,
  { note }: Progress,
  work: (queue: BuildQueue) => Promise<T>,
): Promise<T> {
  const queue = await BuildQueue.open(address, store, { note, isCommand: true });
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

/**
 * Plans a release in this process, with workers for its preparation if there are any, copies the
 * inputs that they need into the store, and queues the build's tasks. With `watch`, resolves to
 * true once the release is published; otherwise, resolves to false once the tasks are queued.
 */
export async function buildByQueue(
  request: BuildRequest,
  { queue: address, watch = false }: { readonly queue: string; readonly watch?: boolean },
  store: WritableStore,
  progress: Progress,
): Promise<boolean> {
  await requireStore(store, pathsIn(request));
  return asCommand(address, store, progress, async (queue) => {
    const refusal = (owner: string) =>
      `another build (${owner}) is writing to it; wait for it, or give another --out`;
    const planLocally = async () => {
      const openPool = (plan: PendingPlan) =>
        new QueuePreparationPool(queue, store, plan, openPreparationPool(store, request));
      const receipts = new Receipts(store);
      const planned = await planRelease(request, store, progress, receipts, openPool);
      await putInputs(store, planned.plan.inputs.elevation, planned.pathOf, progress);
      await beginLease(store, releaseIdOf(planned.ref, request), { onWait: progress.note });
      return planned;
    };
    const patience = { ms: PLAN_WAIT_MS, onWait: progress.note };
    const plan = await withBuildsLocked(store, refusal, planLocally, patience);
    const publication = tasksOf(plan, request, request.unitBlocks);
    const units = tasksIn(publication).filter(({ task }) => task.kind === 'unit').length;
    const isNew = await queue.add(publication);
    progress.note(
      `build ${publication.build}: ${counted(units, 'unit')}, ${isNew ? 'queued' : 'already queued'}; it continues without this command, which can be run again to reattach`,
    );
    if (watch) await awaitTasks(queue, publication.build, [publication], progress);
    return watch;
  });
}

/**
 * Exports tables by workers, a task for each table and county, into the store of the release as
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
  return asCommand(address, store, progress, async (queue) => {
    const build = exportIdOf(release);
    const nodes = tableJobsOf(release, request).map((table) => nodeOf(release, table));
    const patience = { onWait: progress.note };
    const performByQueue = async () => {
      for (const node of nodes) await queue.add(node);
      progress.note(`export ${build}: ${counted(nodes.length, 'table')} queued`);
      await awaitTasks(queue, build, nodes, progress);
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
    await withLease(store, build, performByQueue, patience);
    const exported = await withLease(store, build, publish, patience);
    await endLease(store, build);
    return exported;
  });
}

/** Id of the export of a release, whatever its tables. */
function exportIdOf({ latest }: Release): string {
  return buildIdOf(['export', latest.manifest, latest.sha256]);
}

function nodeOf(release: Release, table: TableJob): TaskNode {
  const build = exportIdOf(release);
  const { county, format, geoparquet } = table;
  return {
    id: [build, table.table, county ?? 'all', format, geoparquet].join('-'),
    build,
    task: { kind: 'table', program: programVersion(), latest: release.latest, table },
    after: [],
    memory: 0,
    turn: 0,
  };
}
