import { closeSync, openSync, writeSync } from 'node:fs';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import { FlatGeobufFile } from '../../shards/parquet/flat-geobuf-file.ts';
import { GeoJsonFile } from '../../shards/parquet/geojson-file.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import type { ByteSink, TableFile } from '../../shards/parquet/table.ts';
import type { ExportFormat } from '../../shards/release/exported-table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { CountyTable, Reading, ReleaseTable } from './export-table.ts';
import { factsOf, metadataOf } from './metadata.ts';
import { type TableJob, tablesIn } from './tables.ts';

export interface TableRequest extends TableJob {
  readonly file: string;
  /** Index of the request in the fractions of a `TableWriter`. */
  readonly index: number;
}

export class TableWriter {
  readonly #release: Release;
  readonly #fractions: Float64Array;

  /** `fractions` holds, per request, the fraction of its rows that have been written. */
  constructor(release: Release, fractions: Float64Array) {
    this.#release = release;
    this.#fractions = fractions;
  }

  async write(request: TableRequest): Promise<number> {
    const { table, county, format, file, index } = request;
    const release = this.#release;
    const done = (fraction: number) => {
      this.#fractions[index] = fraction;
    };
    const { described, ofCounty, rowsOf } = foundTable(format, table, county, { release, done });
    const sink = new FileSink(file);
    try {
      const out = await openFile(request, described, release, ofCounty, sink);
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

async function openFile(
  { format, geoparquet }: TableJob,
  table: CountyTable | ReleaseTable,
  release: Release,
  county: ReleaseCounty | null,
  sink: ByteSink,
): Promise<TableFile> {
  const columns = table.columns(release);
  switch (format) {
    case 'parquet':
      return ParquetFile.open(
        columns,
        metadataOf(table, release, county, geoparquet),
        sink,
        geoparquet,
      );
    case 'csv':
      return new CsvFile(columns, sink);
    case 'geojson':
      return new GeoJsonFile(columns, factsOf(table, release), sink);
    case 'gpkg-ready':
      return new FlatGeobufFile(columns, factsOf(table, release), sink);
  }
}

function foundTable(format: ExportFormat, name: string, fips: CountyFips | null, reading: Reading) {
  const { byCounty, ofRelease } = tablesIn(format);
  const whole = ofRelease.find((table) => table.name === name);
  if (whole) return { described: whole, ofCounty: null, rowsOf: () => whole.rows(reading) };
  const table = byCounty.find((one) => one.name === name)!;
  const county = reading.release.counties.find((one) => one.fips === fips)!;
  return { described: table, ofCounty: county, rowsOf: () => table.rows(reading, county) };
}

/** A new local file, written from its start. */
export class FileSink implements ByteSink {
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
