import type { FgbFeature } from '../fgb/layer.ts';
import type { Polygons } from '../geometry/geo-json.ts';
import { type Column, type RowGroup, valuesOf } from './table.ts';

/** A row of a table with outlines: its outline, and its other values by column name. */
interface SpatialRow {
  readonly polygons: Polygons | null;
  readonly properties: FgbFeature['properties'];
}

/** The columns other than the outline and its box, neither of which is a property of a feature. */
export function propertyColumns(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ type }) => type !== 'polygons' && type !== 'box');
}

export function* spatialRows(columns: readonly Column[], group: RowGroup): Generator<SpatialRow> {
  const outline = valuesOf(
    group,
    columns.findIndex(({ type }) => type === 'polygons'),
  );
  const properties = propertyColumns(columns).map(
    (column) => [column.name, valuesOf(group, columns.indexOf(column))] as const,
  );
  for (let row = 0; row < group.rows; row++) {
    yield {
      polygons: outline(row) as Polygons | null,
      properties: Object.fromEntries(
        properties.map(([name, value]) => [name, value(row)]),
      ) as FgbFeature['properties'],
    };
  }
}
