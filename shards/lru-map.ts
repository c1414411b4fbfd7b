import { LRUCache } from 'lru-cache';

/**
 * A map that keeps the `maxEntries` last used. It grows as it fills: given `max`, lru-cache would
 * allocate for all of them at once.
 */
export function lruMap<Key extends {}, Value extends {}>(maxEntries: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
