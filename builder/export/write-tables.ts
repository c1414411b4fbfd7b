import { createHash } from 'node:crypto';
import path from 'node:path';
import type { z } from 'zod';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import type { ExportedTable, ExportFormat } from '../../shards/release/exported-table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import { Receipts } from '../receipts/receipts.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { CountyTable, Reading, ReleaseTable } from './export-table.ts';
import { metadataOf } from './metadata.ts';
import { COUNTY_TABLES, RELEASE_TABLES } from './tables.ts';

/** Increment when the same release gives other bytes. */
const EXPORT_VERSION = 2;
const MB: Bytes = 1e6;

export interface ExportRequest {
  /** Names of tables. */
  readonly tables: readonly string[];
  readonly counties: readonly CountyFips[];
  readonly format: ExportFormat;
}

/** Where exported files go. */
export interface ExportSink<T extends z.ZodType> {
  readonly store: WritableStore;
  /** The record of a file, which its receipt holds. */
  readonly record: T;
  /** Distinguishes the receipts of exports to the same store. */
  readonly place: string;
  put(table: ExportedTable, body: Spool): Promise<z.infer<T>>;
}

/** A file to be written: a table of a county, or of the release. */
type Work = { readonly bytes: Bytes } & (
  | { readonly table: CountyTable; readonly county: ReleaseCounty }
  | { readonly table: ReleaseTable; readonly county: null }
);

/**
 * Writes tables of a release, a file a county, and returns their records. Each has a receipt, so
 * that an interrupted export continues; the same release gives the same bytes.
 */
export async function writeTables<T extends z.ZodType>(
  release: Release,
  request: ExportRequest,
  sink: ExportSink<T>,
  progress: Progress,
): Promise<z.infer<T>[]> {
  const receipts = new Receipts(sink.store);
  const all = [...workOn(release, request)];
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const stage = progress.start('export', Math.ceil(total / MB), 'MB');
  const records: z.infer<T>[] = [];
  let before: Bytes = 0;
  for (const work of all) {
    const { table, county, bytes } = work;
    const { format } = request;
    const madeOf = [EXPORT_VERSION, release.version, sink.place, table.name, county?.fips, format];
    const key = createHash('sha256').update(JSON.stringify(madeOf)).digest('hex');
    const done = (share: number) => stage.at(Math.floor((before + bytes * share) / MB));
    records.push(
      await receipts.findOrMake('export', key, sink.record, () =>
        writeTable(work, { release, done }, format, sink),
      ),
    );
    before += bytes;
    done(0);
  }
  stage.finish();
  return records;
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

function writeTable<T extends z.ZodType>(
  work: Work,
  reading: Reading,
  format: ExportFormat,
  { store, put }: ExportSink<T>,
): Promise<z.infer<T>> {
  const { table, county } = work;
  const { release } = reading;
  return inScratchFolder(store.scratch, async (scratch) => {
    const spool = new Spool(path.join(scratch, 'table'));
    try {
      const columns = table.columns(release);
      const file =
        format === 'csv'
          ? new CsvFile(columns, spool)
          : await ParquetFile.open(columns, metadataOf(table, release, county), spool);
      let rows = 0;
      for await (const group of rowsOf(work, reading)) {
        file.append(group);
        rows += group.rows;
      }
      file.finish();
      return await put({ table: table.name, county: county?.fips ?? null, format, rows }, spool);
    } finally {
      spool.close();
    }
  });
}

function rowsOf(work: Work, reading: Reading) {
  return work.county === null ? work.table.rows(reading) : work.table.rows(reading, work.county);
}
