import { STATES, type StateFips } from '../../shards/states.ts';
import type { CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';

/** The state of a county. Throws a `BuildError` for a code of no state. */
export function stateOf(county: CountyFips): StateFips {
  const state = county.slice(0, 2);
  if (isState(state)) return state;
  throw new BuildError(
    `county ${county}: ${state} is no state; a county code begins with that of one of the 50 states, of the District of Columbia (11) or of Puerto Rico (72)`,
  );
}

/** Whether a code is of a state whose streets and census can be had. */
export function isState(code: StateFips): boolean {
  return STATES.has(code);
}

export function stateName(state: StateFips): string {
  return STATES.get(state)!.name;
}
