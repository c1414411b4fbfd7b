import type { ExpressionSpecification } from 'maplibre-gl';
import { UNROUTED_CLASS } from '../measures/block-classes.ts';
import { CLASS } from './block-fills.ts';
import { streetsOf } from './street-modes.ts';

/** The class of a block; 0 without one. */
export const CLASS_STATE = [
  'coalesce',
  ['feature-state', CLASS],
  0,
] as unknown as ExpressionSpecification;

/**
 * Opacity of stripes: on every block of their layer, or only on those of `UNROUTED_CLASS`. The
 * expression depends on the state either way: if a tile was laid out for a state and arrives late,
 * MapLibre cannot update it with a value that does not depend on one.
 */
export function stripeOpacity(every: boolean): ExpressionSpecification {
  return ['case', ['==', CLASS_STATE, UNROUTED_CLASS], 1, every ? 1 : 0];
}

export function isBlock(geoid: string | null): ExpressionSpecification {
  return ['==', ['get', 'geoid'], geoid ?? ''];
}

/** Filter for the blocks without a street near for every one of these modes. */
export function isUnlinkedFor(modes: readonly string[]): ExpressionSpecification {
  const streets = streetsOf(modes);
  const unlinked: ExpressionSpecification = ['coalesce', ['get', 'unlinked'], ''];
  return ['all', ...streets.map((street): ExpressionSpecification => ['in', street, unlinked])];
}
