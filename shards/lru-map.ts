import { LRUCache } from 'lru-cache';

/**
 * A map that keeps the `maxEntries` most recently used entries. It grows as it fills: given `max`,
 * lru-cache would allocate room for all entries at once.
 */
export function lruMap<Key extends {}, Value extends {}>(maxEntries: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
