import { counted, withCommas } from '../../shards/number-words.ts';
import type { Millis, TargetOrdinal } from '../../shards/units.ts';
import type { PoiAreas } from '../destinations/poi-areas.ts';
import type { Progress } from '../progress.ts';
import {
  MILLIS_PER_MINUTE,
  MILLIS_PER_SECOND,
  ROUTING,
  type Routing,
} from '../routing-parameters.ts';
import { type LinkedTargets, linkTargets, targetsAlongStreets } from '../streets/linked-targets.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import { searchGraphOf } from '../streets/search-graph.ts';
import { StreetSearch } from '../streets/street-search.ts';
import { buildFootpaths, type StopWalk } from './build-footpaths.ts';
import { buildCallOrder } from './call-order.ts';
import { EgressBuilder } from './egress.ts';
import type { Transit } from './join-feeds.ts';
import { type LinkedEntrance, longer, type StopLinks } from './stop-links.ts';
import type { TransitRegion } from './transit-region.ts';
import { buildTripTransfers } from './trip-transfers.ts';

/**
 * Yields the walks from stop to stop along the streets, one for each pair of entrances. The limit
 * applies to the way from entrance to entrance; ways inside the stations only add their time.
 * `entrances` has one list per stop.
 */
function* walksBetweenEntrances(
  walk: ModeNetwork,
  entrances: readonly (readonly LinkedEntrance[])[],
  { walkMetresPerSecond, transit: { maxTransferWalk } }: Routing,
): Generator<StopWalk> {
  const waysIn = entrances
    .flatMap((ofStop, stop) => ofStop.map((entrance) => ({ ...entrance, stop })))
    .filter(({ timeIn }) => Number.isFinite(timeIn));
  const graph = searchGraphOf(walk.graph);
  const targets = waysIn.map(({ link }, target) => ({ target, link }));
  const limit: Millis = (maxTransferWalk / walkMetresPerSecond) * 1000;
  const search = new StreetSearch(graph, linkTargets(graph, targets.length, targets), limit);
  for (const [from, ofStop] of entrances.entries()) {
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

/** The duration of the longest trip. */
const LIMIT: Millis = ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;

/**
 * Finds the walks from every stop to the stops that are possible transfers, and to the target
 * destinations and blocks. Destinations whose area in `around` contains an entrance of the stop are
 * reached at that entrance. `targets` holds all targets, stops last. The windows of departures
 * share all walks.
 */
export function walkFromStops(
  transits: readonly Transit[],
  walk: ModeNetwork,
  links: StopLinks,
  targets: LinkedTargets,
  around: PoiAreas,
  progress: Progress,
  routing: Routing = ROUTING,
): TransitRegion[] {
  const { boardSlack, maxWalkLeg, maxTransferWalk } = routing.transit;
  const [transit] = transits;
  const firstStop = targets.targetCount - transit.stops.length;
  const stage = progress.start('stops', transit.stops.length, 'stops');
  const search = new StreetSearch(searchGraphOf(walk.graph), targets, maxWalkLeg);
  const egress = new EgressBuilder(targetsAlongStreets(targets, firstStop));
  const best = new Map<TargetOrdinal, Millis>();
  links.entrances.forEach((entrances, stop) => {
    best.clear();
    const reach = (target: TargetOrdinal, time: Millis) => {
      if (time < (best.get(target) ?? Number.POSITIVE_INFINITY)) best.set(target, time);
    };
    for (const { link, timeOut } of entrances) {
      if (!Number.isFinite(timeOut)) continue;
      search.run(longer(link, timeOut));
      for (let i = 0; i < search.reachedCount; i++) {
        const target = search.reached[i];
        if (target < firstStop) reach(target, search.times[target]);
      }
    }
    for (const { lon, lat, secondsOut } of transit.stops[stop].entrances) {
      if (!Number.isFinite(secondsOut)) continue;
      // Destinations come first among the targets.
      for (const destination of around.at(lon, lat)) {
        reach(destination + 0, Math.round(secondsOut * MILLIS_PER_SECOND));
      }
    }
    for (const [target, time] of best) egress.add(target, time);
    egress.endStop();
    stage.at(stop + 1);
  });
  const walks = walksBetweenStops(transit, walk, links, routing);
  const footpaths = buildFootpaths(transit.stops.length, walks, transit.rules, boardSlack);
  const orders = transits.map(({ timetable }) =>
    buildCallOrder(timetable, buildTripTransfers(timetable, footpaths, LIMIT)),
  );
  stage.finish(
    `${counted(transit.stops.length, 'stop')} (${withCommas(links.unlinked)} not near a street), ${counted(footpaths.ways.length / 2, 'transfer')}, up to ${withCommas(maxTransferWalk)} m along streets`,
  );
  const shared = { egress: egress.finish(), footpaths };
  return transits.map(({ window, timetable }, w) => {
    return { window, timetable, order: orders[w], ...shared };
  });
}

function* walksBetweenStops(
  { insideWalks }: Transit,
  walk: ModeNetwork,
  { entrances }: StopLinks,
  routing: Routing,
): Generator<StopWalk> {
  yield* insideWalks;
  yield* walksBetweenEntrances(walk, entrances, routing);
}
