import { Paid } from '../paid/paid.tsx';
import { type FoundPoi, poiSearch } from '../paid/poi-search.ts';
import type { PaidRequests } from '../paid/use-paid-requests.ts';
import type { Point } from '../state/point.ts';

/** A search for POIs by words around a point. */
export interface PoiWords {
  readonly q: string;
  readonly around: Point;
}

/** The POIs found by some words, for tokens. */
export function PoiResults(props: {
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
