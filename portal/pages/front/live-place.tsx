import { useId, useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import { keylessClient } from '../api/clients.ts';
import { type Place, somePlace } from '../api/release.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { BandLegend, PlaceMap } from './place-map.tsx';
import { PlaceSearch } from './place-search.tsx';

/** The map of the card: minutes on foot to the nearest grocery store. */
const SHOWN = { mode: 'walk', type: 101 };
const ZOOM = 12;

/** A city or town searched by name, and the minutes from its blocks. Nothing here needs a key. */
export function LivePlace() {
  const [chosen, setChosen] = useState<Place | null>(null);
  const [isDown, setDown] = useState(false);
  const bandsUrl = useBandsUrl();
  const id = useId();
  const some = useLoaded(somePlace);
  const place = chosen ?? some.value ?? null;
  const outline = useLoaded(
    async () => place && (await keylessClient.getPlaceBoundary({ geoid: place.geoid })).data,
    [place],
  );
  const hasFailed = isDown || some.state === 'failed' || outline.state === 'failed';
  return (
    <section class="live" aria-labelledby={id}>
      <div class="live-head">
        <h2 id={id}>{place === null ? 'Look up a place' : `${place.name}, ${place.state}`}</h2>
        <PlaceSearch onFound={setChosen} onDown={setDown} />
      </div>
      <PlaceMap place={place} outline={outline.value} bandsUrl={bandsUrl} />
      <div class="live-foot">
        {bandsUrl !== null && place !== null && (
          <>
            <p>Minutes on foot to the nearest grocery store</p>
            <BandLegend />
          </>
        )}
        <p role="status">
          {hasFailed
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
function useBandsUrl(): string | null {
  const archives = useLoaded(() => keylessClient.getTileArchives()).value?.data.archives ?? [];
  const { mode, type } = SHOWN;
  return archives.find((one) => one.mode === mode && one.dest_type_id === type)?.url ?? null;
}
