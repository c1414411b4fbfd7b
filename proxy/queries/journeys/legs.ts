import type { CountyTransit } from '../../../shards/transit/transit-table.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';
import type { Journey } from './journey.ts';

export const LEG_KINDS = ['walk', 'wait', 'ride', 'transfer'] as const;

/** A part of a trip. A transfer is the way from one vehicle to where the next one stops. */
export interface Leg {
  readonly kind: (typeof LEG_KINDS)[number];
  readonly minutes: Minutes;
  readonly route?: string;
  readonly from_stop?: string;
  readonly to_stop?: string;
}

/**
 * The legs of a journey. Their minutes add up to its travel time exactly, since `rounded` is
 * applied to the time at which each leg ends, as it is to the travel time. Waits, walks and
 * transfers that take no time are left out.
 */
export function legsOf(
  { access, rides, length }: Journey,
  { stops, routes }: Pick<CountyTransit, 'stops' | 'routes'>,
  rounded: (time: Millis) => Minutes,
): Leg[] {
  const legs: Leg[] = [];
  let now: Minutes = 0;
  const until = (time: Millis, kind: Leg['kind'], facts: Omit<Leg, 'kind' | 'minutes'> = {}) => {
    const end = Math.max(now, rounded(time));
    // Tenths of a minute are inexact as floating-point numbers, so the last bit may be off.
    const minutes = Math.round((end - now) * 10) / 10;
    if (minutes > 0 || kind === 'ride') legs.push({ kind, minutes, ...facts });
    now = end;
  };
  until(access, 'walk', { to_stop: stops[rides[0].from] });
  rides.forEach(({ route, from, to, ready, departs, arrives }, i) => {
    const between = { from_stop: stops[from], to_stop: stops[to] };
    if (ready !== null) {
      if (i > 0) {
        until(ready, 'transfer', { from_stop: stops[rides[i - 1].to], to_stop: stops[from] });
      }
      until(departs, 'wait', { from_stop: stops[from] });
    }
    until(arrives, 'ride', { route: routes[route], ...between });
  });
  until(length, 'walk', { from_stop: stops[rides[rides.length - 1].to] });
  return legs;
}
