import type { Weight } from '../layout/weight-choice.tsx';
import { accessQuery } from '../paid/access-request.ts';
import { basketBody } from '../paid/basket-request.ts';
import { PAGE_ROWS } from '../paid/catchment-request.ts';
import { type SitesQuery, sitesBody } from '../paid/sites-request.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState, Origin } from '../state/map-state.ts';

/** A request to the API, as URL and as a call of the TypeScript client. */
export interface MapRequest {
  /** Name for people, such as `Reach of A`. */
  readonly name: string;
  readonly path: string;
  readonly operation:
    | 'getBlockAccess'
    | 'getBlockSummary'
    | 'getIsochrone'
    | 'getPointAccess'
    | 'listPoiCatchment'
    | 'measureCoverage'
    | 'measureSites';
  /** The parameters of the call. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the parameters are the body of a POST. */
  readonly isPost?: boolean;
  /** The member of the response that has the rows, or the sums of a basket. */
  readonly rows: 'results' | 'blocks' | 'basket';
}

/** Choices of the panels beside the state of the map. */
export interface Measured {
  /** GEOID of a place, or FIPS code of a county. */
  readonly area: string | null;
  readonly sitesQuery: SitesQuery;
}

/** The requests whose responses the map and its panel show. */
export function requestsBehind(
  state: MapState,
  choice: Choice,
  { area, sitesQuery }: Measured,
): readonly MapRequest[] {
  const { view, block, origin, otherOrigin, poi, sites } = state;
  const { mode, otherMode, weight } = choice;
  if (view === 'reach' && origin !== null) {
    const reach = reachRequest('Reach', state, origin, mode);
    return weight === null ? [reach] : [reach, accessRequest(state, origin, mode, weight)];
  }
  if (view === 'compare' && origin !== null) {
    return [
      reachRequest('Reach of A', state, origin, mode),
      reachRequest('Reach of B', state, otherOrigin ?? origin, otherMode),
    ];
  }
  if (view === 'catchment' && poi !== null) return [catchmentRequest(poi, mode)];
  if (view === 'basket' && area !== null) {
    const parameters = { ...basketBody(area, choice.basket) };
    return [posted('Exact shares of the area', '/v1/coverage', 'measureCoverage', parameters)];
  }
  if (view === 'sites' && sites.length > 0) {
    const parameters = { ...sitesBody(sites, sitesQuery) };
    return [posted('People near the sites', '/v1/sites/coverage', 'measureSites', parameters)];
  }
  return view === 'nearest' && block !== null ? [summaryRequest(block, choice)] : [];
}

function summaryRequest(geoid: string, { mode, type }: Choice): MapRequest {
  return {
    name: 'Minutes from the selected block',
    path: `/v1/blocks/${geoid}/summary?mode=${mode}&type=${type.id}`,
    operation: 'getBlockSummary',
    parameters: { geoid, mode: [mode], type: [type.id] },
    rows: 'results',
  };
}

function reachRequest(
  name: string,
  { direction, minutes }: MapState,
  origin: Origin,
  mode: Choice['mode'],
): MapRequest {
  const from =
    typeof origin === 'string' ? { block: origin } : { lat: origin.lat, lon: origin.lon };
  const parameters = { ...from, mode, direction, minutes, format: 'blocks' };
  const query = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  return {
    name,
    path: `/v1/isochrone?${query.join('&')}`,
    operation: 'getIsochrone',
    parameters,
    rows: 'blocks',
  };
}

function accessRequest(
  { direction }: MapState,
  origin: Origin,
  mode: Choice['mode'],
  { weight, label }: Weight,
): MapRequest {
  const query = accessQuery(mode, direction, weight);
  const isBlock = typeof origin === 'string';
  const at = isBlock ? [] : Object.entries({ lat: origin.lat, lon: origin.lon });
  const members = [...at, ...Object.entries(query)].flatMap(([key, value]) =>
    [value].flat().map((one) => `${key}=${one}`),
  );
  return {
    name: `${label} within reach`,
    path: `${isBlock ? `/v1/blocks/${origin}` : '/v1/point'}/access?${members.join('&')}`,
    operation: isBlock ? 'getBlockAccess' : 'getPointAccess',
    parameters: isBlock ? { geoid: origin, ...query } : { ...Object.fromEntries(at), ...query },
    rows: 'results',
  };
}

function catchmentRequest(poi: number, mode: Choice['mode']): MapRequest {
  return {
    name: 'Catchment',
    path: `/v1/pois/${poi}/catchment?mode=${mode}&limit=${PAGE_ROWS}`,
    operation: 'listPoiCatchment',
    parameters: { dest_id: poi, mode: [mode], limit: PAGE_ROWS },
    rows: 'results',
  };
}

function posted(
  name: string,
  path: string,
  operation: 'measureCoverage' | 'measureSites',
  parameters: MapRequest['parameters'],
): MapRequest {
  const rows = operation === 'measureCoverage' ? 'basket' : 'results';
  return { name, path, operation, parameters, isPost: true, rows };
}
