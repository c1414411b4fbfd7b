import { count } from '../../formats.ts';
import { useFoundBlock } from '../blocks/use-block-facts.ts';
import { byMode } from '../catalogue/mode-words.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import { originName } from '../panels/words.tsx';
import type { Profile } from '../profile/profile-request.ts';
import { markerId } from '../profile/profile-request.ts';
import type { Point } from '../state/codecs.ts';
import type { Origin } from '../state/map-state.ts';
import type { Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import { sitesIn } from '../views/sites/sites-view.ts';
import type { FoundPoi } from './map-search.tsx';

/** POIs that markers may stand for: those of a profile, and one that was searched for. */
interface MarkedPois {
  readonly profile: Profile | null;
  readonly found: FoundPoi | null;
}

/**
 * Returns the markers of a view: either sites of one's own, or an origin, the POIs
 * of a profile, and one POI, that of the catchment or one searched for.
 */
export function useMarkers(viewed: Viewed, pois: MarkedPois): readonly MapMarker[] {
  const { state, poiName } = viewed;
  const { view, origin, otherOrigin, poi } = state;
  const { profile, found } = pois;
  const { sides } = MAP_VIEWS[view];
  const at = useOriginPoint(sides > 0 ? origin : null);
  const otherAt = useOriginPoint(sides > 1 ? otherOrigin : null);
  if (view === 'sites') return siteMarkers(viewed);
  const caught =
    view === 'catchment' && poi !== null && origin !== null && typeof origin !== 'string'
      ? { dest_id: poi, name: poiName!, ...origin }
      : null;
  return [
    ...poiMarkers(profile, caught ?? found),
    ...(at ? [originMarker('A', origin!, at)] : []),
    ...(otherAt ? [originMarker('B', otherOrigin!, otherAt)] : []),
  ];
}

/** The POI of a marker; undefined for a marker of anything else. */
export function poiOf(marker: string, { profile, found }: MarkedPois) {
  const pois = [found, ...(profile?.nearest.values() ?? [])];
  return pois.find((one) => one && markerId(one) === marker) ?? undefined;
}

function poiMarkers(profile: Profile | null, found: FoundPoi | null): readonly MapMarker[] {
  const markers = new Map<string, MapMarker>();
  const mark = ({ dest_id, name, lat, lon }: FoundPoi, minutes: string) =>
    markers.set(markerId({ dest_id })!, {
      id: markerId({ dest_id })!,
      at: { lat, lon },
      kind: 'poi',
      sign: '',
      title: `${name}${minutes}: show who reaches it`,
    });
  if (found !== null) mark(found, '');
  for (const one of profile?.nearest.values() ?? []) {
    mark(one, `, ${one.travel_time.toFixed(1)} min ${byMode(one.mode)}`);
  }
  return [...markers.values()];
}

/** The point of an origin: its own, or the centre of its block once it is found. */
function useOriginPoint(origin: Origin | null): Point | null {
  const block = typeof origin === 'string' ? origin : null;
  const known = useFoundBlock(block);
  if (typeof origin !== 'string') return origin;
  return known?.isThere ? known.at : null;
}

export const ORIGIN = 'origin';
export const OTHER_ORIGIN = 'other-origin';

function originMarker(sign: 'A' | 'B', origin: Origin, at: Point): MapMarker {
  const title = `${sign}, ${originName(origin, null)}: drag to move it`;
  return { id: sign === 'A' ? ORIGIN : OTHER_ORIGIN, at, kind: 'origin', sign, title };
}

const SITE_PREFIX = 'site-';
/** Maximum length of an id on a marker; longer ones do not fit. */
const MAX_SIGN = 2;

/** Sites and candidates; without those sites in whose place the POIs of a type are. */
function siteMarkers(viewed: Viewed): readonly MapMarker[] {
  const { sites, sitesBy } = viewed.state;
  const { sitesType, sitesUnit } = viewed.choice;
  const { coverage } = sitesIn(viewed);
  const gains = new Map(coverage?.gains.map(({ id, gain }) => [id, gain[sitesBy.within]]));
  const chosen = new Set(coverage?.chosen.map(({ id }) => id));
  return sites
    .filter(({ isCandidate }) => isCandidate || sitesType === null)
    .map(({ id, lat, lon, isCandidate }) => {
      const gain = gains.get(id);
      const adds = gain === undefined ? '' : ` adds ${count(gain)} within ${sitesBy.within} min`;
      return {
        id: SITE_PREFIX + id,
        at: { lat, lon },
        kind: isCandidate ? 'candidate' : 'site',
        sign: id.length <= MAX_SIGN ? id : '',
        ...(gain !== undefined && {
          note: `+${count(gain)} ${sitesUnit}`,
          isChosen: chosen.has(id),
        }),
        title: `${isCandidate ? 'Candidate' : 'Site'} ${id}${adds}${chosen.has(id) ? ', the best' : ''}: drag to move it, Delete removes it`,
      };
    });
}

export function siteOf(marker: string): string {
  return marker.slice(SITE_PREFIX.length);
}
