import { useMemo } from 'preact/hooks';
import { byMode } from '../../../../shards/modes.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import { originName } from '../panels/words.tsx';
import { markerId } from '../profile/profile-bars.tsx';
import type { Profile } from '../profile/profile-request.ts';
import type { MapState, Origin } from '../state/map-state.ts';
import type { Site } from '../state/sites.ts';
import type { Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import type { FoundPoi } from './map-search.tsx';

type MarkedPoi = Pick<FoundPoi, 'dest_id' | 'name' | 'lat' | 'lon'>;

/** POIs that markers may stand for: those of a profile, and one that was searched for. */
interface MarkedPois {
  readonly profile: Profile | null;
  readonly found: FoundPoi | null;
}

/**
 * Returns the markers of a view: either sites of one's own, or an origin that is a point, the POIs
 * of a profile, and one POI, that of the catchment or one searched for.
 */
export function useMarkers({ state, poiName }: Viewed, pois: MarkedPois): readonly MapMarker[] {
  const { view, origin, poi, sites } = state;
  const { profile, found } = pois;
  return useMemo(
    () => markersOf(state, poiName, pois),
    [view, origin, poi, poiName, profile, found, sites],
  );
}

function markersOf(
  { view, origin, poi, sites }: MapState,
  poiName: string | null,
  { profile, found }: MarkedPois,
): readonly MapMarker[] {
  if (view === 'sites') return siteMarkers(sites);
  const caught =
    view === 'catchment' && poi !== null && origin !== null && typeof origin !== 'string'
      ? { dest_id: poi, name: poiName!, ...origin }
      : null;
  return poiMarkers(MAP_VIEWS[view].sides > 0 ? origin : null, profile, caught ?? found);
}

/** The POI of a marker; undefined for a marker of anything else. */
export function poiOf(marker: string, { profile, found }: MarkedPois) {
  const pois = [found, ...(profile?.nearest.values() ?? [])];
  return pois.find((one) => one && markerId(one) === marker) ?? undefined;
}

function poiMarkers(
  origin: Origin | null,
  profile: Profile | null,
  found: MarkedPoi | null,
): readonly MapMarker[] {
  const markers = new Map<string, MapMarker>();
  const mark = ({ dest_id, name, lat, lon }: MarkedPoi, minutes: string) =>
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
  if (origin !== null && typeof origin !== 'string') {
    const title = originName(origin, null);
    markers.set('origin', { id: 'origin', at: origin, kind: 'origin', sign: 'A', title });
  }
  return [...markers.values()];
}

const SITE_PREFIX = 'site-';
/** Maximum length of an id on a marker; longer ones do not fit. */
const MAX_SIGN = 2;

function siteMarkers(sites: readonly Site[]): readonly MapMarker[] {
  return sites.map(({ id, lat, lon, isCandidate }) => ({
    id: SITE_PREFIX + id,
    at: { lat, lon },
    kind: isCandidate ? 'candidate' : 'site',
    sign: id.length <= MAX_SIGN ? id : '',
    title: `${isCandidate ? 'Candidate' : 'Site'} ${id}: drag to move it, Delete removes it`,
  }));
}

/** Returns the id of the site that a marker stands for. */
export function siteOf(marker: string): string {
  return marker.slice(SITE_PREFIX.length);
}
