import { rankIn } from '../arrays/sorted.ts';
import { BLOCKS_PER_COUNTY, countyOf, type GeoidNumber, geoidFromNumber } from '../geoid.ts';
import type { CountyFips } from '../units.ts';

/** Ranges of each county's blocks among ascending GEOIDs. */
export function countyRanges(
  geoids: Float64Array,
): { fips: CountyFips; first: number; end: number }[] {
  const ranges: { fips: CountyFips; first: number; end: number }[] = [];
  for (let first = 0; first < geoids.length; ) {
    const fips = countyOf(geoidFromNumber(geoids[first] as GeoidNumber));
    const end = rankIn(geoids, (Number(fips) + 1) * BLOCKS_PER_COUNTY);
    ranges.push({ fips, first, end });
    first = end;
  }
  return ranges;
}
