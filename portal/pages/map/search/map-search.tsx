import { useEffect, useId, useState } from 'preact/hooks';
import type { Place } from '../../api/release.ts';
import { counted } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';
import { Paid } from '../paid/paid.tsx';
import { type FoundPoi, poiSearch } from '../paid/poi-search.ts';
import type { PaidRequests } from '../paid/use-paid-requests.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { Point } from '../state/point.ts';

const PLACE_ZOOM = 13;
const POI_ZOOM = 15;

/**
 * A search for cities, which is free, and for POIs around the middle of the map, for tokens: a
 * combobox with a list, as in the ARIA authoring practices.
 */
export function MapSearch(props: {
  readonly requests: PaidRequests;
  /** Middle of the map. */
  readonly around: Point;
  readonly onMove: (position: MapPosition) => void;
  /** Called with the GEOID of a chosen city. */
  readonly onPlace: (geoid: string) => void;
  readonly onPoi: (poi: FoundPoi) => void;
}) {
  const { requests, around, onMove, onPlace, onPoi } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  /** Words by which POIs are searched. */
  const [words, setWords] = useState<PoiWords | null>(null);
  const id = useId();
  const typed = text.trim();
  const { places, said } = usePlaceSearch(typed);

  // No option stays active, since the list changes with the text.
  useEffect(() => setActive(-1), [typed]);

  const options = [
    ...places.map((place) => ({
      key: place.geoid,
      label: `${place.name}, ${place.state}`,
      choose() {
        setText('');
        onPlace(place.geoid);
        onMove({ zoom: PLACE_ZOOM, lat: place.lat, lon: place.lon });
      },
    })),
    {
      key: 'pois',
      label: `Search shops, parks and more for “${typed}”`,
      choose: () => setWords({ q: typed, around }),
    },
  ];
  const isShown = isOpen && typed !== '';
  const choose = (at: number) => {
    options[at].choose();
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && typed !== '') {
      event.preventDefault();
      setOpen(true);
      setActive(
        (active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length,
      );
    } else if (event.key === 'Enter' && isShown) {
      event.preventDefault();
      choose(Math.max(active, 0));
    } else if (event.key === 'Escape') {
      if (isShown) setOpen(false);
      else setText('');
    }
  };
  return (
    <search class="map-search">
      <label class="unseen" for={id}>
        Search for a city or a POI
      </label>
      <input
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        placeholder="Search for a city or a POI"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKey}
        onBlur={() => setOpen(false)}
      />
      <div
        id={`${id}-list`}
        class="search-list"
        role="listbox"
        aria-label="Matches"
        hidden={!isShown}
      >
        {options.map(({ key, label }, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
          <div
            key={key}
            id={`${id}-${i}`}
            class="search-option"
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            // Keeps the focus in the input.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(i)}
          >
            {label}
          </div>
        ))}
      </div>
      <p class="unseen" role="status">
        {isShown ? said : ''}
      </p>
      {words !== null && (
        <PoiResults
          requests={requests}
          words={words}
          onPoi={(poi) => {
            onPoi(poi);
            onMove({ zoom: POI_ZOOM, lat: poi.lat, lon: poi.lon });
          }}
          onClose={() => setWords(null)}
        />
      )}
    </search>
  );
}

/** A search for POIs by words around a point. */
interface PoiWords {
  readonly q: string;
  readonly around: Point;
}

/** The POIs found by some words, for tokens. */
function PoiResults(props: {
  readonly requests: PaidRequests;
  readonly words: PoiWords;
  readonly onPoi: (poi: FoundPoi) => void;
  readonly onClose: () => void;
}) {
  const { requests, words, onPoi, onClose } = props;
  return (
    <div class="poi-results">
      <div class="poi-results-head">
        <span>“{words.q}” around the middle of the map</span>
        <button type="button" class="button button-small button-quiet" onClick={onClose}>
          Close
        </button>
      </div>
      <Paid requests={requests} request={poiSearch(words.q, words.around)} label="Search">
        {(pois) => (
          <ul>
            {pois.map((poi) => (
              <li key={poi.dest_id}>
                <button type="button" class="poi-result" onClick={() => onPoi(poi)}>
                  {poi.name} <span class="quiet">{poi.address.street}</span>
                </button>
              </li>
            ))}
            {pois.length === 0 && <li class="quiet">None within 25 km.</li>}
          </ul>
        )}
      </Paid>
    </div>
  );
}

const PAUSE_MS = 200;

/** Places found by name, and a sentence on how many, for screen readers. */
interface PlaceSearch {
  readonly places: readonly Place[];
  readonly said: string;
}

/** Searches for cities by a name as it is typed, after a pause; an empty name finds nothing. */
function usePlaceSearch(typed: string): PlaceSearch {
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
