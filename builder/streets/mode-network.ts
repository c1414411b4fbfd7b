import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { StreetMode } from '../../shards/modes.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import { closeIslands, closeOffBehindPrivate } from './islands.ts';
import { Linker, type Surroundings } from './linker.ts';
import { type ModeCosts, modeCosts } from './mode-costs.ts';
import { buildModeGraph, type ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';

/** The streets as one mode sees them: islands gone, contracted, ready to link and to search. */
export interface ModeNetwork {
  readonly mode: StreetMode;
  /** Of each edge of the network, islands closed. */
  readonly costs: ModeCosts;
  readonly graph: ModeGraph;
  readonly linker: Linker;
  /** Vertices that were on islands too small to keep. */
  readonly islandVertices: number;
}

export function buildModeNetwork(
  network: StreetNetwork,
  mode: StreetMode,
  surroundings: Surroundings,
): ModeNetwork {
  const costs = modeCosts(network, mode);
  const beyond = verticesBeyond(network, surroundings.streetArea);
  const islandVertices = closeIslands(network, costs, ROUTING.minIslandVertices, beyond);
  closeOffBehindPrivate(network, costs, beyond);
  const graph = buildModeGraph(network, costs);
  const linker = new Linker(network, costs, graph, surroundings);
  return { mode, costs, graph, linker, islandVertices };
}

/** Where the streets go on past what is read of them. */
function verticesBeyond(
  { vertexCount, vertexLon, vertexLat }: StreetNetwork,
  area?: BoundingBox,
): readonly number[] {
  const beyond: number[] = [];
  if (!area) return beyond;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (!boxContains(area, vertexLon[vertex], vertexLat[vertex])) beyond.push(vertex);
  }
  return beyond;
}
