import type { DestTypeId } from '../../shards/units.ts';
import type { Destination } from './destination.ts';
import { TAXONOMY, UNKNOWN_LEVEL } from './taxonomy.ts';

/**
 * Per type, the type at which sources are compared: itself, or its group for school levels and park
 * sizes, which not every source provides.
 */
const COMPARED = comparedTypes();

/** Whether two POIs have a type in common, at the precision of the less precise source. */
export function isAlike(a: Destination, b: Destination): boolean {
  return a.types.some((type) =>
    b.types.some((other) => COMPARED.get(type) === COMPARED.get(other)),
  );
}

/**
 * The types of a POI from two sources, ascending: the types of the first, and those of the second
 * that the first lacks, including the level of a school for which the first has no level.
 */
export function typesOfBoth(a: Destination, b: Destination): DestTypeId[] {
  const isLevel = (type: DestTypeId) => COMPARED.get(type) === COMPARED.get(UNKNOWN_LEVEL);
  const isLeveled = b.types.some((type) => isLevel(type) && type !== UNKNOWN_LEVEL);
  const own = a.types.filter((type) => type !== UNKNOWN_LEVEL || !isLeveled);
  const compared = new Set(own.map((type) => COMPARED.get(type)));
  const more = b.types.filter((type) => !compared.has(COMPARED.get(type)));
  return [...own, ...more].sort((x, y) => x - y);
}

function comparedTypes(): ReadonlyMap<DestTypeId, DestTypeId> {
  const topLevel = new Set(TAXONOMY.filter((t) => t.parent_id === null).map((t) => t.dest_type_id));
  return new Map(
    TAXONOMY.map(({ dest_type_id, parent_id }) => [
      dest_type_id,
      parent_id === null || topLevel.has(parent_id) ? dest_type_id : parent_id,
    ]),
  );
}
