import { countyName } from '../states.ts';
import type { CountyFips } from '../units.ts';
import type { Manifest } from './manifest.ts';

/**
 * A county with a smaller share of routable blocks has a gap; fully covered counties have 90 % and
 * more.
 */
const MIN_ROUTABLE_SHARE = 0.8;

interface CoverageGap {
  readonly county: CountyFips;
  /** With its state; null if the release has no name. */
  readonly name: string | null;
  readonly blocks: number;
  readonly routable_blocks: number;
}

interface DataCoverage {
  readonly states: number;
  readonly counties: number;
  readonly population: number;
  readonly blocks: number;
  /** Blocks with a street nearby for at least one mode. */
  readonly routable_blocks: number;
}

export function dataCoverage({ counties, states }: Pick<Manifest, 'counties' | 'states'>) {
  const all = Object.values(counties);
  const sum = (member: 'population' | 'blocks' | 'routable_blocks') =>
    all.reduce((total, county) => total + county[member], 0);
  return {
    states: Object.keys(states).length,
    counties: all.length,
    population: sum('population'),
    blocks: sum('blocks'),
    routable_blocks: sum('routable_blocks'),
  } satisfies DataCoverage;
}

/**
 * Lists counties where too few blocks are routable, mostly since street data does not cover them.
 */
export function coverageGaps({ counties }: Pick<Manifest, 'counties'>): CoverageGap[] {
  return Object.entries(counties).flatMap(([county, { name, blocks, routable_blocks }]) =>
    routable_blocks < MIN_ROUTABLE_SHARE * blocks
      ? [{ county, name: countyName(county, name), blocks, routable_blocks }]
      : [],
  );
}
