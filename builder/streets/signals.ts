import { localDistance } from '../../shards/geometry/wgs84.ts';
import { ROUTING } from '../routing-parameters.ts';
import { SIGNAL, SIGNAL_BACKWARD, SIGNAL_FORWARD, SIGNAL_OF_CROSSING } from './node-traits.ts';
import type { StreetNodes, StreetWays } from './street-ways.ts';
import {
  DRIVE_BACKWARD,
  DRIVE_FORWARD,
  isDriven,
  stressBackward,
  stressForward,
} from './trait-bits.ts';

/**
 * Returns, per node, 1 where traffic lights stop the cars: at the node itself, or on a stop line
 * before it, in the direction of travel. Lights on a stop line hold for all nodes along their
 * street within `stopLineDistance`, up to the first junction of streets. Driveways and paths that
 * meet the street before it are no such junction. In R5, lights are those of their own node alone,
 * and those of pedestrian crossings are none.
 */
export function signalledNodes(ways: StreetWays, nodes: StreetNodes, isAsInR5 = false): Uint8Array {
  const { refs, firstRef, traits } = ways;
  const { lon, lat } = nodes;
  const isSignal = (own: number) =>
    (own & SIGNAL) !== 0 && (!isAsInR5 || (own & SIGNAL_OF_CROSSING) === 0);
  const signalled = Uint8Array.from(nodes.traits, (own) => (isSignal(own) ? 1 : 0));
  if (isAsInR5) return signalled;
  const { arms, ends } = meetingStreets(ways, nodes);
  for (let way = 0; way < ways.count; way++) {
    const own = traits[way];
    for (let i = firstRef[way]; i < firstRef[way + 1]; i++) {
      const lights = nodes.traits[refs[i]];
      if ((lights & SIGNAL) === 0 || arms[refs[i]] > 2) continue;
      if (lights & SIGNAL_FORWARD && own & DRIVE_FORWARD) markAhead(way, i, 1);
      if (lights & SIGNAL_BACKWARD && own & DRIVE_BACKWARD) markAhead(way, i, -1);
    }
  }
  return signalled;

  function markAhead(start: number, from: number, direction: 1 | -1): void {
    let [way, at, step] = [start, from, direction];
    for (let metres = 0; ; ) {
      const node = refs[at];
      const isStreet = hasClass(traits[way]);
      if (at === (step === 1 ? firstRef[way + 1] - 1 : firstRef[way])) {
        if (!isStreet || arms[node] !== 2) return;
        way ^= ends[node];
        // The street is a ring.
        if (way === start) return;
        step = refs[firstRef[way]] === node ? 1 : -1;
        at = step === 1 ? firstRef[way] : firstRef[way + 1] - 1;
      }
      at += step;
      const next = refs[at];
      metres += localDistance(lon[node], lat[node], lon[next], lat[next]);
      if (metres > ROUTING.stopLineDistance) return;
      signalled[next] = 1;
      if (arms[next] > (isStreet ? 2 : 0)) return;
    }
  }
}

/**
 * Counts the arms of streets at each node, up to 3. Where exactly two streets end, `ends` holds the
 * exclusive or of their numbers.
 */
function meetingStreets({ count, refs, firstRef, traits }: StreetWays, nodes: StreetNodes) {
  const arms = new Uint8Array(nodes.count);
  const ends = new Uint32Array(nodes.count);
  for (let way = 0; way < count; way++) {
    if (!hasClass(traits[way])) continue;
    const [first, last] = [firstRef[way], firstRef[way + 1] - 1];
    for (let i = first; i <= last; i++) {
      const isEnd = i === first || i === last;
      if (isEnd) ends[refs[i]] ^= way;
      arms[refs[i]] = Math.min(3, arms[refs[i]] + (isEnd ? 1 : 2));
    }
  }
  return { arms, ends };
}

/** Whether a way is a street for cars, of a class that has stress; driveways have none. */
function hasClass(traits: number): boolean {
  return isDriven(traits) && Math.max(stressForward(traits), stressBackward(traits)) > 0;
}
