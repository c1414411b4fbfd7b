import { useMemo } from 'preact/hooks';
import { byMode } from '../../../../shards/modes.ts';
import { useApi } from '../../session/use-api.ts';
import { useFoundBlock } from '../blocks/use-block-facts.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import { originName } from '../panels/words.tsx';
import { markerId } from '../profile/profile-bars.tsx';
import type { Profile } from '../profile/profile-request.ts';
import type { Point } from '../state/codecs.ts';
import type { Origin } from '../state/map-state.ts';
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
 * Returns the markers of a view: either sites of one's own, or an origin, the POIs
 * of a profile, and one POI, that of the catchment or one searched for.
 */
export function useMarkers(
  { catalogue, state, poiName }: Viewed,
  pois: MarkedPois,
): readonly MapMarker[] {
  const { view, origin, poi, sites } = state;
  const { profile, found } = pois;
  const isShown = MAP_VIEWS[view].sides > 0;
  const block = isShown && typeof origin === 'string' ? origin : null;
  const known = useFoundBlock(useApi(), block, state.position, catalogue.bounds);
  return useMemo(() => {
    if (view === 'sites') return siteMarkers(sites);
    const at = block === null ? origin : known?.isThere ? known.at : null;
    const caught =
      view === 'catchment' && poi !== null && origin !== null && typeof origin !== 'string'
        ? { dest_id: poi, name: poiName!, ...origin }
        : null;
    const origins =
      isShown && origin !== null && at !== null ? [originMarker(origin, at as Point)] : [];
    return [...poiMarkers(profile, caught ?? found), ...origins];
  }, [view, origin, poi, poiName, profile, found, sites, known]);
}

/** The POI of a marker; undefined for a marker of anything else. */
export function poiOf(marker: string, { profile, found }: MarkedPois) {
  const pois = [found, ...(profile?.nearest.values() ?? [])];
  return pois.find((one) => one && markerId(one) === marker) ?? undefined;
}

function poiMarkers(profile: Profile | null, found: MarkedPoi | null): readonly MapMarker[] {
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
  return [...markers.values()];
}

/** Id of the marker of an origin. */
export const ORIGIN = 'origin';

function originMarker(origin: Origin, at: Point): MapMarker {
  const title = `${originName(origin, null)}: drag to move it`;
  return { id: ORIGIN, at, kind: 'origin', sign: 'A', title };
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
