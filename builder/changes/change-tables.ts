import type { Measure } from '../../shards/changes/block-change.ts';
import type { ReleasePair } from '../../shards/changes/compared-county.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { CsvFile } from '../../shards/parquet/csv-file.ts';
import { GeoJsonFile } from '../../shards/parquet/geojson-file.ts';
import { ParquetFile } from '../../shards/parquet/parquet-file.ts';
import type { ByteSink, Column, RowGroup, TableFile } from '../../shards/parquet/table.ts';
import { modesInWords } from '../export/service-columns.ts';
import { attributionOf, citationOf, licenceOf } from '../export/terms.ts';
import {
  type ChangedCounty,
  changedBlocks,
  isChanged,
  propertyNames,
  shownChange,
} from './changed-columns.ts';

/** Formats of tables of changes: rows per block, mode and measure, or a feature per block. */
export const CHANGE_TABLE_FORMATS = ['parquet', 'csv', 'geojson'] as const;
export type ChangeTableFormat = (typeof CHANGE_TABLE_FORMATS)[number];

const GEOID: Column = { name: 'geoid', type: 'string', description: 'Census block, 15 digits.' };

const LONG: readonly Column[] = [
  GEOID,
  { name: 'mode', type: 'string', description: modesInWords([]) },
  {
    name: 'dest_type_id',
    type: 'int32',
    nullable: true,
    description: 'Destination type; null for counts.',
  },
  { name: 'dest_type', type: 'string', nullable: true, description: 'Its label.' },
  {
    name: 'of',
    type: 'string',
    nullable: true,
    description: 'What is counted: a weight, or `type:ID` for the POIs of a type; null for times.',
  },
  {
    name: 'minutes',
    type: 'int32',
    nullable: true,
    description: 'Time limit within which it is counted.',
  },
  {
    name: 'before',
    type: 'double',
    nullable: true,
    description: 'Minutes to the nearest, null beyond 30; or the count.',
  },
  { name: 'after', type: 'double', nullable: true, description: 'The same in the later release.' },
  {
    name: 'difference',
    type: 'double',
    nullable: true,
    description: 'Later minus earlier; null where a time is beyond 30 minutes in one release.',
  },
];

const DESCRIPTION =
  'How minutes to the nearest and counts within reach differ between two releases, where they are known in both; no row or null: no difference.';

/** Begins a file with the changes of two releases; `measures` are those that changed. */
export async function openChanges(
  format: ChangeTableFormat,
  pair: ReleasePair,
  measures: readonly Measure[],
  out: ByteSink,
): Promise<TableFile> {
  const facts = {
    table: 'changes',
    description: DESCRIPTION,
    from: pair.before.version,
    to: pair.after.version,
    licence: licenceOf('changes', pair.after),
    attribution: attributionOf(pair.after),
    citation: citationOf(pair.after),
  };
  const modes = modesInWords(pair.after.manifest.modes);
  const long = LONG.map((column) =>
    column.name === 'mode' ? { ...column, description: modes } : column,
  );
  if (format === 'csv') return new CsvFile(long, out);
  if (format === 'geojson') return new GeoJsonFile(wideColumns(pair, measures), facts, out);
  const descriptions = long.map(({ name, description }) => [name, description]);
  const columns = JSON.stringify(Object.fromEntries(descriptions));
  return ParquetFile.open(long, { ...facts, columns }, out);
}

const GROUP_BLOCKS = 1 << 8;

/** Yields a row for each block, mode and measure that changed, by block. */
export function* longRows(
  { after }: ReleasePair,
  { county, columns }: ChangedCounty,
): Generator<RowGroup> {
  for (let first = 0; first < county.count; first += GROUP_BLOCKS) {
    const values: unknown[][] = LONG.map(() => []);
    for (let block = first; block < Math.min(county.count, first + GROUP_BLOCKS); block++) {
      const geoid = geoidFromNumber(county.geoids[block]);
      for (const column of columns) {
        if (!isChanged(column, block)) continue;
        const { measure } = column;
        const what =
          measure.kind === 'minutes'
            ? [measure.type, after.taxonomy.labelOf(measure.type), null, null]
            : [null, null, measure.of, measure.minutes];
        const { before: was, after: is, difference } = shownChange(column, block);
        const row = [geoid, measure.mode, ...what, was, is, difference];
        for (const [c, value] of row.entries()) values[c].push(value);
      }
    }
    yield { rows: values[0].length, values };
  }
}

function wideColumns({ after }: ReleasePair, measures: readonly Measure[]): Column[] {
  return [
    GEOID,
    ...propertyNames(measures, after.taxonomy).map(
      (name): Column => ({ name, type: 'double', nullable: true, description: name }),
    ),
    { name: 'geometry', type: 'polygons', nullable: true, description: 'Outline, WGS84.' },
  ];
}

/** Yields a feature for each block that changed. */
export async function* wideRows(
  changed: ChangedCounty,
  measures: readonly Measure[],
): AsyncGenerator<RowGroup> {
  for await (const { block, values, polygons } of changedBlocks(changed, measures)) {
    const row = [geoidFromNumber(changed.county.geoids[block]), ...values, polygons];
    yield { rows: 1, values: row.map((value) => [value]) };
  }
}
