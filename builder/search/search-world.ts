import type { Link } from '../streets/linker.ts';
import type { EgressTable } from '../transit/egress.ts';
import type { Footpaths } from '../transit/footpaths.ts';
import type { Timetable } from '../transit/timetable.ts';
import type { SearchGraph } from './search-graph.ts';
import type { Terminals } from './terminals.ts';

/**
 * Everything that searches read and none writes: typed arrays, which threads share. Targets have
 * one numbering: places (ascending by `dest_id`), then blocks (ascending by GEOID), then, on foot,
 * transit stops.
 */
export interface SearchWorld {
  readonly places: number;
  readonly blocks: number;
  readonly walk: StreetWorld;
  readonly bike: StreetWorld;
  /** Null where there are no feeds. */
  readonly transit: TransitWorld | null;
  /** Leaf columns of place `p`: `leaves[firstLeaf[p]]` to `leaves[firstLeaf[p + 1]]`, exclusive. */
  readonly firstLeaf: Int32Array;
  readonly leaves: Int32Array;
  readonly leafCount: number;
}

export interface StreetWorld {
  readonly graph: SearchGraph;
  readonly terminals: Terminals;
  /** Where trips from each block begin: four numbers a block, as `packLinks` writes them. */
  readonly blockLinks: Int32Array;
}

export interface TransitWorld {
  readonly timetable: Timetable;
  readonly footpaths: Footpaths;
  readonly egress: EgressTable;
}

const NOT_LINKED = -1;

/** Links as four numbers each: chain (-1: not linked), along, alongBack, offStreet. */
export function packLinks(links: readonly (Link | null)[]): Int32Array {
  const packed = new Int32Array(links.length * 4);
  links.forEach((link, i) => {
    if (link) packed.set([link.chain, link.along, link.alongBack, link.offStreet], i * 4);
    else packed[i * 4] = NOT_LINKED;
  });
  return packed;
}

export type SearchLink = Omit<Link, 'snap'>;

export function unpackLink(packed: Int32Array, ordinal: number): SearchLink | null {
  const at = ordinal * 4;
  if (packed[at] === NOT_LINKED) return null;
  return {
    chain: packed[at],
    along: packed[at + 1],
    alongBack: packed[at + 2],
    offStreet: packed[at + 3],
  };
}

/** A copy whose typed arrays lie in memory that threads share. */
export function shareArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return shared(value) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shareArrays(member)]),
  ) as T;
}

function shared(array: ArrayBufferView): ArrayBufferView {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const buffer = new SharedArrayBuffer(array.byteLength);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  new Uint8Array(buffer).set(bytes);
  return new (array.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView)(buffer);
}
