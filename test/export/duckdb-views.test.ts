import { expect, test } from 'vitest';
import { duckdbViews } from '../../builder/export/duckdb-views.ts';
import type { ExportedFile } from '../../builder/export/exported-files.ts';
import type { ExportFormat } from '../../shards/release/exported-table.ts';
import type { CountyFips } from '../../shards/units.ts';

const ROOT = 'release=2026-11';

function fileOf(table: string, county: string, format: ExportFormat): ExportedFile {
  return {
    table,
    county: county as CountyFips,
    format,
    rows: 1,
    name: `${ROOT}/table=${table}/county=${county}.${format}`,
    bytes: 1,
    sha256: '0'.repeat(64),
  };
}

test('there is no script without Parquet files', () => {
  expect(duckdbViews([fileOf('blocks', '24005', 'csv')], ROOT)).toBeNull();
  expect(duckdbViews([fileOf('blocks', '24005', 'gpkg-ready')], ROOT)).toBeNull();
});

test('the script names the counties and tables that have only other files', () => {
  const script = duckdbViews(
    [
      fileOf('blocks', '24003', 'csv'),
      fileOf('blocks', '24003', 'geojson'),
      fileOf('blocks', '24005', 'csv'),
      fileOf('blocks', '24005', 'parquet'),
      fileOf('blocks', '24510', 'geojson'),
      fileOf('nearest', '24005', 'parquet'),
      fileOf('reach', '24005', 'csv'),
    ],
    ROOT,
  );
  const comments = script!.split('\n').filter((line) => line.startsWith('-- '));
  expect(comments.slice(3)).toEqual([
    '-- Without counties that have no Parquet file: 24003, 24510',
    '-- No view of reach, which has no Parquet file.',
  ]);
  expect(script!.match(/VIEW "\w+"/g)).toEqual(['VIEW "blocks"', 'VIEW "nearest"']);
  expect(script!.match(/'\/table=.*'/g)).toEqual([
    "'/table=blocks/county=24005.parquet'",
    "'/table=nearest/county=24005.parquet'",
  ]);
});
