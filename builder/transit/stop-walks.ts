import type { Millis, TargetOrdinal } from '../../shards/units.ts';
import type { InsidePois } from '../destinations/inside-pois.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { Link } from '../streets/linker.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import { searchGraphOf } from '../streets/search-graph.ts';
import { StreetSearch } from '../streets/street-search.ts';
import type { TargetLink, Terminals } from '../streets/terminals.ts';
import { EgressBuilder } from './egress.ts';
import { buildFootpaths, type StopWalk } from './footpaths.ts';
import type { Transit } from './read-transit.ts';
import type { TransitWorld } from './transit-world.ts';

const { boardSlack, maxWalkLeg, maxTransferWalk } = ROUTING.transit;
const TRANSFER_LIMIT: Millis = (maxTransferWalk / ROUTING.walkMetresPerSecond) * 1000;
const SECOND = 1000;

/** How each stop's doors are tied to the streets: into it, as a target, and out of it. */
export interface StopLinks {
  readonly into: readonly TargetLink[];
  readonly outOf: readonly (readonly Link[])[];
  /** Stops no street is near, which nobody can use. */
  readonly unlinked: number;
}

/** Ties stops to the walking network. `firstTarget`: the target number of stop 0. */
export function linkStops(
  transit: Transit,
  walk: ModeNetwork,
  firstTarget: TargetOrdinal,
): StopLinks {
  const into: TargetLink[] = [];
  let unlinked = 0;
  const outOf = transit.stops.map(({ doors }, stop) => {
    const links: Link[] = [];
    let isLinked = false;
    for (const { lon, lat, secondsIn, secondsOut } of doors) {
      const link = walk.linker.linkStop(lon, lat);
      if (typeof link === 'string') continue;
      isLinked = true;
      const longer = (seconds: number) => ({
        ...link,
        offStreet: link.offStreet + Math.round(seconds * SECOND),
      });
      if (Number.isFinite(secondsIn)) {
        into.push({ target: firstTarget + stop, link: longer(secondsIn) });
      }
      if (Number.isFinite(secondsOut)) links.push(longer(secondsOut));
    }
    if (!isLinked) unlinked++;
    return links;
  });
  return { into, outOf, unlinked };
}

/**
 * Walks from every stop: to the stops one may change to, and to the destinations and blocks one may go
 * to; those it is inside of, by `around`, are there. `terminals` hold all targets, stops last.
 */
export function walkFromStops(
  transit: Transit,
  walk: ModeNetwork,
  links: StopLinks,
  terminals: Terminals,
  around: InsidePois,
  progress: Progress,
): TransitWorld {
  const firstStop = terminals.targetCount - transit.stops.length;
  const stage = progress.start('stops', transit.stops.length, 'stops');
  const search = new StreetSearch(searchGraphOf(walk.graph), terminals, maxWalkLeg);
  const egress = new EgressBuilder(firstStop);
  const walks: StopWalk[] = [...transit.insideWalks];
  const best = new Map<TargetOrdinal, Millis>();
  links.outOf.forEach((doors, stop) => {
    best.clear();
    for (const door of doors) {
      search.run(door);
      for (let i = 0; i < search.reachedCount; i++) {
        const target = search.reached[i];
        const time = search.times[target];
        if (time < (best.get(target) ?? Number.POSITIVE_INFINITY)) best.set(target, time);
      }
    }
    for (const { lon, lat, secondsOut } of transit.stops[stop].doors) {
      if (!Number.isFinite(secondsOut)) continue;
      const time = Math.round(secondsOut * SECOND);
      for (const destination of around.at(lon, lat)) {
        // Destinations are the first of the targets.
        const target: TargetOrdinal = destination + 0;
        best.set(target, Math.min(best.get(target) ?? time, time));
      }
    }
    for (const [target, time] of best) {
      if (target < firstStop) egress.add(target, time);
      else if (target !== firstStop + stop && time <= TRANSFER_LIMIT) {
        walks.push({ from: stop, to: target - firstStop, time });
      }
    }
    egress.endStop();
    stage.at(stop + 1);
  });
  const footpaths = buildFootpaths(transit.stops.length, walks, transit.rules, boardSlack);
  stage.finish(
    `${transit.stops.length} stops (${links.unlinked} with no street near), ${walks.length} footpaths between them, of up to ${Math.round(TRANSFER_LIMIT / MILLIS_PER_MINUTE)} minutes`,
  );
  return { timetable: transit.timetable, footpaths, egress: egress.finish() };
}
