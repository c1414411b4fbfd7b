import { useAreaBlocks, usePoisAround } from '../blocks/area-blocks.ts';
import { useInView } from '../blocks/use-in-view.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { useRequests } from '../paid/use-paid-requests.ts';
import type { Profile } from '../profile/profile-request.ts';
import { useMap } from '../state/map-context.ts';
import { catchmentIn } from '../views/catchment/catchment-view.ts';
import type { Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import type { FoundPoi } from './map-search.tsx';

/** The current view with what it has loaded. The arguments are POIs whose names are known. */
export function useViewed(found: FoundPoi | null, profile: Profile | null): Viewed {
  const { catalogue, state, choice } = useMap();
  const requests = useRequests();
  const scheme = useColourScheme();
  const { view, poi, sitesBy } = state;
  const area = useAreaBlocks(state.area);
  const inView = useInView(MAP_VIEWS[view].measure, area);
  const sites = catalogue.poisOf(choice.sitesType?.leaves ?? [], []).map(({ url }) => url);
  const trips = { mode: choice.mode, minutes: sitesBy.within };
  const mostSites = usePoisAround(sites, area.value, trips);
  const { poi: caught = null } = catchmentIn({ requests, state, choice }) ?? {};
  const named = [found, ...(profile?.nearest.values() ?? []), caught];
  const poiName =
    poi === null ? null : (named.find((one) => one?.dest_id === poi)?.name ?? `POI ${poi}`);
  const now = { catalogue, state, choice, scheme, requests };
  return { ...now, inView, area, mostSites, poiName, profile };
}
