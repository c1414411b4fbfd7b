import type { BlockOrdinal } from '../../shards/units.ts';
import type { LinkedTargets } from './linked-targets.ts';
import type { Link } from './linker.ts';
import type { SearchGraph } from './search-graph.ts';

export interface StreetRegion {
  readonly graph: SearchGraph;
  readonly targets: LinkedTargets;
  /** Links where trips from each block begin: four numbers per block, as written by `packLinks`. */
  readonly blockLinks: Int32Array;
  /** Links where trips by bicycle may also begin, in the form of `blockLinks`. */
  readonly rideLinks: Int32Array;
}

const NOT_LINKED = -1;

/**
 * Packs links as four numbers each: `chain` (-1 if not linked), `along`, `alongBack`, `offStreet`.
 */
export function packLinks(links: readonly (Link | null)[]): Int32Array {
  const packed = new Int32Array(links.length * 4);
  links.forEach((link, i) => {
    if (link) packed.set([link.chain, link.along, link.alongBack, link.offStreet], i * 4);
    else packed[i * 4] = NOT_LINKED;
  });
  return packed;
}

export type SearchLink = Omit<Link, 'snap'>;

export function unpackLink(packed: Int32Array, ordinal: BlockOrdinal): SearchLink | null {
  const at = ordinal * 4;
  if (packed[at] === NOT_LINKED) return null;
  return {
    chain: packed[at],
    along: packed[at + 1],
    alongBack: packed[at + 2],
    offStreet: packed[at + 3],
  };
}
