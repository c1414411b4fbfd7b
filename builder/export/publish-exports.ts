import { ShardError } from '../../shards/errors.ts';
import { EXPORT_EXTENSIONS, type ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import {
  encodeServedExports,
  readServedExports,
  type ServedExport,
  type ServedExports,
  servedExportSchema,
  servedExportsName,
} from '../../shards/release/served-exports.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import { whileBuilding } from '../publish/output.ts';
import { putArchive } from '../publish/put-object.ts';
import { Receipts } from '../receipts/receipts.ts';
import type { TableJob } from './tables.ts';
import { type ExportRequest, keyOf, writeTables } from './write-tables.ts';

/** Distinguishes the receipts of published tables from those of a release's parts. */
const PLACE = 'exports';
/**
 * How long a replaced file is kept: longer than links to the file work, and longer than servers use
 * a list that has been replaced.
 */
const SUPERSEDED_KEPT_MS: Millis = 86_400_000;

/**
 * Exports tables into the store of their release, for the API to serve, and returns all tables that
 * are there now. Objects are named by their contents. An object per manifest lists the tables, and
 * the files that they replaced, so that links to replaced files keep working.
 */
export function publishExports(
  release: Release,
  request: ExportRequest,
  store: WritableStore,
  progress: Progress,
  threads = 1,
): Promise<readonly ServedExport[]> {
  const { manifest } = release.latest;
  const publish = async () => {
    const exported = await writeTables(release, request, servedSink(store), progress, threads);
    const lists = listsAfter(await listsIfSound(store, manifest), exported, Date.now());
    await store.putContent(servedExportsName(manifest), encodeServedExports(lists));
    return lists.exports;
  };
  return whileBuilding(store, [], publish);
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

/** Returns the record of a table that is in the store of its release; null if the table is not. */
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

function listsAfter(
  there: ServedExports,
  exported: readonly ServedExport[],
  nowMs: Millis,
): ServedExports {
  const byTable = new Map([...there.exports, ...exported].map((one) => [nameOf(one), one]));
  const exports = [...byTable].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  const offered = new Set(exports.map(({ object }) => object.name));
  const supersededAt = new Date(nowMs).toISOString();
  const earlier = there.superseded.filter(
    (one) => Date.parse(one.supersededAt) > nowMs - SUPERSEDED_KEPT_MS,
  );
  const replaced = there.exports.map((one) => ({ ...one, supersededAt }));
  const superseded = [...earlier, ...replaced].filter(({ object }) => !offered.has(object.name));
  return { exports, superseded };
}

/**
 * Reads the lists of a manifest; a damaged object counts as empty lists. Its tables are found by
 * their receipts when they are exported again.
 */
async function listsIfSound(store: WritableStore, manifest: string): Promise<ServedExports> {
  try {
    return await readServedExports(store, manifest);
  } catch (error) {
    if (error instanceof ShardError) return { exports: [], superseded: [] };
    throw error;
  }
}

const nameOf = ({ table, county, format }: ExportedTable) => [table, county, format].join();
