import { useState } from 'preact/hooks';
import { PLANS } from '../../../../proxy/plans.ts';
import type { DataOf, PoiSearchResult } from '../../../client/src/index.ts';
import { keylessClient } from '../../api/clients.ts';
import { useSearch } from '../../api/use-loaded.ts';
import { counted, distanceUnit } from '../../formats.ts';
import { typesBeginning } from '../catalogue/catalogue.ts';
import { Paid } from '../paid/paid.tsx';
import { type PaidRequest, paidCall } from '../paid/paid-request.ts';
import { Combobox } from '../panels/combobox.tsx';
import type { Point } from '../state/codecs.ts';
import { useMap } from '../state/map-context.ts';

/** Zooms of what is found; any other is a point. */
const ZOOMS: Readonly<Record<string, number>> = { county: 10, place: 13, neighbourhood: 14 };
const POINT_ZOOM = 15;

/**
 * A search for addresses, intersections, neighbourhoods, cities, counties, blocks, coordinates and
 * types to map, which is free, and for POIs around the middle of the map, for tokens.
 */
export function MapSearch({ onPoi }: { readonly onPoi: (poi: FoundPoi) => void }) {
  const { catalogue, state, change } = useMap();
  const [text, setText] = useState('');
  const [words, setWords] = useState<PoiWords | null>(null);
  const go = useGo();
  const { options, said } = useOptions(text.trim(), {
    onChosen: () => setText(''),
    onFound: go,
    onWords: (q) => setWords({ q, around: state.position ?? middleOf(catalogue.bounds) }),
  });
  return (
    <search class="map-search">
      <Combobox
        label={HINT}
        placeholder={HINT}
        text={text}
        onText={setText}
        options={options}
        said={said}
        onEscape={() => setText('')}
      />
      {'geolocation' in navigator && <LocateMe onFound={go} />}
      {words !== null && (
        <PoiResults
          words={words}
          onPoi={(poi) => {
            onPoi(poi);
            change({ position: { zoom: POINT_ZOOM, lat: poi.lat, lon: poi.lon } });
          }}
          onClose={() => setWords(null)}
        />
      )}
    </search>
  );
}

/** Returns how to go to what was found: it becomes the area, or the selected block. */
function useGo() {
  const { state, change } = useMap();
  return ({ kind, geoid, lat, lon }: Found) => {
    const position = { zoom: ZOOMS[kind] ?? POINT_ZOOM, lat, lon };
    const isArea = kind === 'county' || kind === 'place';
    const isOrigin = state.view === 'reach' && !isArea;
    change({
      position,
      ...(isArea ? { area: geoid } : { block: geoid }),
      ...(isOrigin && { origin: geoid, poi: null }),
    });
  };
}

const HINT = 'Search for an address or a place';

/** Kinds of results whose label does not say it. */
const KIND_NOTES: Readonly<Record<string, string>> = {
  interpolated: 'about here',
  street: 'street',
  neighbourhood: 'neighborhood',
};

/** A button that goes to where the visitor is, if the browser tells. */
function LocateMe({ onFound }: { readonly onFound: (found: Found) => void }) {
  const [said, setSaid] = useState('');
  const locate = () => {
    setSaid('Locating …');
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) =>
        keylessClient.findAddresses({ q: `${latitude},${longitude}`, limit: 1 }).then(
          ({ data: { results } }) => {
            const [here] = results;
            setSaid(here ? '' : 'You are outside the data of this map.');
            if (here) onFound(here);
          },
          () => setSaid('The search is unavailable.'),
        ),
      () => setSaid('The browser does not tell where you are.'),
    );
  };
  return (
    <div class="locate-me">
      <button type="button" class="button button-small" onClick={locate}>
        My location
      </button>
      <span role="status">{said}</span>
    </div>
  );
}

/** Maximum number of types among the matches. */
const MAX_TYPES = 4;

function middleOf([west, south, east, north]: readonly number[]): Point {
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}

interface PoiWords {
  readonly q: string;
  readonly around: Point;
}

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

type Found = DataOf<'findAddresses'>['results'][number];

/**
 * The matches of what is typed: addresses and places, types to map, and the search for POIs; none
 * of an empty text. `said`: a sentence on how many places, for screen readers.
 */
function useOptions(
  typed: string,
  on: {
    readonly onChosen: () => void;
    readonly onFound: (found: Found) => void;
    readonly onWords: (words: string) => void;
  },
) {
  const { catalogue, change } = useMap();
  const search = useSearch(typed, async (q, signal) => {
    return (await keylessClient.findAddresses({ q, limit: 5 }, { signal })).data.results;
  });
  if (typed === '') return { options: [], said: '' };
  const found = search.value;
  const places = (found ?? []).map((one) => ({
    key: `${one.kind} ${one.geoid} ${one.label}`,
    label: one.label,
    note: KIND_NOTES[one.kind] ?? null,
    choose() {
      on.onChosen();
      on.onFound(one);
    },
  }));
  const types = typesBeginning([...catalogue.types, ...catalogue.parents], typed)
    .slice(0, MAX_TYPES)
    .map(({ id, name }) => ({
      key: `type ${id}`,
      label: `${name}: minutes to the nearest`,
      choose() {
        on.onChosen();
        change({ view: 'nearest', type: id });
      },
    }));
  const pois = {
    key: 'pois',
    label: `Search shops, parks and more for “${typed}”`,
    choose: () => on.onWords(typed),
  };
  return {
    options: [...places, ...types, pois],
    said:
      search.state === 'failed'
        ? 'The search for addresses is unavailable.'
        : found
          ? `${counted(found.length, 'place')} found`
          : '',
  };
}

export type FoundPoi = Pick<PoiSearchResult, 'dest_id' | 'name' | 'lat' | 'lon'>;

const MOST = 10;
const RADIUS_M = 25_000;

/** Requests up to ten POIs around a point whose names contain some words. */
function poiSearch(q: string, { lat, lon }: Point): PaidRequest<readonly PoiSearchResult[]> {
  const query = { q, lat, lon, radius_m: RADIUS_M, limit: MOST };
  return paidCall('searchPois', query, MOST * PLANS.charges.row, ({ results }) => results);
}
