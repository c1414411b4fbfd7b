import { closeSync, openSync, writeSync } from 'node:fs';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import type { ByteSink } from '../../shards/parquet/table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { Reading } from './export-table.ts';
import { metadataOf } from './metadata.ts';
import type { TableJob } from './table-job.ts';
import { COUNTY_TABLES, RELEASE_TABLES } from './tables.ts';

/** A table to be written into a local file. */
export interface TableRequest extends TableJob {
  readonly file: string;
  /** Its position in the fractions of a `TableWriter`. */
  readonly index: number;
}

/** Writes tables of a release into local files. */
export class TableWriter {
  readonly #release: Release;
  readonly #fractions: Float64Array;

  /** `fractions`: by request, the fraction of its rows that have been written. */
  constructor(release: Release, fractions: Float64Array) {
    this.#release = release;
    this.#fractions = fractions;
  }

  /** Returns the number of rows. */
  async write({ table, county, format, file, index }: TableRequest): Promise<number> {
    const release = this.#release;
    const done = (fraction: number) => {
      this.#fractions[index] = fraction;
    };
    const { described, ofCounty, rowsOf } = foundTable(table, county, { release, done });
    const sink = new FileSink(file);
    try {
      const columns = described.columns(release);
      const out =
        format === 'csv'
          ? new CsvFile(columns, sink)
          : await ParquetFile.open(columns, metadataOf(described, release, ofCounty), sink);
      let rows = 0;
      for await (const group of rowsOf()) {
        out.append(group);
        rows += group.rows;
      }
      out.finish();
      return rows;
    } finally {
      sink.close();
    }
  }
}

function foundTable(name: string, fips: CountyFips | null, reading: Reading) {
  const ofRelease = RELEASE_TABLES.find((table) => table.name === name);
  if (ofRelease) {
    return { described: ofRelease, ofCounty: null, rowsOf: () => ofRelease.rows(reading) };
  }
  const table = COUNTY_TABLES.find((one) => one.name === name)!;
  const county = reading.release.counties.find((one) => one.fips === fips)!;
  return { described: table, ofCounty: county, rowsOf: () => table.rows(reading, county) };
}

/** A new local file, written from its start. */
class FileSink implements ByteSink {
  readonly #descriptor: number;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'w');
  }

  append(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) at += writeSync(this.#descriptor, piece, at);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
