import { writeZip } from '../../builder/inputs/zip-writer.ts';
import { csvField } from '../../shards/csv/csv-line.ts';

export interface GtfsTable {
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly (string | number)[]>;
}

/** Writes a GTFS feed: a zip archive of comma-separated tables. */
export function writeGtfs(path: string, tables: readonly GtfsTable[]): Promise<void> {
  return writeZip(
    path,
    tables.map((table) => ({ name: table.file, chunks: () => csv(table) })),
  );
}

function* csv({ columns, rows }: GtfsTable): Generator<Uint8Array> {
  yield line(columns);
  for (const row of rows) yield line(row);
}

/** Formats a record as in RFC 4180. */
function line(values: readonly (string | number)[]): Uint8Array {
  return Buffer.from(`${values.map((value) => csvField(String(value))).join(',')}\r\n`);
}
