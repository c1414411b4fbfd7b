import { useEffect, useId, useState } from 'preact/hooks';
import type { Boundary, Place } from '../api/api-answers.ts';
import { boundaryOf, somePlace } from '../api/service.ts';
import { PlaceMap } from './place-map.tsx';
import { PlaceSearch } from './place-search.tsx';

/** A live API response: a city or town searched by name, and its outline. Neither needs a key. */
export function LivePlace(props: { readonly api: string | null; readonly unreachable: boolean }) {
  const { api, unreachable } = props;
  const [place, setPlace] = useState<Place | null>(null);
  const [outline, setOutline] = useState<Boundary | null>(null);
  const [isDown, setDown] = useState(false);
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
        <h2 id={id}>Look up a place</h2>
        <PlaceSearch api={api} onFound={setPlace} onDown={setDown} />
      </div>
      <PlaceMap place={place} outline={outline} />
      <p class="live-request" role="status">
        {isAway ? (
          'The API is not responding right now. This will come back once the API does.'
        ) : place ? (
          <code>GET /v1/places/{place.geoid}/boundary</code>
        ) : (
          'Loading a place …'
        )}
      </p>
    </section>
  );
}
