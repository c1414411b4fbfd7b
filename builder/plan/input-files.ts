import type { InputPaths } from '../build-request.ts';
import type { PlannedInput } from './planned-input.ts';
import type { ReleasePlan } from './release-plan.ts';

/** Where on this machine the inputs of a plan lie. */
export type PathOf = (input: PlannedInput) => string;

/** What units read of a plan's inputs, as paths of this machine: of the others, what is prepared. */
export function pathsOf(
  { inputs }: ReleasePlan,
  pathOf: PathOf,
): Omit<Required<InputPaths>, 'osm' | 'blocks' | 'pois' | 'gtfs'> {
  return {
    places: inputs.places.map(pathOf),
    elevation: inputs.elevation.map(pathOf),
  };
}
