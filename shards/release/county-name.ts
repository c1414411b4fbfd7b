import { uspsOf } from '../states.ts';
import type { CountyFips } from '../units.ts';

/** The name of a county with its state, `Orleans Parish, LA`; null without a name. */
export function countyName(county: CountyFips, name: string | undefined): string | null {
  return name === undefined ? null : `${name}, ${uspsOf(county)}`;
}

/** A county in messages: `22071 (Orleans Parish, LA)`; its code alone without a name. */
export function countyInWords(county: CountyFips, name: string | undefined): string {
  return name === undefined ? county : `${county} (${countyName(county, name)})`;
}
