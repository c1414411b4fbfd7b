import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { StreetMode } from '../../shards/modes.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { OWN_RULES, ROUTING, type Routing } from '../routing-parameters.ts';
import { CoveredArea } from './covered-area.ts';
import { closeIslands, closeOffBehindPrivate, markCutOff } from './islands.ts';
import { Linker, type Surroundings } from './linker.ts';
import { type ModeCosts, modeCosts } from './mode-costs.ts';
import { buildModeGraph, type ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';

export interface ModeNetwork {
  readonly mode: StreetMode;
  readonly streets: StreetNetwork;
  /** Costs per edge of the network, with islands closed. */
  readonly costs: ModeCosts;
  readonly graph: ModeGraph;
  readonly linker: Linker;
  /** Number of vertices on islands that were too small to keep. */
  readonly islandVertices: number;
  /** Per edge, 1 if it is connected only via streets outside the street data; see `markCutOff`. */
  readonly isCutOff: Uint8Array;
}

export function buildModeNetwork(
  network: StreetNetwork,
  mode: StreetMode,
  surroundings: Surroundings,
  rulesOfR5 = OWN_RULES,
  routing: Routing = ROUTING,
): ModeNetwork {
  const costs = modeCosts(network, mode, routing);
  const isCovered = coveredVertices(network, surroundings);
  const beyond = verticesBeyond(network, surroundings.streetArea).filter((v) => isCovered[v]);
  const least = ROUTING.minIslandVertices;
  const islandVertices = closeIslands(network, costs, least, isCovered, beyond);
  const isCutOff = markCutOff(network, costs, least, isCovered, beyond);
  closeOffBehindPrivate(network, costs, beyond);
  const graph = buildModeGraph(network, costs);
  const linker = new Linker(
    network,
    costs,
    graph,
    isCutOff,
    surroundings,
    rulesOfR5,
    mode,
    routing,
  );
  return { mode, streets: network, costs, graph, linker, islandVertices, isCutOff };
}

/** Returns, per vertex, 1 where the street data claims to be complete, else 0. */
function coveredVertices(
  { vertexLon, vertexLat }: StreetNetwork,
  { coverage, outlines }: Surroundings,
): Uint8Array {
  const covered = new CoveredArea(coverage, outlines);
  return Uint8Array.from(vertexLon, (lon, v) => (covered.has(lon, vertexLat[v]) ? 1 : 0));
}

/** Finds the vertices where streets continue beyond the area read. */
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
