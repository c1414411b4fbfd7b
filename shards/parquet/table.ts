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
