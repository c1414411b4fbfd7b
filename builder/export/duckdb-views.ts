import { groupBy } from '../../shards/arrays/group-by.ts';
import type { ExportedFile } from './exported-files.ts';

/**
 * Returns a script that makes a view of the Parquet files of each table in DuckDB; null if there
 * are no such files. Comments in the script name counties and tables without Parquet files. Files
 * are listed one by one, so that the script works over HTTPS, where folders cannot be listed. Names
 * of folders do not become columns, since a POI has a state of its own. The variable `base`, if
 * set, is the address of the folder. Views read the variable whenever they are used, including
 * views of a database that was made in the folder and is attached.
 */
export function duckdbViews(files: readonly ExportedFile[], root: string): string | null {
  if (files.every((file) => !isParquet(file))) return null;
  const views = [...groupBy(files, ({ table }) => table)].map(([table, ofTable]) => {
    const parquet = ofTable.filter(isParquet);
    const names = parquet.map(
      ({ name }) => `    coalesce(getvariable('base'), '.') || '/${name.slice(root.length + 1)}'`,
    );
    if (names.length === 0) return `\n-- No view of ${table}, which has no Parquet file.\n`;
    const counties = new Set(parquet.map(({ county }) => county));
    const others = ofTable.flatMap(({ county }) => (counties.has(county) ? [] : [county]));
    return viewOf(table, names, new Set(others));
  });
  return `-- In the folder of the release:    duckdb -init views.sql
-- A database of the views:        duckdb release.duckdb < views.sql
-- Elsewhere, first:                SET VARIABLE base = 'https://…/${root}';
${views.join('')}`;
}

function isParquet({ format }: ExportedFile): boolean {
  return format === 'parquet';
}

function viewOf(
  table: string,
  names: readonly string[],
  others: ReadonlySet<string | null>,
): string {
  const lacks = `-- Without counties that have no Parquet file: ${[...others].join(', ')}\n`;
  return `
${others.size > 0 ? lacks : ''}CREATE OR REPLACE VIEW "${table}" AS SELECT * FROM read_parquet(
  [
${names.join(',\n')}
  ],
  hive_partitioning = false
);
`;
}
