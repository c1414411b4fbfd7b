import { useEffect, useState } from 'preact/hooks';
import { PLANS } from '../../../../proxy/plans.ts';
import type { PoiSearchResult } from '../../../client/src/index.ts';
import type { Place } from '../../api/release.ts';
import { counted, distanceUnit } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';
import { typesBeginning } from '../catalogue/catalogue.ts';
import { Paid } from '../paid/paid.tsx';
import type { PaidRequest } from '../paid/paid-request.ts';
import { Combobox } from '../panels/combobox.tsx';
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
    ...typesBeginning([...catalogue.types, ...catalogue.parents], typed)
      .slice(0, MAX_TYPES)
      .map(({ id, name }) => ({
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
      <Combobox
        label={HINT}
        placeholder={HINT}
        text={text}
        onText={setText}
        options={typed === '' ? [] : options}
        said={said}
        onEscape={() => setText('')}
      />
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

/** Maximum number of types among the matches. */
const MAX_TYPES = 4;

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
