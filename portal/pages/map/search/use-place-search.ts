import { useEffect, useState } from 'preact/hooks';
import type { Place } from '../../api/release.ts';
import { counted } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';

const PAUSE_MS = 200;

/** Places found by name, and a sentence on how many, for screen readers. */
interface PlaceSearch {
  readonly places: readonly Place[];
  readonly said: string;
}

/** Searches for cities by a name as it is typed, after a pause; an empty name finds nothing. */
export function usePlaceSearch(typed: string): PlaceSearch {
  const api = useApi();
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [said, setSaid] = useState('');
  useEffect(() => {
    setPlaces([]);
    setSaid('');
    if (typed === '') return;
    const leaving = new AbortController();
    const search = async () => {
      try {
        const query = { q: typed, limit: 5 };
        const { data } = await api.findPlaces(query, { signal: leaving.signal });
        setPlaces(data.places);
        setSaid(`${counted(data.places.length, 'city', 'cities')} found`);
      } catch {
        if (!leaving.signal.aborted) setSaid('The search for cities is unavailable.');
      }
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [api, typed]);
  return { places, said };
}
