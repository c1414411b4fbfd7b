import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useAttempts } from './use-attempts.ts';

/** Something that is loading, loaded, or failed to load. */
export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'here'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: Error };

/**
 * Loads a value when first shown, when `question` changes, on `reload`, and again after a failure.
 * The old value stays until the new one arrives.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  question: string | number = '',
): Loaded<Value> & { readonly reload: () => Promise<void> } {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' });
  const latest = useRef(load);
  latest.current = load;
  const turn = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++turn.current;
    const next = await latest.current().then(
      (value): Loaded<Value> => ({ state: 'here', value }),
      (error: Error): Loaded<Value> => ({ state: 'failed', error }),
    );
    if (mine === turn.current) setLoaded(next);
  }, []);
  const attempt = useAttempts(loaded.state === 'failed');
  useEffect(() => {
    void reload();
    // A result that arrives after unmounting is dropped.
    return () => void turn.current++;
  }, [reload, question, attempt]);
  return { ...loaded, reload };
}
