import { useEffect, useId, useState } from 'preact/hooks';
import { PLANS } from '../../../../proxy/plans.ts';
import type { PoiSearchResult } from '../../../client/src/index.ts';
import type { Place } from '../../api/release.ts';
import { counted, distanceUnit } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';
import type { MapType } from '../catalogue/catalogue.ts';
import { Paid } from '../paid/paid.tsx';
import type { PaidRequest } from '../paid/paid-request.ts';
import type { Point } from '../state/codecs.ts';
import { useMap } from '../state/map-context.ts';

const PLACE_ZOOM = 13;
const POI_ZOOM = 15;

/**
 * A search for cities and for types to map, which is free, and for POIs around the middle of the
 * map, for tokens.
 */
export function MapSearch({ onPoi }: { readonly onPoi: (poi: FoundPoi) => void }) {
  const { catalogue, state, change } = useMap();
  const around = state.position ?? middleOf(catalogue.bounds);
  const [text, setText] = useState('');
  /** Words by which POIs are searched. */
  const [words, setWords] = useState<PoiWords | null>(null);
  const typed = text.trim();
  const { places, said } = usePlaceSearch(typed);
  const options = [
    ...places.map(({ geoid, name, state: of, lat, lon }) => ({
      key: geoid,
      label: `${name}, ${of}`,
      choose() {
        setText('');
        change({ area: geoid, position: { zoom: PLACE_ZOOM, lat, lon } });
      },
    })),
    ...typesBeginning([...catalogue.types, ...catalogue.parents], typed).map(({ id, name }) => ({
      key: `type ${id}`,
      label: `${name}: minutes to the nearest`,
      choose() {
        setText('');
        change({ view: 'nearest', type: id });
      },
    })),
    {
      key: 'pois',
      label: `Search shops, parks and more for “${typed}”`,
      choose: () => setWords({ q: typed, around }),
    },
  ];
  return (
    <search class="map-search">
      <SearchField text={text} onText={setText} options={options} said={said} />
      {words !== null && (
        <PoiResults
          words={words}
          onPoi={(poi) => {
            onPoi(poi);
            change({ position: { zoom: POI_ZOOM, lat: poi.lat, lon: poi.lon } });
          }}
          onClose={() => setWords(null)}
        />
      )}
    </search>
  );
}

const HINT = 'Search for a city or a POI';

interface SearchFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly SearchOption[];
  /** A sentence on the matches for screen readers. */
  readonly said: string;
}

interface SearchOption {
  readonly key: string;
  readonly label: string;
  choose(): void;
}

/** A combobox with a list of matches, as in the ARIA authoring practices. */
function SearchField({ text, onText, options, said }: SearchFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const id = useId();
  // No option stays active, since the list changes with the text.
  useEffect(() => setActive(-1), [text.trim()]);
  const isShown = isOpen && text.trim() !== '';
  const choose = (at: number) => {
    options[at].choose();
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && text.trim() !== '') {
      event.preventDefault();
      setOpen(true);
      const from = active < 0 && step < 0 ? 0 : active;
      setActive((from + step + options.length) % options.length);
    } else if (event.key === 'Enter' && isShown) {
      event.preventDefault();
      choose(Math.max(active, 0));
    } else if (event.key === 'Escape') {
      if (isShown) setOpen(false);
      else onText('');
    }
  };
  return (
    <>
      <input
        type="text"
        aria-label={HINT}
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        placeholder={HINT}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          onText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKey}
        onBlur={() => setOpen(false)}
      />
      <SearchList {...{ id, options, active, isShown, choose }} />
      <p class="unseen" role="status">
        {isShown ? said : ''}
      </p>
    </>
  );
}

function SearchList(props: {
  readonly id: string;
  readonly options: readonly SearchOption[];
  readonly active: number;
  readonly isShown: boolean;
  readonly choose: (at: number) => void;
}) {
  const { id, options, active, isShown, choose } = props;
  return (
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
  );
}

/** Maximum number of types among the matches. */
const MAX_TYPES = 4;

/** The types of which a word begins with a text. */
function typesBeginning(types: readonly MapType[], typed: string): readonly MapType[] {
  const begun = typed.toLowerCase();
  return types
    .filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${begun}`))
    .slice(0, MAX_TYPES);
}

function middleOf([west, south, east, north]: readonly number[]): Point {
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}

/** A search for POIs by words around a point. */
interface PoiWords {
  readonly q: string;
  readonly around: Point;
}

/** The POIs found by some words, for tokens. */
function PoiResults(props: {
  readonly words: PoiWords;
  readonly onPoi: (poi: FoundPoi) => void;
  readonly onClose: () => void;
}) {
  const { words, onPoi, onClose } = props;
  const unit = distanceUnit(useMap().catalogue.units);
  return (
    <div class="poi-results">
      <div class="poi-results-head">
        <span>“{words.q}” around the middle of the map</span>
        <button type="button" class="button button-small button-quiet" onClick={onClose}>
          Close
        </button>
      </div>
      <Paid request={poiSearch(words.q, words.around)} label="Search">
        {(pois) => (
          <ul>
            {pois.map((poi) => (
              <li key={poi.dest_id}>
                <button type="button" class="poi-result" onClick={() => onPoi(poi)}>
                  {poi.name} <span class="quiet">{poi.address.street}</span>
                </button>
              </li>
            ))}
            {pois.length === 0 && (
              <li class="quiet">
                None within {Math.floor(RADIUS_M / unit.metres)} {unit.name}.
              </li>
            )}
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

export type FoundPoi = PoiSearchResult;

const MOST = 10;
const RADIUS_M = 25_000;

/** Requests up to ten POIs around a point whose names contain some words. */
function poiSearch(q: string, { lat, lon }: Point): PaidRequest<readonly FoundPoi[]> {
  return {
    name: `pois ${q} ${lat} ${lon}`,
    price: MOST * PLANS.charges.row,
    async run(client, pay, signal) {
      const query = { q, lat, lon, radius_m: RADIUS_M, limit: MOST };
      return (await pay(client.searchPois(query, { signal }))).results;
    },
  };
}
