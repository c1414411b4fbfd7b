import { PLANS } from '../../../../../proxy/plans.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { DataOf, IsochroneBlocks, Mode } from '../../../../client/src/index.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { type Reach, reachOf } from '../../measures/reach.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { Choice } from '../../state/choice.ts';
import {
  COUNTED_MINUTES,
  type Direction,
  MAX_MINUTES,
  type MapState,
  type Origin,
} from '../../state/map-state.ts';

/**
 * Requests all blocks within an hour of an origin in one response, which covers every slider
 * position.
 */
export function reachRequest(
  origin: Origin,
  { mode, timing }: Pick<Choice, 'mode' | 'timing'>,
  direction: Direction,
): PaidRequest<Reach> {
  const from = typeof origin === 'string' ? { block: origin } : origin;
  const at = { ...from, mode, ...timingOf([mode], timing) };
  const query = { ...at, direction, minutes: MAX_MINUTES, format: 'blocks' } as const;
  return paidCall('getIsochrone', query, PLANS.charges.isochrone_contour, (found) => {
    const { blocks } = found as IsochroneBlocks;
    return reachOf(blocks.map(({ geoid, travel_min }) => ({ geoid, minutes: travel_min })));
  });
}

/** The requests of A and B; null without an origin. */
export function sidesOf(
  { origin, otherOrigin, direction }: MapState,
  { mode, timing, otherMode, otherTiming }: Choice,
): readonly [PaidRequest<Reach> | null, PaidRequest<Reach> | null] {
  const of = (one: Origin | null, by: Mode, at: Timing) =>
    one === null ? null : reachRequest(one, { mode: by, timing: at }, direction);
  return [of(origin, mode, timing), of(otherOrigin ?? origin, otherMode, otherTiming)];
}

type Counts = DataOf<'getBlockAccess'>['results'];

/**
 * Requests how much of a weight is within reach of an origin; the result is empty if the mode has
 * no street near.
 */
export function accessRequest(
  origin: Origin,
  choice: Choice,
  direction: Direction,
  weight: string,
): PaidRequest<Counts> {
  const { operation, parameters } = accessCall(origin, choice, direction, weight);
  const price = COUNTED_MINUTES.length * PLANS.charges.row;
  return paidCall(operation, parameters, price, ({ results }) => results);
}

export function accessCall(
  origin: Origin,
  { mode, timing }: Choice,
  direction: Direction,
  weight: string,
) {
  const times = { mode: [mode], ...timingOf([mode], timing) };
  const query = { ...times, direction, of: [weight], minutes: COUNTED_MINUTES };
  return typeof origin === 'string'
    ? ({ operation: 'getBlockAccess', parameters: { geoid: origin, ...query } } as const)
    : ({ operation: 'getPointAccess', parameters: { ...origin, ...query } } as const);
}
