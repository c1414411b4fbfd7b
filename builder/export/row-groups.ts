import type { Dictionary, RowGroup } from '../../shards/parquet/table.ts';

/** Rows of a group, at most: enough to compress well, few enough to hold and to skip. */
const GROUP_ROWS = 1 << 17;

/**
 * Collects indexed rows into groups. Rows that belong together, such as those of an origin, are in
 * one group, so that a reader of one origin fetches one, unless they are more than fit into any.
 */
export class RowGroups {
  readonly #dictionaries: readonly Dictionary[];
  readonly #indexes: readonly Uint32Array[];
  readonly #most: number;
  #rows = 0;

  /** `most`: rows of a group. */
  constructor(dictionaries: readonly Dictionary[], most = GROUP_ROWS) {
    this.#dictionaries = dictionaries;
    this.#most = most;
    this.#indexes = dictionaries.map(() => new Uint32Array(most));
  }

  /** The columns of indexes: to be filled from `rows`, and `rows` then advanced. */
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

  /** Whether so many rows are to begin a new group. */
  isTooFullFor(rows: number): boolean {
    return this.#rows > 0 && this.#rows + rows > this.#most;
  }

  /** The group so far, whose arrays the next one overwrites. */
  take(): RowGroup {
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
