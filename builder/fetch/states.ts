import type { CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';

/** Two digits: the first of a county's five. */
export type StateFips = string;

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
  return STATE_NAMES.has(code);
}

/** The state's name as the Census Bureau writes it. */
export function stateName(state: StateFips): string {
  return STATE_NAMES.get(state)!;
}

const STATE_NAMES: ReadonlyMap<StateFips, string> = new Map([
  ['01', 'Alabama'],
  ['02', 'Alaska'],
  ['04', 'Arizona'],
  ['05', 'Arkansas'],
  ['06', 'California'],
  ['08', 'Colorado'],
  ['09', 'Connecticut'],
  ['10', 'Delaware'],
  ['11', 'District of Columbia'],
  ['12', 'Florida'],
  ['13', 'Georgia'],
  ['15', 'Hawaii'],
  ['16', 'Idaho'],
  ['17', 'Illinois'],
  ['18', 'Indiana'],
  ['19', 'Iowa'],
  ['20', 'Kansas'],
  ['21', 'Kentucky'],
  ['22', 'Louisiana'],
  ['23', 'Maine'],
  ['24', 'Maryland'],
  ['25', 'Massachusetts'],
  ['26', 'Michigan'],
  ['27', 'Minnesota'],
  ['28', 'Mississippi'],
  ['29', 'Missouri'],
  ['30', 'Montana'],
  ['31', 'Nebraska'],
  ['32', 'Nevada'],
  ['33', 'New Hampshire'],
  ['34', 'New Jersey'],
  ['35', 'New Mexico'],
  ['36', 'New York'],
  ['37', 'North Carolina'],
  ['38', 'North Dakota'],
  ['39', 'Ohio'],
  ['40', 'Oklahoma'],
  ['41', 'Oregon'],
  ['42', 'Pennsylvania'],
  ['44', 'Rhode Island'],
  ['45', 'South Carolina'],
  ['46', 'South Dakota'],
  ['47', 'Tennessee'],
  ['48', 'Texas'],
  ['49', 'Utah'],
  ['50', 'Vermont'],
  ['51', 'Virginia'],
  ['53', 'Washington'],
  ['54', 'West Virginia'],
  ['55', 'Wisconsin'],
  ['56', 'Wyoming'],
  ['72', 'Puerto Rico'],
]);
