export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  getOrInsertComputed(lists, key, () => []).push(value);
}

/**
 * The value under a key, which is made if there is none: `Map.prototype.getOrInsertComputed` of
 * ECMAScript 2026, which Node 20 to 24 lack.
 */
export function getOrInsertComputed<K, V extends object>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
}

/** Groups values by key; groups and their values are in order of appearance. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}
