import { PLANS } from '../../../../proxy/plans.ts';
import type { DataOf, Mode } from '../../../client/src/index.ts';
import { COUNTED_MINUTES, type Direction, type Origin } from '../state/map-state.ts';
import type { PaidRequest } from './paid-request.ts';

type Counts = DataOf<'getBlockAccess'>['results'];

/**
 * Requests how much of a weight is within reach of an origin; the result is empty if the mode has
 * no street near.
 */
export function accessRequest(
  origin: Origin,
  mode: Mode,
  direction: Direction,
  weight: string,
): PaidRequest<Counts> {
  const query = accessQuery(mode, direction, weight);
  return {
    name: `access ${JSON.stringify([origin, query])}`,
    price: COUNTED_MINUTES.length * PLANS.charges.row,
    async run(client, pay, signal) {
      const reply =
        typeof origin === 'string'
          ? pay(client.getBlockAccess({ geoid: origin, ...query }, { signal }))
          : pay(client.getPointAccess({ ...origin, ...query }, { signal }));
      return (await reply).results;
    },
  };
}

/** The query of `accessRequest`. */
export function accessQuery(mode: Mode, direction: Direction, weight: string) {
  return { mode: [mode], direction, of: [weight], minutes: COUNTED_MINUTES };
}
