import type { Column, RowGroup } from '../../shards/parquet/table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/** The release to read a table's rows from, and a callback for progress. */
export interface Reading {
  readonly release: Release;
  /** Called with the share of the rows that have been read. */
  readonly done: (share: number) => void;
}

interface ExportTable {
  readonly name: string;
  readonly description: string;
  columns(release: Release): readonly Column[];
}

export interface CountyTable extends ExportTable {
  /** The objects that a county's rows are read from; their sizes stand for the work. */
  objectsOf(county: ReleaseCounty): readonly ObjectRef[];
  /** Yields the rows in order. The arrays of a group are overwritten by the next group. */
  rows(reading: Reading, county: ReleaseCounty): AsyncIterable<RowGroup>;
}

export interface ReleaseTable extends ExportTable {
  rows(reading: Reading): AsyncIterable<RowGroup>;
}
