import type { Millis } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import { searchGraphOf } from '../streets/search-graph.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { hangTerminals } from '../streets/terminals.ts';
import type { StopWalk } from './footpaths.ts';
import type { LinkedDoor } from './stop-links.ts';

const LIMIT: Millis = (ROUTING.transit.maxTransferWalk / ROUTING.walkMetresPerSecond) * 1000;

/**
 * Walks from stop to stop along the streets, one for each pair of doors. What is limited is the way
 * from door to door: those inside the stations take their time and no more. `doors`: by stop.
 */
export function* walksBetweenDoors(
  walk: ModeNetwork,
  doors: readonly (readonly LinkedDoor[])[],
): Generator<StopWalk> {
  const waysIn = doors
    .flatMap((ofStop, stop) => ofStop.map((door) => ({ ...door, stop })))
    .filter(({ timeIn }) => Number.isFinite(timeIn));
  const graph = searchGraphOf(walk.graph);
  const targets = waysIn.map(({ link }, target) => ({ target, link }));
  const search = new StreetSearch(graph, hangTerminals(graph, targets.length, targets), LIMIT);
  for (const [from, ofStop] of doors.entries()) {
    for (const { link, timeOut, levels } of ofStop) {
      if (!Number.isFinite(timeOut)) continue;
      search.run(link);
      for (let i = 0; i < search.reachedCount; i++) {
        const target = search.reached[i];
        const into = waysIn[target];
        if (into.stop === from) continue;
        const time = timeOut + search.times[target] + into.timeIn;
        yield { from, to: into.stop, time, levels: levels + into.levels };
      }
    }
  }
}
