import type { Choice } from '../state/choice.ts';
import type { MapState, Origin } from '../state/map-state.ts';

/** A request to the API, as URL and as a call of the TypeScript client. */
export interface MapRequest {
  /** Name for people, such as `Reach of A`. */
  readonly name: string;
  readonly path: string;
  readonly operation: 'getBlockSummary' | 'getIsochrone';
  /** The parameters of the call. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The member of the response that has the rows. */
  readonly rows: 'results' | 'blocks';
}

/** The requests whose responses the map shows: of the selected block, or of reaches. */
export function requestsBehind(state: MapState, choice: Choice): readonly MapRequest[] {
  const { view, block, origin, otherOrigin } = state;
  const { mode, otherMode } = choice;
  if (view === 'reach' && origin !== null) return [reachRequest('Reach', state, origin, mode)];
  if (view === 'compare' && origin !== null) {
    return [
      reachRequest('Reach of A', state, origin, mode),
      reachRequest('Reach of B', state, otherOrigin ?? origin, otherMode),
    ];
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
