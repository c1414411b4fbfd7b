import { useMemo } from 'preact/hooks';
import { bodyOf, useAreaBlocks, usePoisAround } from '../blocks/area-blocks.ts';
import { useInView } from '../blocks/use-in-view.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { comparisonOf } from '../measures/comparison.ts';
import { resultOf } from '../paid/paid-request.ts';
import { useRequests } from '../paid/use-paid-requests.ts';
import type { Profile } from '../profile/profile-request.ts';
import { useMap } from '../state/map-context.ts';
import { catchmentOf } from '../views/catchment/catchment-view.ts';
import type { Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import { sidesOf } from '../views/reach/reach-view.ts';
import { measuredSites } from '../views/sites/sites-view.ts';
import type { FoundPoi } from './map-search.tsx';

/** The current view with what it has loaded. The arguments are POIs whose names are known. */
export function useViewed(found: FoundPoi | null, profile: Profile | null): Viewed {
  const { catalogue, state, choice } = useMap();
  const requests = useRequests();
  const scheme = useColourScheme();
  const { poi } = state;
  const { view, sitesType, sitesBy } = state;
  const area = useAreaBlocks(state.area);
  const inArea = area.value;
  const { sides, measure } = MAP_VIEWS[view];
  const inView = useInView(measure, area);
  const catchment = useMemo(
    () => (poi === null ? null : catchmentOf(requests, poi, choice)),
    [poi, choice.service, requests.changes],
  );
  const areaBody = useMemo(() => inArea && bodyOf(inArea), [inArea]);
  const pois = catalogue.poisOf(choice.sitesType?.leaves ?? [], []).map(({ url }) => url);
  const mostPois = usePoisAround(pois, inArea, { mode: choice.mode, minutes: sitesBy.within });
  const sites = useMemo(() => {
    const direction = sitesType === null ? sitesBy.direction : 'to';
    const { mode, times } = choice;
    const by = { ...sitesBy, direction, type: sitesType, area: areaBody, mode, times };
    return measuredSites({ ...by, points: state.sites, mostPois }, requests);
  }, [state.sites, sitesType, sitesBy, areaBody, mostPois, choice.service, requests.changes]);
  const [a, b] = sidesOf(state, choice);
  const reach = resultOf(requests, sides > 0 ? a : null);
  const other = resultOf(requests, sides > 1 ? b : null);
  const comparison = useMemo(
    () => (reach && other ? comparisonOf(reach, other) : null),
    [reach, other],
  );
  const named = [found, ...(profile?.nearest.values() ?? []), catchment?.poi ?? null];
  const poiName =
    poi === null ? null : (named.find((one) => one?.dest_id === poi)?.name ?? `POI ${poi}`);
  const shown = { a, b, reach, comparison, catchment, inView, sites };
  return { catalogue, state, choice, scheme, ...shown, area, poiName, profile };
}
