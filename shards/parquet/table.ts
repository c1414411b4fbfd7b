/**
 * Types of columns. Values of `int32s` are lists; of `polygons`, polygons as in GeoJSON; of `box`,
 * bounding boxes.
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

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: boolean;
  readonly description: string;
}

/** The distinct values that a column can have, in any order. */
export type Dictionary = readonly string[] | readonly number[];

/** The index of null. */
export const NULL_INDEX = 0xffff_ffff;

/** A column of a row group, by the positions of its values in a dictionary, or `NULL_INDEX`. */
export interface IndexedValues {
  readonly dictionary: Dictionary;
  readonly indexes: Uint32Array;
}

/** Consecutive rows of a table, column by column, by their positions in dictionaries. */
export interface IndexedGroup {
  readonly rows: number;
  readonly indexed: readonly IndexedValues[];
}

/** Consecutive rows of a table, column by column: all indexed, or all as plain values. */
export type RowGroup =
  | IndexedGroup
  | { readonly rows: number; readonly values: readonly (readonly unknown[])[] };

/** The values of a column of a group, by row. */
export function valuesOf(group: RowGroup, column: number): (row: number) => unknown {
  if ('values' in group) return (row) => group.values[column][row];
  const { dictionary, indexes } = group.indexed[column];
  return (row) => dictionary[indexes[row]] ?? null;
}

/** The destination of a file's bytes. */
export interface ByteSink {
  /** Takes ownership of `piece`, which must not change afterwards. */
  append(piece: Uint8Array): void;
}

/** A file that a table is written to, row group by row group. */
export interface TableFile {
  append(group: RowGroup): void;
  finish(): void;
}

/**
 * Versions of GeoParquet, the newest first. From 2.0 on, outlines have a type of Parquet, with
 * bounds of its own; 1.1 has binary outlines and a column of boxes, for readers that do not know
 * that type.
 */
export const GEOPARQUET_VERSIONS = ['2.0', '1.1'] as const;
export type GeoParquetVersion = (typeof GEOPARQUET_VERSIONS)[number];

/** The columns that a Parquet file has: boxes are a part of GeoParquet 1.1 alone. */
export function storedColumns(
  columns: readonly Column[],
  version: GeoParquetVersion,
): readonly Column[] {
  return columns.filter(({ type }) => type !== 'box' || version === '1.1');
}
