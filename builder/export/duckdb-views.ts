import type { ExportedFile } from './exported-files.ts';
import { groupedByTable } from './exported-files.ts';

/**
 * A script that makes a view of each table in DuckDB. Files are named one by one, so that it works
 * over HTTPS, where nothing can be listed; the names of folders give no columns, for a POI has a
 * state of its own. Where the variable `base` is set, it is the address of the folder: views read
 * it whenever they are used, also those of a database that was made in the folder and is attached.
 */
export function duckdbViews(files: readonly ExportedFile[], root: string): string {
  const views = [...groupedByTable(files)].map(([table, ofTable]) => {
    const names = ofTable
      .filter(({ format }) => format === 'parquet')
      .map(
        ({ name }) => `    coalesce(getvariable('base'), '.') || '/${name.slice(root.length + 1)}'`,
      );
    return names.length === 0 ? '' : viewOf(table, names);
  });
  return `-- In the folder of the release:    duckdb -init views.sql
-- A database of the views:        duckdb release.duckdb < views.sql
-- Elsewhere, first:                SET VARIABLE base = 'https://…/${root}';
${views.join('')}`;
}

function viewOf(table: string, names: readonly string[]): string {
  return `
CREATE OR REPLACE VIEW "${table}" AS SELECT * FROM read_parquet(
  [
${names.join(',\n')}
  ],
  hive_partitioning = false
);
`;
}
