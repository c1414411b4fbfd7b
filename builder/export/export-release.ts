import { EXPORT_EXTENSIONS, type ExportedTable } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ServedExport } from '../../shards/release/served-exports.ts';
import { stateFipsOf } from '../../shards/states.ts';
import { type PutBody, sha256Of } from '../../shards/store/put-body.ts';
import { LATEST, type WritableStore } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import { withLock } from '../publish/locks.ts';
import { clearLeftovers } from '../publish/output.ts';
import { writeCompanions } from './companions.ts';
import { type ExportedFile, exportedFileSchema, mergeFiles, readFiles } from './exported-files.ts';
import type { TableJob } from './tables.ts';
import { type ExportRequest, writeTables } from './write-tables.ts';

/**
 * Exports tables of a release into a folder or bucket, and returns all files that are there now:
 *
 *     release=R/table=T/state=SS/county=SSCCC.parquet    tables by county; or .csv, .geojson, .fgb
 *     release=R/table=T/T.parquet                        other tables
 *     release=R/SHA256SUMS, views.sql, …                 see `companions.ts`
 *     receipts/                                          from which an interrupted export continues
 *
 * A file is either whole or absent. `findWritten` returns the record of a table's file in the store
 * of the release, which is copied from there; null if the store has none.
 */
export async function exportRelease(
  release: Release,
  request: ExportRequest,
  out: WritableStore,
  progress: Progress,
  threads = 1,
  findWritten?: (table: TableJob) => Promise<ServedExport | null>,
): Promise<readonly ExportedFile[]> {
  const root = `release=${release.manifest.release}`;
  const refusal = (owner: string) =>
    `${out.location}: another export (${owner}) is writing to it; wait for it, or use another --out`;
  await refuseReleases(out);
  return withLock(out, `${root}/export.lock`, refusal, async () => {
    const there = await readFiles(out, root);
    if (there && there.version !== release.version) {
      throw new BuildError(
        `${out.location}/${root}: holds an export of ${there.version}, another release of that label; remove it, or use another --out`,
      );
    }
    await clearLeftovers(out, ['receipts/', `${root}/`]);
    const sink = {
      store: out,
      record: exportedFileSchema,
      place: root,
      findWritten,
      async put(table: ExportedTable, body: PutBody, sha256?: string) {
        const name = `${root}/${pathOf(table)}`;
        await clearLeftovers(out, [name]);
        await out.putContent(name, body);
        return { ...table, name, bytes: body.bytes, sha256: sha256 ?? (await sha256Of(body)) };
      },
    };
    const exported = await writeTables(release, request, sink, progress, threads);
    const files = mergeFiles(there?.files ?? [], exported);
    await writeCompanions(release, files, out, root);
    return files;
  });
}

/**
 * Throws a `BuildError` for a store of releases, which builds would refuse if it held an export.
 */
export async function refuseReleases(out: WritableStore): Promise<void> {
  if ((await out.stat(LATEST)) === null) return;
  throw new BuildError(
    `${out.location}: is a store of releases; use another --out, or none to export into the store of the release`,
  );
}

function pathOf({ table, county, format }: ExportedTable): string {
  const folder = `table=${table}`;
  const extension = EXPORT_EXTENSIONS[format];
  if (county === null) return `${folder}/${table}.${extension}`;
  return `${folder}/state=${stateFipsOf(county)}/county=${county}.${extension}`;
}
