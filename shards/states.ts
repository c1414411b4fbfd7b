import type { CountyFips } from './units.ts';

/** Two digits: the prefix of every kind of GEOID. */
export type StateFips = string;

interface State {
  /** The two-letter postal abbreviation. */
  readonly usps: string;
  /** Name as the Census Bureau writes it. */
  readonly name: string;
}

const FIPS_USPS_NAME = [
  ['01', 'AL', 'Alabama'],
  ['02', 'AK', 'Alaska'],
  ['04', 'AZ', 'Arizona'],
  ['05', 'AR', 'Arkansas'],
  ['06', 'CA', 'California'],
  ['08', 'CO', 'Colorado'],
  ['09', 'CT', 'Connecticut'],
  ['10', 'DE', 'Delaware'],
  ['11', 'DC', 'District of Columbia'],
  ['12', 'FL', 'Florida'],
  ['13', 'GA', 'Georgia'],
  ['15', 'HI', 'Hawaii'],
  ['16', 'ID', 'Idaho'],
  ['17', 'IL', 'Illinois'],
  ['18', 'IN', 'Indiana'],
  ['19', 'IA', 'Iowa'],
  ['20', 'KS', 'Kansas'],
  ['21', 'KY', 'Kentucky'],
  ['22', 'LA', 'Louisiana'],
  ['23', 'ME', 'Maine'],
  ['24', 'MD', 'Maryland'],
  ['25', 'MA', 'Massachusetts'],
  ['26', 'MI', 'Michigan'],
  ['27', 'MN', 'Minnesota'],
  ['28', 'MS', 'Mississippi'],
  ['29', 'MO', 'Missouri'],
  ['30', 'MT', 'Montana'],
  ['31', 'NE', 'Nebraska'],
  ['32', 'NV', 'Nevada'],
  ['33', 'NH', 'New Hampshire'],
  ['34', 'NJ', 'New Jersey'],
  ['35', 'NM', 'New Mexico'],
  ['36', 'NY', 'New York'],
  ['37', 'NC', 'North Carolina'],
  ['38', 'ND', 'North Dakota'],
  ['39', 'OH', 'Ohio'],
  ['40', 'OK', 'Oklahoma'],
  ['41', 'OR', 'Oregon'],
  ['42', 'PA', 'Pennsylvania'],
  ['44', 'RI', 'Rhode Island'],
  ['45', 'SC', 'South Carolina'],
  ['46', 'SD', 'South Dakota'],
  ['47', 'TN', 'Tennessee'],
  ['48', 'TX', 'Texas'],
  ['49', 'UT', 'Utah'],
  ['50', 'VT', 'Vermont'],
  ['51', 'VA', 'Virginia'],
  ['53', 'WA', 'Washington'],
  ['54', 'WV', 'West Virginia'],
  ['55', 'WI', 'Wisconsin'],
  ['56', 'WY', 'Wyoming'],
  ['72', 'PR', 'Puerto Rico'],
] as const;

/** The states, the District of Columbia and Puerto Rico: those with street and census data. */
export const STATES: ReadonlyMap<StateFips, State> = new Map(
  FIPS_USPS_NAME.map(([fips, usps, name]) => [fips, { usps, name }]),
);

/** FIPS code of the state of demo cities, which no real state has. */
export const FICTIONAL_STATE: StateFips = '99';

/** Territories, and the fictional state. */
const OTHER_USPS: ReadonlyMap<StateFips, string> = new Map([
  ['60', 'AS'],
  ['66', 'GU'],
  ['69', 'MP'],
  ['78', 'VI'],
  [FICTIONAL_STATE, 'XA'],
]);

/** Code in Census Bureau lists for a location outside all states. */
const UNKNOWN = 'ZZ';

/** The names and abbreviations that addresses have for states, each with the abbreviation. */
export const POSTAL_NAMES: readonly (readonly [words: string, usps: string])[] = [
  ...[...STATES.values()].flatMap(({ usps, name }) => [
    [usps, usps] as const,
    [name, usps] as const,
  ]),
  ...[...OTHER_USPS.values()].map((usps) => [usps, usps] as const),
];

export function stateFipsOf(geoid: string): StateFips {
  return geoid.slice(0, 2);
}

export function uspsOf(geoid: string): string {
  const fips = stateFipsOf(geoid);
  return STATES.get(fips)?.usps ?? OTHER_USPS.get(fips) ?? UNKNOWN;
}

/** The name of a county with its state, `Orleans Parish, LA`; null without a name. */
export function countyName(county: CountyFips, name: string | undefined): string | null {
  return name === undefined ? null : `${name}, ${uspsOf(county)}`;
}

/** A county in messages: `22071 (Orleans Parish, LA)`; its code alone without a name. */
export function countyInWords(county: CountyFips, name: string | undefined): string {
  return name === undefined ? county : `${county} (${countyName(county, name)})`;
}
