import { useEffect, useId, useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Boundary, Place } from '../api/api-answers.ts';
import { boundaryOf, somePlace, tileArchives } from '../api/service.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { BandLegend, PlaceMap } from './place-map.tsx';
import { PlaceSearch } from './place-search.tsx';

/** The map of the card: minutes on foot to the nearest grocery store. */
const SHOWN = { mode: 'walk', type: 101 };
const ZOOM = 12;

/** A city or town searched by name, and the minutes from its blocks. Nothing here needs a key. */
export function LivePlace(props: { readonly api: string | null; readonly unreachable: boolean }) {
  const { api, unreachable } = props;
  const [place, setPlace] = useState<Place | null>(null);
  const [outline, setOutline] = useState<Boundary | null>(null);
  const [isDown, setDown] = useState(false);
  const bandsUrl = useBandsUrl(api);
  const id = useId();

  useEffect(() => {
    if (api === null) return;
    const leaving = new AbortController();
    somePlace(api, leaving.signal).then(
      (found) => found && setPlace((chosen) => chosen ?? found),
      () => leaving.signal.aborted || setDown(true),
    );
    return () => leaving.abort();
  }, [api]);

  useEffect(() => {
    if (api === null || place === null) return;
    const leaving = new AbortController();
    boundaryOf(api, place.geoid, leaving.signal).then(
      (found) => {
        setOutline(found);
        setDown(false);
      },
      () => leaving.signal.aborted || setDown(true),
    );
    return () => leaving.abort();
  }, [api, place]);

  const isAway = unreachable || isDown;
  return (
    <section class="live" aria-labelledby={id}>
      <div class="live-head">
        <h2 id={id}>{place === null ? 'Look up a place' : `${place.name}, ${place.state}`}</h2>
        <PlaceSearch api={api} onFound={setPlace} onDown={setDown} />
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
          {isAway
            ? 'The API is not responding right now. This will come back once the API does.'
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
function useBandsUrl(api: string | null): string | null {
  const loaded = useLoaded(async () => (api === null ? null : tileArchives(api)), api ?? '');
  if (loaded.state !== 'here' || loaded.value === null) return null;
  const { archives } = loaded.value;
  return (
    archives.find(({ mode, dest_type_id }) => mode === SHOWN.mode && dest_type_id === SHOWN.type)
      ?.url ?? null
  );
}
