import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { PLANS } from '../../../../../proxy/plans.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Area, DataOf, Mode } from '../../../../client/src/index.ts';
import { MAP_COLOURS } from '../../../../map-classes.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
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
import {
  type Outcomes,
  type PaidCall,
  type PaidRequest,
  paidCall,
  resultOf,
} from '../../paid/paid-request.ts';
import type { Swatch } from '../../panels/legend.tsx';
import { reachSwatches } from '../../panels/legend.tsx';
import { MAX_CATCHMENT_MINUTES, MAX_MINUTES, type SitesBy } from '../../state/map-state.ts';
import { MAX_ADDRESS_SITES, MAX_UNCOVERED, type Site } from '../../state/sites.ts';
import { asShown, type MapView, type MeasuredSites, type Viewed } from '../map-view.ts';
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
    const { catalogue, state, choice, sites } = viewed;
    const { reaches, nearest } = sites;
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
    const { nearest, reaches } = viewed.sites;
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
  requests: ({ sites: { request } }) => asShown('People near the sites', request),
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
  const { state, choice, scheme, sites } = viewed;
  const { sitesBy, sitesColoured } = state;
  if (choice.sitesType !== null) return ofType.legend(viewed);
  if (sites.reaches === null) return [];
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

interface SitesQuery extends SitesBy {
  /** Sites and candidates of one's own. */
  readonly points: readonly Site[];
  /** The POIs of a type as sites, in place of those of one's own. */
  readonly type: number | null;
  /** The most POIs of the type in the area; null while they are not counted. */
  readonly mostPois: number | null;
  /** Null for all people whom any site or candidate reaches. */
  readonly area: Area | null;
  readonly mode: Mode;
  readonly times: Partial<Timing>;
}

/** The requests about some sites, and what has been loaded of them. */
export function measuredSites(query: SitesQuery, requests: Outcomes): MeasuredSites {
  const request = sitesRequest(query);
  const coverage = resultOf(requests, request);
  const colours =
    coverage && query.type === null && coverage.sites.length <= MAX_COLOURED
      ? reachesRequest(coverage, query)
      : null;
  const reaches = resultOf(requests, colours);
  const nearest = reaches && nearestReach(reaches);
  return { request, coverage, colours, reaches, nearest };
}

/** Null without sites, and for sites of a type without an area. */
function sitesRequest(query: SitesQuery): PaidCall<SitesCoverage> | null {
  const { points, type, mostPois, area, mode, times, direction, weight, choose, within } = query;
  if (type === null ? points.length === 0 : area === null) return null;
  const listed = (wanted: boolean) =>
    points
      .filter(({ isCandidate }) => isCandidate === wanted)
      .map(({ id, lat, lon }) => ({ id, lat, lon }));
  const candidates = listed(true);
  const body = {
    sites: type === null ? listed(false) : { type },
    ...(candidates.length > 0 && { candidates, choose }),
    ...(area && { area }),
    mode,
    ...times,
    direction,
    weight: [weight],
    minutes: [within],
    uncovered: MAX_UNCOVERED,
  };
  const { site, sites_minimum } = PLANS.charges;
  const { sites: limit } = REQUEST_LIMITS;
  const most =
    type === null ? points.length : Math.min(mostPois ?? limit, limit) + candidates.length;
  return paidCall('measureSites', body, Math.max(sites_minimum, most * site));
}

/** Sites whose reaches are requested at once: each costs as much as any other reach. */
const MAX_COLOURED = MAX_ADDRESS_SITES;

/** Requests the reach of each measured site, from or to its block, as the sites are measured. */
function reachesRequest(
  { sites }: SitesCoverage,
  { direction, ...by }: SitesQuery,
): PaidRequest<readonly Reach[]> | null {
  const each = sites.map(({ block }) => reachRequest(block, by, direction));
  if (each.length === 0) return null;
  return {
    name: each.map(({ name }) => name).join(),
    price: each.reduce((sum, { price }) => sum + price, 0),
    run: (client, pay, signal) => Promise.all(each.map((one) => one.run(client, pay, signal))),
  };
}
