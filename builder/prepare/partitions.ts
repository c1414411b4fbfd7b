import { readFile, rm, writeFile } from 'node:fs/promises';
import { addTo } from '../../shards/arrays/group-by.ts';

export interface PartitionFiles<Key, Item> {
  write(file: string, items: readonly Item[]): Promise<void>;
  /** Reads what was written, and removes it. */
  take(file: string, key: Key): Promise<Item[]>;
}

/** Groups items that arrive in any order by a key, and spills them to files when there are many. */
export class Partitions<Key extends string | number, Item> {
  readonly #stem: string;
  readonly #most: number;
  readonly #files: PartitionFiles<Key, Item>;
  readonly #held = new Map<Key, Item[]>();
  readonly #spilled = new Map<Key, string[]>();
  #heldItems = 0;

  /** `stem`: the prefix of the files' paths; `most`: the maximum number of items held in memory. */
  constructor(stem: string, most: number, files: PartitionFiles<Key, Item>) {
    this.#stem = stem;
    this.#most = most;
    this.#files = files;
  }

  /** The keys of all groups, in no order. */
  get keys(): Key[] {
    return [...new Set([...this.#held.keys(), ...this.#spilled.keys()])];
  }

  async add(key: Key, item: Item): Promise<void> {
    addTo(this.#held, key, item);
    if (++this.#heldItems >= this.#most) await this.#spill();
  }

  /** Returns all items of a group in order of arrival, and drops the group. */
  async take(key: Key): Promise<Item[]> {
    const items: Item[] = [];
    for (const file of this.#spilled.get(key) ?? []) {
      for (const item of await this.#files.take(file, key)) items.push(item);
    }
    for (const item of this.#held.get(key) ?? []) items.push(item);
    this.#held.delete(key);
    this.#spilled.delete(key);
    return items;
  }

  async #spill(): Promise<void> {
    for (const [key, items] of this.#held) {
      const files = this.#spilled.get(key) ?? [];
      const file = `${this.#stem}${key}-${files.length}`;
      await this.#files.write(file, items);
      this.#spilled.set(key, [...files, file]);
    }
    this.#held.clear();
    this.#heldItems = 0;
  }
}

/** A file format of JSON, which preserves numbers exactly. */
export function asJson<Item>(): PartitionFiles<unknown, Item> {
  return {
    write: (file, items) => writeFile(file, JSON.stringify(items)),
    async take(file) {
      const text = await readFile(file, 'utf8');
      await rm(file);
      return JSON.parse(text);
    },
  };
}
