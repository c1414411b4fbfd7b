import { Taxonomy } from '../../shards/taxonomy.ts';
import { TAXONOMY, type TaxonomyEntry } from '../destinations/taxonomy.ts';
import type { Region } from './read-region.ts';

/**
 * The destination types of a region's release: the taxonomy, but without transit no type that only feeds
 * give, unless a list of one's own has it.
 */
export function taxonomyOf({ transit, listedTypes }: Region): Taxonomy {
  const isHeld = ({ source, dest_type_id }: TaxonomyEntry) =>
    source !== 'gtfs' || transit !== null || listedTypes.has(dest_type_id);
  return new Taxonomy(TAXONOMY.filter(isHeld).map(publicType));
}

function publicType({ dest_type_id, label, name, parent_id }: TaxonomyEntry) {
  return { dest_type_id, label, name, parent_id };
}
