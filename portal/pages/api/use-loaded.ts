import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Something that is loaded, or else why it is not; `Absence`: further reasons. */
export type Loaded<Value, Absence extends string = never> =
  | { readonly state: 'here'; readonly value: Value }
  | { readonly state: 'loading' | 'failed' | Absence; readonly value: null };

const LOADING = { state: 'loading', value: null } as const;

/**
 * Loads a value when first shown, when a part of `question` changes, on `reload`, and again after a
 * failure. The old value stays until the new one arrives. A load no longer wanted is aborted, and
 * its value dropped if it arrives all the same.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  question: readonly unknown[] = [],
): Loaded<Value> & { readonly error?: Error; readonly reload: () => Promise<void> } {
  const [loaded, setLoaded] = useState<Loaded<Value> & { readonly error?: Error }>(LOADING);
  const latest = useRef(load);
  latest.current = load;
  const loading = useRef<AbortController>(null);
  const reload = useCallback(async () => {
    loading.current?.abort();
    const leaving = new AbortController();
    loading.current = leaving;
    const next = await latest.current(leaving.signal).then(
      (value) => ({ state: 'here', value }) as const,
      (error: Error) => ({ state: 'failed', value: null, error }) as const,
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

/** As `useLoaded`, but without the old value as soon as a part of `question` changes. */
export function useFresh<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  question: readonly unknown[],
): Loaded<Value> {
  const loaded = useLoaded(async (signal) => ({ question, value: await load(signal) }), question);
  if (loaded.state !== 'here') return loaded;
  const { value, question: asked } = loaded.value;
  return asked.every((part, i) => part === question[i]) ? { state: 'here', value } : LOADING;
}

/** Pauses before attempts of the page itself, ms; the last one is repeated. */
const PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000, 60_000];

function pauseMs(failed: number): number {
  return PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)];
}

/**
 * A number that increases, after ever longer pauses, while something has failed, so that an outage
 * ends by itself. Its users try again whenever it changes. `before`: attempts that a user of it in
 * the same place has made.
 */
export function useAttempts(hasFailed: boolean, before = 0): number {
  const [attempt, setAttempt] = useState(0);
  const failed = useRef(before);
  useEffect(() => {
    if (!hasFailed) {
      failed.current = 0;
      return;
    }
    const timer = setTimeout(() => setAttempt((last) => last + 1), pauseMs(failed.current++));
    return () => clearTimeout(timer);
  }, [hasFailed, attempt]);
  return attempt;
}

/** Pause after the last letter before a search begins. */
const PAUSE_MS = 200;

/** Results of a search by a text while it is typed; null for an empty one. */
export function useSearch<Found>(
  typed: string,
  search: (text: string, signal: AbortSignal) => Promise<Found>,
): Loaded<Found | null> {
  return useFresh(
    async (signal) => {
      if (typed === '') return null;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
      return search(typed, signal);
    },
    [typed],
  );
}
