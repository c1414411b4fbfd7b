import type { Dictionary, IndexedGroup } from '../../shards/parquet/table.ts';

/** Maximum rows per group: enough to compress well, few enough to hold and to skip. */
const GROUP_ROWS = 1 << 17;

/**
 * Collects indexed rows into groups. Rows that belong together, such as those of an origin, are in
 * one group unless they exceed its size, so that a reader of one origin fetches one group.
 */
export class RowGroups {
  readonly #dictionaries: readonly Dictionary[];
  readonly #indexes: readonly Uint32Array[];
  readonly #most: number;
  #rows = 0;

  constructor(dictionaries: readonly Dictionary[], most = GROUP_ROWS) {
    this.#dictionaries = dictionaries;
    this.#most = most;
    this.#indexes = dictionaries.map(() => new Uint32Array(most));
  }

  /** The columns of indexes, which callers fill from position `rows`; then they advance `rows`. */
  get columns(): readonly Uint32Array[] {
    return this.#indexes;
  }

  get rows(): number {
    return this.#rows;
  }

  set rows(rows: number) {
    this.#rows = rows;
  }

  get isFull(): boolean {
    return this.#rows === this.#most;
  }

  /**
   * Whether this many more rows would overfill a group that has begun, so that they should begin a
   * new one.
   */
  isTooFullFor(rows: number): boolean {
    return this.#rows > 0 && this.#rows + rows > this.#most;
  }

  /** Ends the group and returns it. The next group overwrites its arrays. */
  take(): IndexedGroup {
    const rows = this.#rows;
    this.#rows = 0;
    return {
      rows,
      indexed: this.#dictionaries.map((dictionary, c) => ({
        dictionary,
        indexes: this.#indexes[c].subarray(0, rows),
      })),
    };
  }
}
