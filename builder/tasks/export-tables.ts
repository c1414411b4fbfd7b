import type { ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { exportRelease, refuseReleases } from '../export/export-release.ts';
import { findExported, publishExports } from '../export/publish-exports.ts';
import type { TableJob } from '../export/tables.ts';
import { type ExportRequest, tableJobsOf } from '../export/write-tables.ts';
import type { Progress } from '../progress.ts';
import { withBuildsLocked } from '../publish/locks.ts';
import type { Executor } from './executor.ts';
import { idOf, type TaskNode } from './task.ts';

/**
 * Exports tables by an executor, a task for each table and county, into the store of the release as
 * `publishExports` does, or to `out` as `exportRelease` does. Tasks write to the store, from which
 * files are copied to `out`. Tables are then found by their receipts; those that the store has lost
 * since are written by `threads` of this process.
 */
export async function exportTablesBy(
  executor: Executor,
  release: Release,
  request: ExportRequest,
  store: WritableStore,
  progress: Progress,
  threads: number,
  out: WritableStore | null = null,
): Promise<readonly ExportedTable[]> {
  if (out !== null) await refuseReleases(out);
  const nodes = tableJobsOf(release, request).map((table) => nodeOf(release, table));
  const refusal = (owner: string) =>
    `another build (${owner}) is writing to it; wait until it is done`;
  await withBuildsLocked(store, refusal, () =>
    Promise.all(nodes.map((node) => executor.run(node))),
  );
  if (out === null) return publishExports(release, request, store, progress, threads);
  const find = (table: TableJob) => findExported(release, table, store);
  return exportRelease(release, request, out, progress, threads, find);
}

function nodeOf({ latest }: Release, table: TableJob): TaskNode {
  const { table: name, county, format, geoparquet } = table;
  const id = [idOf(['export', latest.sha256]), name, county ?? 'all', format, geoparquet].join('-');
  const task = { kind: 'table' as const, latest, table };
  return { id, task, after: [], inputs: [], memory: 0 };
}
