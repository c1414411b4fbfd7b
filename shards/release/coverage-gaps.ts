import type { CountyFips } from '../units.ts';
import type { Manifest } from './manifest.ts';

/**
 * A county with a smaller share of routable blocks has a gap; fully covered counties have 90 % and
 * more.
 */
const MIN_ROUTABLE_SHARE = 0.8;

/** A county where too few blocks have a street nearby. */
export interface CoverageGap {
  readonly county: CountyFips;
  readonly blocks: number;
  readonly routable_blocks: number;
}

/** Lists counties where most unroutable blocks come from street data that does not cover them. */
export function coverageGaps({ counties }: Pick<Manifest, 'counties'>): CoverageGap[] {
  return Object.entries(counties).flatMap(([county, { blocks, routable_blocks }]) =>
    routable_blocks < MIN_ROUTABLE_SHARE * blocks ? [{ county, blocks, routable_blocks }] : [],
  );
}
