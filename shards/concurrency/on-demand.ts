/**
 * Makes a value when it is first needed, and keeps it. A failure is not kept: the next call makes
 * it anew.
 */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  const kept = new Map<null, Promise<T>>();
  return () => keepUntilFailed(kept, null, make);
}

/**
 * Returns the value kept under a key, or loads and keeps it. A load that fails is dropped, so that
 * the next call loads again, unless another load has taken its place by then.
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
