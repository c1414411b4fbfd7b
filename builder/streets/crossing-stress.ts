import type { StreetNetwork } from './network.ts';
import { isStressTagged, stressBackward, stressForward, withStress } from './traits.ts';

type CrossingEdges = Pick<StreetNetwork, 'vertexCount' | 'edgeCount' | 'from' | 'to' | 'traits'>;

/**
 * Raises the stress of edges at crossings without a signal, as Conveyal R5 does: there, each edge
 * has the stress of the worst that meets it, in both directions. All crossings are looked at before
 * any edge is changed, so that stress spreads by one edge only. Ways whose stress a tag says keep
 * it, and pass it on. `hasSignal`: by vertex. Returns the traits of each edge.
 */
export function raiseStressAtCrossings(
  { vertexCount, edgeCount, from, to, traits }: CrossingEdges,
  hasSignal: Uint8Array,
): Uint32Array {
  const worst = new Uint8Array(vertexCount);
  for (let e = 0; e < edgeCount; e++) {
    const stress = Math.max(stressForward(traits[e]), stressBackward(traits[e]));
    if (!hasSignal[from[e]]) worst[from[e]] = Math.max(worst[from[e]], stress);
    if (!hasSignal[to[e]]) worst[to[e]] = Math.max(worst[to[e]], stress);
  }
  return traits.map((own, e) => {
    if (isStressTagged(own)) return own;
    const least = Math.max(worst[from[e]], worst[to[e]]);
    return withStress(
      own,
      Math.max(stressForward(own), least),
      Math.max(stressBackward(own), least),
    );
  });
}
