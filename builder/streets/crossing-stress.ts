import type { StreetNetwork } from './network.ts';
import {
  hasTrackBackward,
  hasTrackForward,
  isStressTagged,
  stressBackward,
  stressForward,
  withStress,
} from './trait-bits.ts';

type CrossingEdges = Pick<StreetNetwork, 'vertexCount' | 'edgeCount' | 'from' | 'to' | 'traits'>;

/** Traffic stress on a track, where riders are separated from the adjacent cars. */
const STRESS_ON_TRACK = 1;

/**
 * Raises the stress of edges at crossings without a signal, as Conveyal R5 does: each edge there
 * gets the highest stress of any that meets it, in both directions. All crossings are evaluated
 * before any edge is changed, so that stress spreads by only one edge. Ways with tagged stress keep
 * it, and pass it on.
 *
 * A street with a cycle track passes on the stress of its cars, which riders crossing it encounter;
 * along the track, riders encounter only streets without one. `traits` has the stress next to the
 * cars, per edge; `hasSignal` is indexed by vertex. Returns the traits of each edge with the stress
 * of riding along it.
 */
export function raiseStressAtCrossings(
  { vertexCount, edgeCount, from, to, traits }: CrossingEdges,
  hasSignal: Uint8Array,
): Uint32Array {
  const worst = new Uint8Array(vertexCount);
  const worstWithoutTrack = new Uint8Array(vertexCount);
  const passOn = (vertex: number, own: number) => {
    if (hasSignal[vertex]) return;
    const stress = Math.max(stressForward(own), stressBackward(own));
    worst[vertex] = Math.max(worst[vertex], stress);
    if (hasTrackForward(own) || hasTrackBackward(own)) return;
    worstWithoutTrack[vertex] = Math.max(worstWithoutTrack[vertex], stress);
  };
  for (let e = 0; e < edgeCount; e++) {
    passOn(from[e], traits[e]);
    passOn(to[e], traits[e]);
  }
  return traits.map((own, e) => {
    if (isStressTagged(own)) return own;
    const met = Math.max(worst[from[e]], worst[to[e]]);
    const metOnTrack = Math.max(worstWithoutTrack[from[e]], worstWithoutTrack[to[e]]);
    const onTrack = Math.max(STRESS_ON_TRACK, metOnTrack);
    return withStress(
      own,
      hasTrackForward(own) ? onTrack : Math.max(stressForward(own), met),
      hasTrackBackward(own) ? onTrack : Math.max(stressBackward(own), met),
    );
  });
}
