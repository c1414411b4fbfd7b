import type { DataOf, Mode, ParamsOf } from '../../../client/src/index.ts';
import { PLANS } from '../../../plans.ts';
import type { Criterion } from '../measures/basket.ts';
import type { PaidRequest } from './paid-request.ts';

export type Coverage = DataOf<'measureCoverage'>;

/** The exact sums of a basket over a place or county, by its GEOID of 7 or 5 digits. */
export function basketRequest(area: string, criteria: readonly Criterion[]): PaidRequest<Coverage> {
  const all_of = criteria.map(({ type, mode, minutes }) => ({
    type,
    mode: mode as Mode,
    max_minutes: minutes,
  }));
  return {
    name: `basket ${area} ${JSON.stringify(all_of)}`,
    price: Math.max(PLANS.charges.basket, PLANS.charges.area_minimum),
    run: (client, pay, signal) =>
      pay(client.measureCoverage({ area: areaOf(area), all_of }, { signal })),
  };
}

function areaOf(geoid: string): NonNullable<ParamsOf<'measureCoverage'>['area']> {
  return geoid.length === COUNTY_DIGITS ? { counties: [geoid] } : { places: [geoid] };
}

const COUNTY_DIGITS = 5;
