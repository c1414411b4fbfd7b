import type { SquareMetres } from '../../shards/units.ts';
import { PARK_SIZES } from './taxonomy.ts';

const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * Names in GNIS's class "Park" that are not parks; an import into OSM tagged the whole class as
 * parks.
 */
const DISTRICT = / historic district$/i;
const CENTRE = / (?:recreation|community) cent(?:er|re)$/i;

/**
 * Returns the leaf label of an element tagged as a park, by its name, then by its area, which is
 * null for a point; null if it is not a destination. The outline of a recreation centre is that of
 * its grounds, which are a park.
 */
export function parkLabel(name: string, area: SquareMetres | null): string | null {
  if (DISTRICT.test(name)) return null;
  if (area === null && CENTRE.test(name)) return 'community_centres';
  const hectares = (area ?? 0) / SQUARE_METRES_PER_HECTARE;
  return PARK_SIZES.findLast((size) => hectares >= size.fromHectares)!.label;
}
