import { type Loaded, useLoaded } from './use-loaded.ts';

/** Pause after the last letter before a search begins. */
const PAUSE_MS = 200;

/** Results of a search by a text while it is typed; null for an empty one. */
export function useSearch<Found>(
  typed: string,
  search: (text: string, signal: AbortSignal) => Promise<Found>,
): Loaded<Found | null> {
  const loaded = useLoaded(
    async (signal) => {
      if (typed === '') return { typed, found: null };
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
      return { typed, found: await search(typed, signal) };
    },
    [typed],
  );
  if (loaded.state !== 'here') return loaded;
  const { value } = loaded;
  return value.typed === typed ? { state: 'here', value: value.found } : { state: 'loading' };
}
