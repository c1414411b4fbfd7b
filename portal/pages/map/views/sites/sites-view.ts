import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { PLANS } from '../../../../../proxy/plans.ts';
import type { DataOf } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { bodyOf } from '../../blocks/area-blocks.ts';
import { mapTitle } from '../../catalogue/mode-words.ts';
import {
  CATCHMENT_CLASS_MINUTES,
  CLASS_MINUTES,
  minutesTo,
  nearestReach,
  type Reach,
  reachClasses,
  reachesWithin,
} from '../../measures/reach.ts';
import { type PaidCall, type PaidRequest, paidCall, resultOf } from '../../paid/paid-request.ts';
import type { Swatch } from '../../panels/legend.tsx';
import { reachSwatches } from '../../panels/legend.tsx';
import { MAX_CATCHMENT_MINUTES, MAX_MINUTES } from '../../state/map-state.ts';
import { MAX_ADDRESS_SITES, MAX_UNCOVERED } from '../../state/sites.ts';
import { asShown, kept, type MapView, type Viewed } from '../map-view.ts';
import { nearestOf } from '../nearest/nearest-view.tsx';
import { reachRequest } from '../reach/reach-view.ts';

/** The sites of a type are its POIs. */
const ofType = nearestOf(({ sitesType }) => sitesType);

export const sitesView: MapView = {
  name: 'Sites',
  sides: 0,
  title: ({ choice: { mode, sitesType } }) =>
    sitesType === null ? 'Minutes to the nearest site' : mapTitle(mode, sitesType.name),
  legend: sitesSwatches,
  modes: ({ mode }) => [mode],
  measure: ofType.measure,
  shown(viewed) {
    const { catalogue, state, choice } = viewed;
    const { reaches, nearest } = sitesIn(viewed);
    const { sitesBy, sitesColoured } = state;
    const { mode, sitesType } = choice;
    if (sitesType !== null) return ofType.shown(viewed);
    const classes = () =>
      sitesColoured === 'overlap'
        ? reachesWithin(nearest!, reaches!, sitesBy.within).map(overlapClass)
        : reachClasses(nearest!.minutes, ...classesWithin(sitesBy.within));
    return {
      of: 'classes',
      name: `sites ${sitesColoured} ${nearest?.geoids.length ?? 0}`,
      modes: [mode],
      pois: catalogue.poisOf([], [mode]),
      blocks: nearest && { geoids: nearest.geoids, classes: Uint8Array.from(classes()) },
    };
  },
  minutesOf(viewed, geoid) {
    const { nearest, reaches } = sitesIn(viewed);
    if (viewed.choice.sitesType !== null) return ofType.minutesOf(viewed, geoid);
    if (nearest === null || reaches === null) return null;
    const minutes = minutesTo(nearest, geoid);
    if (minutes === undefined) return `over ${MAX_MINUTES} min`;
    const near = reaches.filter(
      (one) => minutesTo(one, geoid)! <= viewed.state.sitesBy.within,
    ).length;
    return near > 1 ? `${minutes} min, ${near} sites near` : `${minutes} min`;
  },
  Panel: onRequest('the view', async () => (await import('./sites-panel.tsx')).SitesPanel),
  requests: (viewed) => asShown('People near the sites', sitesIn(viewed).request),
};

/** The longest minutes that are coloured, and the width of a class, for some minutes that count. */
function classesWithin(within: number): [most: number, width: number] {
  return within <= MAX_CATCHMENT_MINUTES
    ? [MAX_CATCHMENT_MINUTES, CATCHMENT_CLASS_MINUTES]
    : [MAX_MINUTES, CLASS_MINUTES];
}

/** Colours of one, two, and three or more sites: the last is the darkest in light maps. */
const OVERLAP_CLASSES = [5, 3, 1];

/** The class of a block that has so many sites near. */
function overlapClass(sites: number): number {
  return sites === 0 ? 0 : OVERLAP_CLASSES[Math.min(sites, OVERLAP_CLASSES.length) - 1];
}

