import type { DestId } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { DestinationFacts } from './destination.ts';

/** Throws a `BuildError` that names both destinations if two have the same `destId`. */
export function checkDestIds(
  destinations: readonly Pick<DestinationFacts, 'destId' | 'source'>[],
): void {
  const sources = new Map<DestId, string>();
  for (const { destId, source } of destinations) {
    const other = sources.get(destId);
    if (other !== undefined) {
      throw new BuildError(
        `${other} and ${source} both have dest_id ${destId}: their ids are equal or, rarely, have the same hash; change one of them`,
      );
    }
    sources.set(destId, source);
  }
}
