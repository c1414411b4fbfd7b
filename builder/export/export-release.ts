import { createHash } from 'node:crypto';
import path from 'node:path';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import type { TableFile } from '../../shards/parquet/table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import { withLock } from '../publish/locks.ts';
import { Receipts } from '../receipts/receipts.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { writeCompanions } from './companions.ts';
import type { CountyTable, Reading, ReleaseTable } from './export-table.ts';
import { type ExportedFile, exportedFileSchema, mergeFiles, readFiles } from './exported-files.ts';
import { metadataOf } from './metadata.ts';
import { COUNTY_TABLES, RELEASE_TABLES } from './tables.ts';

/** Increment when the same release gives other bytes. */
const EXPORT_VERSION = 1;

export const FORMATS = ['parquet', 'csv'] as const;
export type ExportFormat = (typeof FORMATS)[number];

export interface ExportRequest {
  /** Names of tables. */
  readonly tables: readonly string[];
  readonly counties: readonly CountyFips[];
  readonly format: ExportFormat;
}

/** A file to be exported: a table of a county, or of the release. */
type Work = { readonly bytes: Bytes } & (
  | { readonly table: CountyTable; readonly county: ReleaseCounty }
  | { readonly table: ReleaseTable; readonly county: null }
);

/**
 * Writes tables of a release into a folder or bucket, a file a county, and returns all files that
 * are there now:
 *
 *     release=R/table=T/state=SS/county=SSCCC.parquet    tables by county
 *     release=R/table=T/T.parquet                        other tables
 *     release=R/SHA256SUMS, views.sql, …                 see `companions.ts`
 *     receipts/                                          by which an interrupted export continues
 *
 * A file is either whole or absent, and the same release gives the same bytes.
 */
export function exportRelease(
  release: Release,
  request: ExportRequest,
  out: WritableStore,
  progress: Progress,
): Promise<readonly ExportedFile[]> {
  const root = `release=${release.manifest.release}`;
  const refusal = (owner: string) =>
    `${out.location}: another export (${owner}) is writing to it; wait for it, or use another --out`;
  return withLock(out, `${root}/export.lock`, refusal, async () => {
    const there = await readFiles(out, root);
    if (there && there.version !== release.version) {
      throw new BuildError(
        `${out.location}/${root}: holds an export of ${there.version}, another release of that label; remove it, or use another --out`,
      );
    }
    const receipts = new Receipts(out);
    const exported: ExportedFile[] = [];
    const all = [...workOn(release, request)];
    const names = all.map((work) => `${root}/${pathOf(work, request.format)}`);
    await clearLeftovers(out, ['receipts/', `${root}/`, ...names]);
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    const stage = progress.start('export', Math.ceil(total / MB), 'MB');
    let before: Bytes = 0;
    for (const [i, work] of all.entries()) {
      const name = names[i];
      const key = createHash('sha256')
        .update(JSON.stringify([EXPORT_VERSION, release.version, name]))
        .digest('hex');
      const done = (share: number) => stage.at(Math.floor((before + work.bytes * share) / MB));
      exported.push(
        await receipts.findOrMake('export', key, exportedFileSchema, () =>
          writeFile(work, { release, done }, request.format, name, out),
        ),
      );
      before += work.bytes;
      done(0);
    }
    stage.finish();
    const files = mergeFiles(there?.files ?? [], exported);
    await writeCompanions(release, files, out, root);
    return files;
  });
}

const MB: Bytes = 1e6;

/** Removes what a killed export left behind. */
async function clearLeftovers(out: WritableStore, prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes) {
    for (const { name } of await out.leftovers(prefix)) await out.remove(name);
  }
}

function* workOn(release: Release, { tables, counties }: ExportRequest): Generator<Work> {
  for (const table of RELEASE_TABLES) {
    if (tables.includes(table.name)) yield { table, county: null, bytes: 0 };
  }
  for (const county of release.counties) {
    if (!counties.includes(county.fips)) continue;
    for (const table of COUNTY_TABLES) {
      if (!tables.includes(table.name)) continue;
      const bytes = table.objectsOf(county).reduce((sum, object) => sum + object.bytes, 0);
      yield { table, county, bytes };
    }
  }
}

function pathOf({ table, county }: Work, format: ExportFormat): string {
  const folder = `table=${table.name}`;
  if (county === null) return `${folder}/${table.name}.${format}`;
  return `${folder}/state=${county.fips.slice(0, 2)}/county=${county.fips}.${format}`;
}

function writeFile(
  work: Work,
  reading: Reading,
  format: ExportFormat,
  name: string,
  out: WritableStore,
): Promise<ExportedFile> {
  const { table, county } = work;
  const { release } = reading;
  return inScratchFolder(out.scratch, async (scratch) => {
    const spool = new Spool(path.join(scratch, 'table'));
    try {
      const columns = table.columns(release);
      const file: TableFile =
        format === 'csv'
          ? new CsvFile(columns, spool)
          : await ParquetFile.open(columns, metadataOf(table, release, county), spool);
      let rows = 0;
      for await (const group of rowsOf(work, reading)) {
        file.append(group);
        rows += group.rows;
      }
      file.finish();
      const hash = createHash('sha256');
      for await (const chunk of spool.chunks()) hash.update(chunk);
      await out.putContent(name, spool);
      return {
        table: table.name,
        county: county?.fips ?? null,
        format,
        rows,
        name,
        bytes: spool.bytes,
        sha256: hash.digest('hex'),
      };
    } finally {
      spool.close();
    }
  });
}

function rowsOf(work: Work, reading: Reading) {
  return work.county === null ? work.table.rows(reading) : work.table.rows(reading, work.county);
}
