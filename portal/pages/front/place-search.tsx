import { useEffect, useState } from 'preact/hooks';
import { keylessClient } from '../api/clients.ts';
import type { Place } from '../api/release.ts';
import { useSearch } from '../api/use-loaded.ts';
import { counted } from '../formats.ts';

export function PlaceSearch(props: {
  readonly onFound: (place: Place) => void;
  readonly onDown: (isDown: boolean) => void;
}) {
  const { onFound, onDown } = props;
  const [name, setName] = useState('');
  const search = useSearch(name.trim(), async (q, signal) => {
    return (await keylessClient.findPlaces({ q, limit: 5 }, { signal })).data.places;
  });
  useEffect(() => onDown(search.state === 'failed'), [search.state, onDown]);
  const places = search.value;
  const choose = (place: Place) => {
    onFound(place);
    setName('');
  };
  return (
    <search class="place-search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (places?.[0]) choose(places[0]);
        }}
      >
        <label for="place">City or town</label>
        <input
          id="place"
          type="search"
          autoComplete="off"
          spellcheck={false}
          placeholder="Type a name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </form>
      {places !== null && places.length > 0 && (
        <ul class="place-list" aria-label="Matching places">
          {places.map((place) => (
            <li key={place.geoid}>
              <button type="button" onClick={() => choose(place)}>
                {place.name} <span class="quiet">{place.state}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class={places?.length === 0 ? 'quiet' : 'unseen'} role="status">
        {places !== null && saidOf(places)}
      </p>
    </search>
  );
}

function saidOf(places: readonly Place[]): string {
  if (places.length === 0) return 'No matching place in this release.';
  return `${counted(places.length, 'place')} found`;
}
