import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useAttempts } from './use-attempts.ts';

export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'here'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: Error };

/**
 * Loads a value when first shown, when a part of `question` changes, on `reload`, and again after a
 * failure. The old value stays until the new one arrives. A load no longer wanted is aborted, and
 * its value dropped if it arrives all the same.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  question: readonly unknown[] = [],
): Loaded<Value> & { readonly reload: () => Promise<void> } {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' });
  const latest = useRef(load);
  latest.current = load;
  const loading = useRef<AbortController>(null);
  const reload = useCallback(async () => {
    loading.current?.abort();
    const leaving = new AbortController();
    loading.current = leaving;
    const next = await latest.current(leaving.signal).then(
      (value): Loaded<Value> => ({ state: 'here', value }),
      (error: Error): Loaded<Value> => ({ state: 'failed', error }),
    );
    if (!leaving.signal.aborted) setLoaded(next);
  }, []);
  const attempt = useAttempts(loaded.state === 'failed');
  useEffect(() => {
    void reload();
    return () => loading.current?.abort();
  }, [reload, ...question, attempt]);
  return { ...loaded, reload };
}
