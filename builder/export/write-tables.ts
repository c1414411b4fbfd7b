import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { GEOPARQUET_VERSIONS, type GeoParquetVersion } from '../../shards/parquet/table.ts';
import type { ExportedTable, ExportFormat } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ServedExport } from '../../shards/release/served-exports.ts';
import { fileBody, type PutBody } from '../../shards/store/put-body.ts';
import { storedBody } from '../../shards/store/recorded-hash.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips, Millis } from '../../shards/units.ts';
import { type Progress, startBytes } from '../progress.ts';
import { Receipts } from '../receipts/receipts.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { inOrder } from '../threads/pool.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { isSpatial } from './metadata.ts';
import { openTablePool } from './table-pool.ts';
import type { TableRequest } from './table-writer.ts';
import { type TableJob, tablesIn } from './tables.ts';

/** Increment when the same release would give different bytes. */
const EXPORT_VERSION = 8;
const PROGRESS_MS: Millis = 100;

export interface ExportRequest {
  readonly tables: readonly string[];
  readonly counties: readonly CountyFips[];
  readonly format: ExportFormat;
  /** The GeoParquet version of files with outlines; the first by default. */
  readonly geoparquet?: GeoParquetVersion;
}

interface ExportSink<T extends z.ZodType> {
  readonly store: WritableStore;
  /** Schema of the record of a file, which its receipt holds. */
  readonly record: T;
  /** Distinguishes the receipts of exports to the same store. */
  readonly place: string;
  /** Stores a file and returns its record. `sha256` is the hash of the body, if known. */
  put(table: ExportedTable, body: PutBody, sha256?: string): Promise<z.infer<T>>;
  /** Finds a file that has been written into the store of the release, to be copied. */
  readonly findWritten?: (table: TableJob) => Promise<ServedExport | null>;
}

/** A file to be written, and the size of the objects that it is made from. */
type Work = Omit<TableRequest, 'file'> & { readonly bytes: Bytes; readonly key: string };

/**
 * Writes tables of a release, one file per county, and returns the records of the files. Each file
 * has a receipt, so that an interrupted export continues. The same release gives the same bytes,
 * whatever the number of threads.
 */
export async function writeTables<T extends z.ZodType>(
  release: Release,
  request: ExportRequest,
  { store, record, place, put, findWritten }: ExportSink<T>,
  progress: Progress,
  threads: number,
): Promise<z.infer<T>[]> {
  const receipts = new Receipts(store);
  const all = workOn(release, request, place);
  const fractions = new Float64Array(
    new SharedArrayBuffer(all.length * Float64Array.BYTES_PER_ELEMENT),
  );
  const records: z.infer<T>[] = new Array(all.length);
  const bytesDone = () => all.reduce((sum, { bytes }, i) => sum + bytes * fractions[i], 0);
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const stage = startBytes(progress, 'export', total);
  const pool = openTablePool(release, fractions, Math.max(1, Math.min(threads, all.length)));
  const timer = setInterval(() => stage.at(bytesDone()), PROGRESS_MS);
  try {
    await inScratchFolder(store.scratch, async (scratch) => {
      const missing = async function* (): AsyncGenerator<Work & TableRequest> {
        for (const work of all) {
          const kept = (await receipts.find('export', work.key, record)) ?? (await copied(work));
          if (kept === null) yield { ...work, file: path.join(scratch, `${work.index}`) };
          else keep(work, kept);
        }
      };
      const copied = async (work: Work): Promise<z.infer<T> | null> => {
        const written = await findWritten?.(work);
        if (!written) return null;
        const { object, sums, ...table } = written;
        const made = await put(table, storedBody(release.store, object), object.sha256);
        await receipts.keep('export', work.key, made);
        return made;
      };
      const keep = ({ index }: Work, kept: z.infer<T>) => {
        records[index] = kept;
        fractions[index] = 1;
      };
      await inOrder<Work & TableRequest, number>(pool, missing(), async (rows, work) => {
        const { table, county, format, file, key } = work;
        const { size } = await stat(file);
        const made = await put({ table, county, format, rows }, fileBody(file, size));
        await rm(file);
        await receipts.keep('export', key, made);
        keep(work, made);
      });
    });
  } finally {
    clearInterval(timer);
    await pool.close();
  }
  stage.finish();
  return records;
}

export function tableJobsOf(
  release: Release,
  { tables, counties, format, geoparquet = GEOPARQUET_VERSIONS[0] }: ExportRequest,
): TableJob[] {
  const wanted = ({ name }: { readonly name: string }) => tables.includes(name);
  const { byCounty, ofRelease } = tablesIn(format);
  const jobOf = (table: CountyTable | ReleaseTable, county: CountyFips | null): TableJob => {
    // Without outlines, tables are the same in all versions.
    const version = isSpatial(table, release) ? geoparquet : GEOPARQUET_VERSIONS[0];
    return { table: table.name, county, format, geoparquet: version };
  };
  return [
    ...ofRelease.filter(wanted).map((table) => jobOf(table, null)),
    ...release.counties
      .filter(({ fips }) => counties.includes(fips))
      .flatMap(({ fips }) => byCounty.filter(wanted).map((table) => jobOf(table, fips))),
  ];
}

function workOn(release: Release, request: ExportRequest, place: string): Work[] {
  return tableJobsOf(release, request).map((job, index) => {
    return { ...job, index, key: keyOf(release, job, place), bytes: workOf(release, job) };
  });
}

export function keyOf(
  release: Release,
  { table, county, format, geoparquet }: TableJob,
  place: string,
): string {
  return hashOfJson([EXPORT_VERSION, release.version, place, table, county, format, geoparquet]);
}

/**
 * Returns the size of the objects that a file is made from; 0 for tables that are not by county.
 */
function workOf(release: Release, { table, county, format }: TableJob): Bytes {
  const read = tablesIn(format).byCounty.find(({ name }) => name === table);
  const of = release.counties.find(({ fips }) => fips === county);
  if (!read || !of) return 0;
  return read.objectsOf(of).reduce((sum, { bytes }) => sum + bytes, 0);
}
