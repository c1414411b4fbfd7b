import { z } from 'zod';
import type { Release } from '../../shards/release.ts';
import type { Minutes } from '../../shards/units.ts';
import { FILL_HOLES_BELOW } from './contour.ts';

/** As far as reach between blocks goes. */
export const MAX_MINUTES: Minutes = 60;

export const assumptionsSchema = z.looseObject({
  max_trip_duration_min: z.int().optional(),
  transit_departure: z.string().optional(),
  transit_percentile: z.int().optional(),
  transit_window_min: z.int().optional(),
});

/** What the times of an isochrone rest on. */
export function assumptionsOf({ manifest }: Release) {
  return {
    ...manifest.assumptions,
    max_trip_duration_min: MAX_MINUTES,
    fill_holes_below_m2: FILL_HOLES_BELOW,
  };
}
