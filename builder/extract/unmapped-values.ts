import { type Tags, valuesOf } from '../osm/tags.ts';

export const POI_KEYS = ['shop', 'amenity'] as const;
type PoiKey = (typeof POI_KEYS)[number];

/** The number of nodes and ways in an area with a value that has no type. */
export interface UnmappedValue {
  readonly key: PoiKey;
  readonly value: string;
  readonly elements: number;
}

/** Values that mean that there is no place. */
const NOTHING = new Set(['no', 'vacant']);
/** Maximum length of a value; longer ones are free text. */
const LONGEST = 40;

/**
 * Counts the values of elements without a type, each element once, whichever files contain it. Ways
 * must be added before nodes, and count if their first node is in the area.
 */
export class UnmappedValues {
  readonly #nodes = new Map<number, readonly string[]>();
  readonly #ways = new Map<number, readonly string[]>();
  readonly #waysFrom = new Map<number, Set<number>>();
  readonly #waysInside = new Set<number>();
  /** One shared string per value. */
  readonly #texts = new Map<string, string>();

  way(id: number, refs: ArrayLike<number>, tags: Tags): void {
    const values = this.#valuesOf(tags);
    if (values.length === 0 || refs.length === 0) return;
    this.#ways.set(id, values);
    const from = this.#waysFrom.get(refs[0]);
    if (from) from.add(id);
    else this.#waysFrom.set(refs[0], new Set([id]));
  }

  /**
   * Adds a node in the area. If `isTyped`, its own values do not count, only those of ways that
   * begin there.
   */
  node(id: number, tags: Tags, isTyped: boolean): void {
    this.location(id);
    const values = isTyped || tags.size === 0 ? [] : this.#valuesOf(tags);
    if (values.length > 0) this.#nodes.set(id, values);
  }

  /** Adds the location of a node in the area, whose tags are not known. */
  location(id: number): void {
    for (const way of this.#waysFrom.get(id) ?? []) this.#waysInside.add(way);
  }

  /** Returns the number of elements by `key=value`. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    const inside = [...this.#waysInside].map((way) => this.#ways.get(way)!);
    for (const value of [...this.#nodes.values(), ...inside].flat()) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  }

  #valuesOf(tags: Tags): readonly string[] {
    return POI_KEYS.flatMap((key) => {
      const value = tags.get(key);
      if (value === undefined) return [];
      return valuesOf(value)
        .filter((single) => single !== '' && single.length <= LONGEST && !NOTHING.has(single))
        .map((single) => this.#shared(`${key}=${single}`));
    });
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

/** Returns up to `ofEach` values of each key, the most frequent first. */
export function maxFrequent(counts: ReadonlyMap<string, number>, ofEach: number): UnmappedValue[] {
  const all = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return POI_KEYS.flatMap((key) =>
    all
      .filter(([text]) => text.startsWith(`${key}=`))
      .slice(0, ofEach)
      .map(([text, elements]) => ({ key, value: text.slice(key.length + 1), elements })),
  );
}
