import { PLANS } from '../../../../../proxy/plans.ts';
import { ACCESS_MINUTES } from '../../../../../shards/access/access-columns.ts';
import type { DataOf, IsochroneBlocks } from '../../../../client/src/index.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { minutesTo, type Reach, reachClasses, reachOf } from '../../measures/reach.ts';
import { type PaidCall, type PaidRequest, paidCall, resultOf } from '../../paid/paid-request.ts';
import { reachSwatches } from '../../panels/legend.tsx';
import { originName, reachTitle } from '../../panels/words.tsx';
import type { Choice } from '../../state/choice.ts';
import { type Direction, MAX_MINUTES, type MapState, type Origin } from '../../state/map-state.ts';
import {
  asShown,
  type MapRequest,
  type MapView,
  mapRequest,
  NO_ORIGIN,
  type Viewed,
} from '../map-view.ts';

export const reachView: MapView = {
  name: 'Reach',
  sides: 1,
  title({ state, choice, poiName }) {
    const { origin, direction } = state;
    if (origin === null) return NO_ORIGIN;
    return `${reachTitle(choice.mode, direction, choice.minutes)}: ${originName(origin, poiName)}`;
  },
  legend: ({ scheme, choice }) => reachSwatches(scheme, choice.minutes),
  modes: ({ mode }) => [mode],
  shown(viewed) {
    const { mode, minutes } = viewed.choice;
    const reach = reachIn(viewed);
    return {
      of: 'classes',
      name: sidesOf(viewed)[0]?.name ?? 'reach',
      modes: [mode],
      pois: viewed.catalogue.poisOf([], [mode]),
      blocks: reach && {
        geoids: reach.geoids,
        classes: reachClasses(reach.minutes, minutes),
      },
    };
  },
  minutesOf(viewed, geoid) {
    const reach = reachIn(viewed);
    if (reach === null) return null;
    const minutes = minutesTo(reach, geoid);
    return minutes === undefined ? `over ${MAX_MINUTES} min` : `${minutes} min`;
  },
  Panel: onRequest('the view', async () => (await import('./reach-panel.tsx')).ReachPanel),
  requests({ state, choice }) {
    const { origin, direction } = state;
    const { weight } = choice;
    if (origin === null) return [];
    const within = weight && accessRequest(origin, choice, direction, weight.weight);
    return [
      blocksRequest('Reach', state, origin, choice),
      ...asShown(`${weight?.label} within reach`, within),
    ];
  },
};

type Trips = Pick<Choice, 'mode' | 'times'>;

/** The trips of B. */
export function otherTrips({ otherMode: mode, otherTimes: times }: Choice): Trips {
  return { mode, times };
}

export function blocksRequest(
  name: string,
  { direction, minutes }: MapState,
  origin: Origin,
  { mode, times }: Trips,
): MapRequest {
  const from = typeof origin === 'string' ? { block: origin } : origin;
  const query = { ...from, mode, ...times, direction, minutes, format: 'blocks' } as const;
  return mapRequest(name, 'getIsochrone', query, 'blocks');
}

/**
 * Requests all blocks within an hour of an origin in one response, which covers every slider
 * position.
 */
export function reachRequest(
  origin: Origin,
  { mode, times }: Trips,
  direction: Direction,
): PaidRequest<Reach> {
  const from = typeof origin === 'string' ? { block: origin } : origin;
  const query = {
    ...from,
    mode,
    ...times,
    direction,
    minutes: MAX_MINUTES,
    format: 'blocks',
  } as const;
  return paidCall('getIsochrone', query, PLANS.charges.isochrone_contour, (found) => {
    const { blocks } = found as IsochroneBlocks;
    return reachOf(blocks.map(({ geoid, travel_min }) => ({ geoid, minutes: travel_min })));
  });
}

/** The requests of A, which is that of a reach, and of B; null without an origin. */
export function sidesOf({ state, choice }: Viewed): readonly (PaidRequest<Reach> | null)[] {
  const { origin, otherOrigin, direction } = state;
  const of = (one: Origin | null, by: Trips) =>
    one === null ? null : reachRequest(one, by, direction);
  return [of(origin, choice), of(otherOrigin ?? origin, otherTrips(choice))];
}

/** Null until it is paid for. */
export function reachIn(viewed: Viewed): Reach | null {
  return resultOf(viewed.requests, sidesOf(viewed)[0]);
}

type Counts = DataOf<'getBlockAccess'>['results'];

/**
 * Requests how much of a weight is within reach of an origin; the result is empty if the mode has
 * no street near.
 */
export function accessRequest(
  origin: Origin,
  { mode, times }: Choice,
  direction: Direction,
  weight: string,
): PaidCall<Counts> {
  const query = { mode: [mode], ...times, direction, of: [weight], minutes: ACCESS_MINUTES };
  const price = ACCESS_MINUTES.length * PLANS.charges.row;
  const read = ({ results }: { readonly results: Counts }) => results;
  return typeof origin === 'string'
    ? paidCall('getBlockAccess', { geoid: origin, ...query }, price, read)
    : paidCall('getPointAccess', { ...origin, ...query }, price, read);
}
