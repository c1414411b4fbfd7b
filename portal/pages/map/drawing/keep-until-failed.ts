/**
 * Returns what is kept under a key, or loads and keeps it. A load that fails is forgotten, so that
 * the next request loads again, unless the key has another by then.
 */
export function keepUntilFailed<K, V>(
  kept: Map<K, Promise<V>>,
  key: K,
  load: () => Promise<V>,
): Promise<V> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const loading = load();
  kept.set(key, loading);
  loading.catch(() => {
    if (kept.get(key) === loading) kept.delete(key);
  });
  return loading;
}
