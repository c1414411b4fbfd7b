import { z } from 'zod';
import type { DestTypeId } from './units.ts';

/**
 * One destination type of a release: a leaf, assigned to POIs, or a parent that stands for its
 * leaves.
 */
const destinationTypeSchema = z.strictObject({
  dest_type_id: z.int().min(1).max(65_535),
  label: z.string().regex(/^[a-z][a-z0-9_]*$/),
  name: z.string().min(1),
  parent_id: z.int().nullable(),
});
export type DestinationType = z.infer<typeof destinationTypeSchema>;

export const taxonomySchema = z.strictObject({
  version: z.string(),
  types: z.array(destinationTypeSchema),
});

export class Taxonomy {
  readonly types: readonly DestinationType[];
  /** Leaf ids, ascending: the column order of the `nearest` object. */
  readonly leafIds: readonly DestTypeId[];
  readonly #leavesOf = new Map<DestTypeId, readonly DestTypeId[]>();
  readonly #labels: ReadonlyMap<DestTypeId, string>;
  readonly #idOfLabel: ReadonlyMap<string, DestTypeId>;

  constructor(types: readonly DestinationType[]) {
    this.types = [...types].sort((a, b) => a.dest_type_id - b.dest_type_id);
    const parents = new Set(types.map((t) => t.parent_id));
    this.leafIds = this.types
      .filter((t) => !parents.has(t.dest_type_id))
      .map((t) => t.dest_type_id);
    const byId = new Map(this.types.map((t) => [t.dest_type_id, t]));
    const leaves = new Map<DestTypeId, DestTypeId[]>(this.types.map((t) => [t.dest_type_id, []]));
    for (const leaf of this.leafIds) {
      for (let id: number | null = leaf; id !== null; id = byId.get(id)!.parent_id) {
        const below = leaves.get(id);
        if (!below) throw new RangeError(`destination type ${leaf} has the unknown parent ${id}`);
        below.push(leaf);
      }
    }
    this.#leavesOf = leaves;
    this.#labels = new Map(types.map(({ dest_type_id, label }) => [dest_type_id, label]));
    this.#idOfLabel = new Map(types.map(({ dest_type_id, label }) => [label, dest_type_id]));
  }

  has(id: DestTypeId): boolean {
    return this.#leavesOf.has(id);
  }

  /** The id of a type, given its id or its label; undefined for a type that the taxonomy lacks. */
  idOf(name: DestTypeId | string): DestTypeId | undefined {
    if (typeof name === 'string') return this.#idOfLabel.get(name);
    return this.has(name) ? name : undefined;
  }

  labelOf(id: DestTypeId): string {
    return this.#labels.get(id)!;
  }

  /** The leaves of a type, ascending; for a leaf, only the leaf. Empty for an unknown id. */
  leavesOf(id: DestTypeId): readonly DestTypeId[] {
    return this.#leavesOf.get(id) ?? [];
  }

  /** The union of the leaves of several types, ascending and without repeats. */
  expand(ids: readonly DestTypeId[]): DestTypeId[] {
    return [...new Set(ids.flatMap((id) => this.leavesOf(id)))].sort((a, b) => a - b);
  }
}
