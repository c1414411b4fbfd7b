import type { z } from 'zod';
import type { PointGeometry, PolygonGeometry } from '../../shards/geometry/geo-json.ts';
import type { ColumnType } from '../../shards/parquet/table.ts';

export type RowMembers = Readonly<Record<string, unknown>>;

/** A member of the rows of a response, and its column in formats without nested members. */
export interface Member<S> {
  /** The type of the column; of a member with members, those of their columns. */
  readonly type: ColumnType | Readonly<Record<string, ColumnType>>;
  /** The schema in the OpenAPI document; absent for rows that JSON responses do not have. */
  readonly schema?: z.ZodType;
  /**
   * Takes the value from its source, by default from the member of the same name; undefined if the
   * row lacks it.
   */
  readonly of?: (source: S) => unknown;
}

export interface RowColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** The member and, if it is nested, its member. */
  readonly path: readonly [member: string, nested?: string];
}

export interface PartWriter<F> {
  /** Distinguishes writers whose results differ. */
  readonly name: string;
  members(members: RowMembers, columns: readonly RowColumn[]): F;
  geometry(geometry: PointGeometry | PolygonGeometry | undefined): F;
}

/** A part of each row, chosen by a key: adjacent columns, or the geometry that rows begin with. */
export interface RowPart<K> {
  /** Empty for a geometry. */
  readonly columns: readonly RowColumn[];
  readonly isGeometry: boolean;
  /** Returns a function that writes the part for a key. */
  written<F>(writer: PartWriter<F>): (key: K) => F;
}

/** Adjacent columns of rows whose values have one source, such as a POI. */
export class Columns<S> implements RowPart<S> {
  readonly members: Readonly<Record<string, Member<S>>>;
  readonly columns: readonly RowColumn[];
  readonly isGeometry = false;

  /** `first` names the members whose columns come first; the others follow in JSON's order. */
  constructor(members: Readonly<Record<string, Member<S>>>, first: readonly string[] = []) {
    this.members = members;
    const order = new Set([...first, ...Object.keys(members)]);
    this.columns = [...order].flatMap((name) => columnsOf(name, members[name]));
  }

  membersOf(source: S): RowMembers {
    const values: Record<string, unknown> = {};
    for (const name in this.members) {
      const { of } = this.members[name];
      values[name] = of ? of(source) : (source as RowMembers)[name];
    }
    return values;
  }

  cellsOf(source: S): unknown[] {
    const members = this.membersOf(source);
    return this.columns.map(({ path }) => cellOf(members, path));
  }

  written<F>(writer: PartWriter<F>): (source: S) => F {
    return unlessSame((source) => writer.members(this.membersOf(source), this.columns));
  }
}

/** The geometry of rows in formats that have geometries. */
export class Geometry<S> implements RowPart<S> {
  readonly columns = [];
  readonly isGeometry = true;
  readonly #of: (source: S) => PointGeometry | PolygonGeometry | undefined;

  constructor(of: (source: S) => PointGeometry | PolygonGeometry | undefined) {
    this.#of = of;
  }

  written<F>(writer: PartWriter<F>): (source: S) => F {
    return unlessSame((source) => writer.geometry(this.#of(source)));
  }
}

/** Computes values anew only if the key is not that of the row before. */
function unlessSame<K, F>(write: (key: K) => F): (key: K) => F {
  let last: { readonly key: K; readonly written: F } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, written: write(key) };
    return last.written;
  };
}

/** Keeps a part that has few sources, which have keys from 0 to below `count`. */
export class KeptPart<K extends number, S> implements RowPart<K> {
  readonly columns: readonly RowColumn[];
  readonly isGeometry: boolean;
  readonly #part: RowPart<S>;
  readonly #count: number;
  readonly #sourceOf: (key: K) => S;
  readonly #kept = new Map<string, unknown>();

  constructor(part: RowPart<S>, count: number, sourceOf: (key: K) => S) {
    this.columns = part.columns;
    this.isGeometry = part.isGeometry;
    this.#part = part;
    this.#count = count;
    this.#sourceOf = sourceOf;
  }

  written<F>(writer: PartWriter<F>): (key: K) => F {
    const known = this.#kept.get(writer.name) as ((key: K) => F) | undefined;
    if (known) return known;
    const write = this.#part.written(writer);
    const texts = new Array<F | undefined>(this.#count).fill(undefined);
    const kept = (key: K): F => {
      const before = texts[key];
      if (before !== undefined) return before;
      const written = write(this.#sourceOf(key));
      texts[key] = written;
      return written;
    };
    this.#kept.set(writer.name, kept);
    return kept;
  }
}

/** The columns of no member: for parts that a request leaves out. */
export const NO_COLUMNS = new Columns<unknown>({});

export function allColumns(parts: readonly RowPart<never>[]): readonly RowColumn[] {
  return parts.flatMap(({ columns }) => columns);
}

/**
 * Throws an error unless the columns of `parts` are those that rows were begun with, in order;
 * otherwise values would stand under other names.
 */
export function requireColumns(
  columns: readonly RowColumn[],
  parts: readonly Pick<RowPart<never>, 'columns'>[],
): void {
  let next = 0;
  for (const part of parts) {
    for (const { name } of part.columns) {
      if (columns[next++]?.name !== name) throw new Error(`column ${name} is not number ${next}`);
    }
  }
  if (next < columns.length) throw new Error(`no part has the column ${columns[next].name}`);
}

function columnsOf(name: string, { type }: Pick<Member<never>, 'type'>): RowColumn[] {
  if (typeof type === 'string') return [{ name, type, path: [name] }];
  return Object.entries(type).map(([nested, type]) => ({
    name: `${name}_${nested}`,
    type,
    path: [name, nested],
  }));
}

export function cellOf(members: RowMembers, [name, nested]: RowColumn['path']): unknown {
  const value = members[name];
  return nested === undefined ? value : (value as RowMembers | undefined)?.[nested];
}
