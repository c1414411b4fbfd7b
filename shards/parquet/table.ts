/**
 * Types of columns. Values of type `int32s` are lists, values of type `polygons` are polygons as in
 * GeoJSON, and values of type `box` are bounding boxes.
 */
export type ColumnType =
  | 'string'
  | 'double'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'boolean'
  | 'int32s'
  | 'polygons'
  | 'box';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: boolean;
  readonly description: string;
}

/** The distinct values that a column can have, in any order. */
export type Dictionary = readonly string[] | readonly number[];

export const NULL_INDEX = 0xffff_ffff;

/**
 * A column of a row group: for each row, the index of its value in a dictionary, or `NULL_INDEX`.
 */
export interface IndexedValues {
  readonly dictionary: Dictionary;
  readonly indexes: Uint32Array;
}

/** Consecutive rows of a table, column by column, with values as indexes into dictionaries. */
export interface IndexedGroup {
  readonly rows: number;
  readonly indexed: readonly IndexedValues[];
}

/** Consecutive rows of a table, column by column: all indexed, or all as plain values. */
export type RowGroup =
  | IndexedGroup
  | { readonly rows: number; readonly values: readonly (readonly unknown[])[] };

/** Returns a function that maps a row of a group to its value in a column. */
export function valuesOf(group: RowGroup, column: number): (row: number) => unknown {
  if ('values' in group) return (row) => group.values[column][row];
  const { dictionary, indexes } = group.indexed[column];
  return (row) => dictionary[indexes[row]] ?? null;
}

export interface ByteSink {
  /** Takes ownership of `piece`, which must not change afterwards. */
  append(piece: Uint8Array): void;
}

export interface TableFile {
  append(group: RowGroup): void;
  finish(): void;
}

/**
 * Versions of GeoParquet, the default first. In 1.1, outlines are binary, and have a column of
 * boxes. In 2.0, outlines have a Parquet type, which keeps bounds of its own; readers that do not
 * know the type, such as Polars 2.1 and pyarrow 19, refuse the whole file.
 */
export const GEOPARQUET_VERSIONS = ['1.1', '2.0'] as const;
export type GeoParquetVersion = (typeof GEOPARQUET_VERSIONS)[number];

/** The columns that a Parquet file stores. Boxes are part of GeoParquet 1.1 only. */
export function storedColumns(
  columns: readonly Column[],
  version: GeoParquetVersion,
): readonly Column[] {
  return columns.filter(({ type }) => type !== 'box' || version === '1.1');
}
