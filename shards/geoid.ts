import { rankIn } from './arrays/sorted.ts';
import type { CountyFips } from './units.ts';

declare const geoid: unique symbol;
/**
 * A census block's 15 digits: state 2, county 3, tract 6, block 4. Leading zeros are significant.
 */
export type Geoid = string & { readonly [geoid]?: 'block' };
/** A block's 15 digits as a number: below 10¹⁵ < 2⁵³, so a double represents it exactly. */
export type GeoidNumber = number & { readonly [geoid]?: 'block number' };

/** A block's GEOID is its county code followed by ten digits. */
export const BLOCKS_PER_COUNTY = 1e10;
/** A block's GEOID is that of its block group, of twelve digits, followed by three. */
export const BLOCKS_PER_BLOCK_GROUP = 1e3;

export const BLOCK_GEOID = /^\d{15}$/;
export const PLACE_GEOID = /^\d{7}$/;
export const COUNTY_FIPS = /^\d{5}$/;

export function isGeoid(text: string): text is Geoid {
  return BLOCK_GEOID.test(text);
}

export function geoidToNumber(text: Geoid): GeoidNumber {
  return Number(text);
}

export function geoidFromNumber(value: GeoidNumber): Geoid {
  return String(value).padStart(15, '0');
}

export function countyOf(text: Geoid): CountyFips {
  return text.slice(0, 5);
}

export function countyOfBlock(geoid: GeoidNumber): CountyFips {
  return String(Math.floor(geoid / BLOCKS_PER_COUNTY)).padStart(5, '0');
}

/** Ranges of each county's blocks among ascending GEOIDs. */
export function countyRanges(
  geoids: Float64Array,
): { fips: CountyFips; first: number; end: number }[] {
  const ranges: { fips: CountyFips; first: number; end: number }[] = [];
  for (let first = 0; first < geoids.length; ) {
    const fips = countyOfBlock(geoids[first]);
    const end = rankIn(geoids, (Number(fips) + 1) * BLOCKS_PER_COUNTY);
    ranges.push({ fips, first, end });
    first = end;
  }
  return ranges;
}
