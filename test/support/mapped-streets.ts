import type { StreetNodes, StreetWays } from '../../builder/streets/street-ways.ts';

export interface MappedWay {
  /** Nodes of the way, by number. */
  readonly refs: readonly number[];
  readonly traits: number;
}

/**
 * Nodes at given positions and ways over them, as in an extract. By default, nodes have no traits.
 */
export function mappedStreets(
  places: readonly (readonly number[])[],
  ways: readonly MappedWay[],
  nodeTraits: readonly number[] = [],
): [ways: StreetWays, nodes: StreetNodes] {
  let end = 0;
  const ends = ways.map(({ refs }) => (end += refs.length));
  return [
    {
      count: ways.length,
      osmId: Float64Array.from(ways.keys()),
      traits: Uint32Array.from(ways, ({ traits }) => traits),
      firstRef: Uint32Array.of(0, ...ends),
      refs: Uint32Array.from(ways.flatMap(({ refs }) => refs)),
    },
    {
      count: places.length,
      osmId: Float64Array.from(places.keys()),
      lon: Float64Array.from(places, ([lon]) => lon),
      lat: Float64Array.from(places, ([, lat]) => lat),
      traits: Uint8Array.from(places, (_, node) => nodeTraits[node] ?? 0),
    },
  ];
}