/** Swatches of the blocks near sites; before they are loaded, none of classes. */
export function sitesSwatches(viewed: Viewed): readonly Swatch[] {
  const { state, choice, scheme } = viewed;
  const { sitesBy, sitesColoured } = state;
  if (choice.sitesType !== null) return ofType.legend(viewed);
  if (sitesIn(viewed).reaches === null) return [];
  if (sitesColoured === 'overlap') {
    const { classes, beyond } = MAP_COLOURS[scheme];
    return [
      ...OVERLAP_CLASSES.map((one, i) => ({
        colour: classes[one - 1],
        label: ['one site', 'two sites', 'three or more'][i],
      })),
      { colour: beyond, label: 'none' },
    ];
  }
  return reachSwatches(scheme, ...classesWithin(sitesBy.within));
}

type SitesCoverage = DataOf<'measureSites'>;

/** Sites, as far as they are measured; null until then. */
export interface MeasuredSites {
  /** Null without sites, and for sites of a type without an area. */
  readonly request: PaidCall<SitesCoverage> | null;
  readonly coverage: SitesCoverage | null;
  /** Requests the reach of each site; null if the colours are free, or for too many sites. */
  readonly colours: PaidRequest<readonly Reach[]> | null;
  readonly reaches: readonly Reach[] | null;
  /** The minutes to the nearest site. */
  readonly nearest: Reach | null;
}

/** The requests about the sites, and what has been loaded of them. */
export const sitesIn = kept(
  ({ requests, state, choice, area, mostSites }: Viewed) => [
    requests,
    state.sites,
    state.sitesBy,
    choice.sitesType,
    choice.service,
    area.value,
    mostSites,
  ],
  (viewed): MeasuredSites => {
    const { requests, choice } = viewed;
    const request = sitesRequest(viewed);
    const coverage = resultOf(requests, request);
    const colours =
      coverage && choice.sitesType === null && coverage.sites.length <= MAX_COLOURED
        ? reachesRequest(coverage, viewed)
        : null;
    const reaches = resultOf(requests, colours);
    return { request, coverage, colours, reaches, nearest: reaches && nearestReach(reaches) };
  },
);

/** Null without sites, and for sites of a type without an area. */
function sitesRequest({ state, choice, area, mostSites }: Viewed): PaidCall<SitesCoverage> | null {
  const { sites, sitesBy } = state;
  const { mode, times } = choice;
  const type = choice.sitesType?.id ?? null;
  if (type === null ? sites.length === 0 : area.value === null) return null;
  const listed = (wanted: boolean) =>
    sites
      .filter(({ isCandidate }) => isCandidate === wanted)
      .map(({ id, lat, lon }) => ({ id, lat, lon }));
  const candidates = listed(true);
  const body = {
    sites: type === null ? listed(false) : { type },
    ...(candidates.length > 0 && { candidates, choose: sitesBy.choose }),
    ...(area.value && { area: bodyOf(area.value) }),
    mode,
    ...times,
    direction: type === null ? sitesBy.direction : ('to' as const),
    weight: [sitesBy.weight],
    minutes: [sitesBy.within],
    uncovered: MAX_UNCOVERED,
  };
  const { site, sites_minimum } = PLANS.charges;
  const { sites: limit } = REQUEST_LIMITS;
  // POIs that are not counted yet may be as many as the API takes.
  const most =
    type === null ? sites.length : Math.min(mostSites ?? limit, limit) + candidates.length;
  return paidCall('measureSites', body, Math.max(sites_minimum, most * site));
}

/** Sites whose reaches are requested at once: each costs as much as any other reach. */
const MAX_COLOURED = MAX_ADDRESS_SITES;

/** Requests the reach of each measured site, from or to its block, as the sites are measured. */
function reachesRequest(
  { sites }: SitesCoverage,
  { state, choice }: Viewed,
): PaidRequest<readonly Reach[]> | null {
  const each = sites.map(({ block }) => reachRequest(block, choice, state.sitesBy.direction));
  if (each.length === 0) return null;
  return {
    name: each.map(({ name }) => name).join(),
    price: each.reduce((sum, { price }) => sum + price, 0),
    run: (client, pay, signal) => Promise.all(each.map((one) => one.run(client, pay, signal))),
  };
}
