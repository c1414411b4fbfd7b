import { useEffect, useId, useState } from 'preact/hooks';
import type { Client } from '../../client/src/index.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import { type Boundary, type Place, somePlace } from '../api/release.ts';
import { useAttempts } from '../api/use-attempts.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useApi } from '../session/use-api.ts';
import { BandLegend, PlaceMap } from './place-map.tsx';
import { PlaceSearch } from './place-search.tsx';

/** The map of the card: minutes on foot to the nearest grocery store. */
const SHOWN = { mode: 'walk', type: 101 };
const ZOOM = 12;

/** A city or town searched by name, and the minutes from its blocks. Nothing here needs a key. */
export function LivePlace() {
  const api = useApi();
  const [place, setPlace] = useState<Place | null>(null);
  const [outline, setOutline] = useState<Boundary | null>(null);
  const [isDown, setDown] = useState(false);
  const bandsUrl = useBandsUrl(api);
  const attempt = useAttempts(isDown);
  const id = useId();

  useEffect(() => {
    const leaving = new AbortController();
    somePlace(api, leaving.signal).then(
      (found) => {
        setDown(false);
        if (found) setPlace((chosen) => chosen ?? found);
      },
      () => leaving.signal.aborted || setDown(true),
    );
    return () => leaving.abort();
  }, [api, attempt]);

  useEffect(() => {
    if (place === null) return;
    const leaving = new AbortController();
    api.getPlaceBoundary({ geoid: place.geoid }, { signal: leaving.signal }).then(
      ({ data }) => {
        setOutline(data);
        setDown(false);
      },
      () => leaving.signal.aborted || setDown(true),
    );
    return () => leaving.abort();
  }, [api, place, attempt]);

  return (
    <section class="live" aria-labelledby={id}>
      <div class="live-head">
        <h2 id={id}>{place === null ? 'Look up a place' : `${place.name}, ${place.state}`}</h2>
        <PlaceSearch onFound={setPlace} onDown={setDown} />
      </div>
      <PlaceMap place={place} outline={outline} bandsUrl={bandsUrl} />
      <div class="live-foot">
        {bandsUrl !== null && place !== null && (
          <>
            <p>Minutes on foot to the nearest grocery store</p>
            <BandLegend />
          </>
        )}
        <p role="status">
          {isDown
            ? 'The API is not responding right now. This page tries again until it does.'
            : place === null && 'Loading a place …'}
        </p>
        {place !== null && bandsUrl !== null && (
          <a
            class="button"
            href={`${PAGE_PATHS.map}#x=1&m=${SHOWN.mode}&t=${SHOWN.type}&map=${ZOOM}/${place.lat}/${place.lon}`}
          >
            Explore the map
          </a>
        )}
      </div>
    </section>
  );
}

/** Address of the bands to show; null if the release has none, or until they are known. */
function useBandsUrl(api: Client): string | null {
  const loaded = useLoaded(() => api.getTileArchives());
  if (loaded.state !== 'here') return null;
  const { archives } = loaded.value.data;
  return (
    archives.find(({ mode, dest_type_id }) => mode === SHOWN.mode && dest_type_id === SHOWN.type)
      ?.url ?? null
  );
}
