import type { ExpressionSpecification } from 'maplibre-gl';
import { CLASS, UNROUTED_CLASS } from './block-fills.ts';
import { streetsOf } from './street-modes.ts';

/** The class of a block; 0 without one. */
export const CLASS_STATE = [
  'coalesce',
  ['feature-state', CLASS],
  0,
] as unknown as ExpressionSpecification;

/**
 * Opacity of stripes: of every block in their layer, or of those whose class says so. It depends on
 * the state either way: MapLibre cannot update a tile that was laid out for a state, and arrives
 * late, by a value without one.
 */
export function stripeOpacity(every: boolean): ExpressionSpecification {
  return ['case', ['==', CLASS_STATE, UNROUTED_CLASS], 1, every ? 1 : 0];
}

export function isBlock(geoid: string | null): ExpressionSpecification {
  return ['==', ['get', 'geoid'], geoid ?? ''];
}

/** Blocks without a street near by all of these modes. */
export function isUnlinkedFor(modes: readonly string[]): ExpressionSpecification {
  const streets = streetsOf(modes);
  const unlinked: ExpressionSpecification = ['coalesce', ['get', 'unlinked'], ''];
  return ['all', ...streets.map((street): ExpressionSpecification => ['in', street, unlinked])];
}
