import { ShardError } from '../../shards/errors.ts';
import { EXPORT_EXTENSIONS, type ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import {
  encodeServedExports,
  readServedExports,
  type ServedExport,
  servedExportSchema,
  servedExportsName,
} from '../../shards/release/served-exports.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Progress } from '../progress.ts';
import { whileBuilding } from '../publish/output.ts';
import { putArchive } from '../publish/put-archive.ts';
import { Receipts } from '../receipts/receipts.ts';
import type { TableJob } from './table-job.ts';
import { type ExportRequest, keyOf, writeTables } from './write-tables.ts';

/** Distinguishes their receipts from those of a release's parts. */
const PLACE = 'exports';

/**
 * Exports tables into the store of their release, for the API to serve, and returns all that are
 * there now. Their objects are named by their contents; one beside them lists those of a manifest.
 */
export function publishExports(
  release: Release,
  request: ExportRequest,
  store: WritableStore,
  progress: Progress,
  threads = 1,
): Promise<readonly ServedExport[]> {
  const { manifest } = release.latest;
  return whileBuilding(store, [], async () => {
    const exported = await writeTables(release, request, servedSink(store), progress, threads);
    const there = await listIfSound(store, manifest);
    const byTable = new Map([...there, ...exported].map((one) => [nameOf(one), one]));
    const all = [...byTable].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    await store.putContent(servedExportsName(manifest), encodeServedExports(all));
    return all;
  });
}

/**
 * Exports one table into the store of its release, on any machine; `publishExports` finds it by its
 * receipt.
 */
export async function exportTable(
  release: Release,
  { table, county, format, geoparquet }: TableJob,
  store: WritableStore,
  progress: Progress,
): Promise<void> {
  const counties = county === null ? [] : [county];
  const request = { tables: [table], counties, format, geoparquet };
  await writeTables(release, request, servedSink(store), progress, 1);
}

/** The record of a table that is in the store of its release; null if it is not. */
export function findExported(
  release: Release,
  table: TableJob,
  store: WritableStore,
): Promise<ServedExport | null> {
  const key = keyOf(release, table, PLACE);
  return new Receipts(store).findUnlisted('export', key, servedExportSchema);
}

function servedSink(store: WritableStore) {
  return {
    store,
    record: servedExportSchema,
    place: PLACE,
    async put(table: ExportedTable, body: PutBody) {
      const stem = `exports/${table.table.replaceAll('_', '-')}-${table.county ?? 'all'}`;
      const extension = EXPORT_EXTENSIONS[table.format];
      const { archive, sums } = await putArchive(store, stem, extension, body);
      return { ...table, object: archive, sums };
    },
  };
}

/**
 * A damaged list is replaced: tables that it had are found by their receipts when exported again.
 */
async function listIfSound(store: WritableStore, manifest: string): Promise<ServedExport[]> {
  try {
    return await readServedExports(store, manifest);
  } catch (error) {
    if (error instanceof ShardError) return [];
    throw error;
  }
}

const nameOf = ({ table, county, format }: ExportedTable) => [table, county, format].join();
