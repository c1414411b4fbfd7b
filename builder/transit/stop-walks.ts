import { counted, withCommas } from '../../shards/number-words.ts';
import type { Millis, StopOrdinal, TargetOrdinal } from '../../shards/units.ts';
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
import { buildFootpaths, delayedFootpaths, type StopWalk } from './build-footpaths.ts';
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

/** Transit, a way to walk to it and from it, and its links to the streets. */
export interface WalkedTransit {
  /** By window of departures; the windows share all walks. */
  readonly windows: readonly Transit[];
  readonly walk: ModeNetwork;
  readonly links: StopLinks;
  /** All targets, stops last. */
  readonly targets: LinkedTargets;
}

/**
 * Finds the walks from every stop to the stops that are possible transfers, and to the target
 * destinations and blocks. Destinations whose area in `around` contains an entrance of the stop are
 * reached at that entrance. `riders`: all, then those without steps, if any. A walk without steps
 * may begin or end on a nearer street; it is never sooner there than that of all riders, which
 * those without steps could take too if it had no steps. Returns the transit of each, by window.
 */
export function walkFromStops(
  riders: readonly WalkedTransit[],
  around: PoiAreas,
  progress: Progress,
  routing: Routing = ROUTING,
): TransitRegion[][] {
  if (riders.length === 0) return [];
  const { boardSlack, maxTransferWalk } = routing.transit;
  const [all] = riders;
  const [{ stops }] = all.windows;
  const stage = progress.start('stops', stops.length, 'stops');
  const ways = riders.map((way) => ({
    way,
    walks: new WalksFromStop(way, around, routing),
    egress: new EgressBuilder(targetsAlongStreets(way.targets, firstStopOf(way))),
  }));
  for (let stop = 0; stop < stops.length; stop++) {
    const [{ walks: usual }] = ways;
    for (const { walks, egress } of ways) {
      walks.run(stop);
      for (const [target, time] of walks.times) {
        const least = usual.times.get(target);
        if (least !== undefined) egress.add(target, Math.max(time, least));
      }
      egress.endStop();
    }
    stage.at(stop + 1);
  }
  const footpaths = riders.map(({ windows: [base], walk, links }) => {
    const walks = walksBetweenStops(base, walk, links, routing);
    return buildFootpaths(stops.length, walks, base.rules, boardSlack);
  });
  const [usual] = footpaths;
  const transit = ways.map(({ way, egress }, i) => {
    const shared = {
      egress: egress.finish(),
      footpaths: i === 0 ? usual : delayedFootpaths(footpaths[i], usual),
    };
    return way.windows.map(({ window, timetable }) => {
      const transfers = buildTripTransfers(timetable, shared.footpaths, LIMIT);
      return { window, timetable, order: buildCallOrder(timetable, transfers), ...shared };
    });
  });
  stage.finish(
    `${counted(stops.length, 'stop')} (${withCommas(all.links.unlinked)} not near a street), ${counted(usual.ways.length / 2, 'transfer')}, up to ${withCommas(maxTransferWalk)} m along streets`,
  );
  return transit;
}

function firstStopOf({ targets, windows: [{ stops }] }: WalkedTransit): TargetOrdinal {
  return targets.targetCount - stops.length;
}

/** Finds the walks from a stop to destinations and blocks. */
class WalksFromStop {
  readonly #way: WalkedTransit;
  readonly #around: PoiAreas;
  readonly #search: StreetSearch;
  /** The times of the walks from the stop last searched from. */
  readonly times = new Map<TargetOrdinal, Millis>();

  constructor(way: WalkedTransit, around: PoiAreas, { transit: { maxWalkLeg } }: Routing) {
    this.#way = way;
    this.#around = around;
    this.#search = new StreetSearch(searchGraphOf(way.walk.graph), way.targets, maxWalkLeg);
  }

  run(stop: StopOrdinal): void {
    const { links, windows } = this.#way;
    const firstStop = firstStopOf(this.#way);
    const search = this.#search;
    this.times.clear();
    for (const { link, timeOut } of links.entrances[stop]) {
      if (!Number.isFinite(timeOut)) continue;
      search.run(longer(link, timeOut));
      for (let i = 0; i < search.reachedCount; i++) {
        const target = search.reached[i];
        if (target < firstStop) this.#reach(target, search.times[target]);
      }
    }
    for (const { lon, lat, secondsOut } of windows[0].stops[stop].entrances) {
      if (!Number.isFinite(secondsOut)) continue;
      // Destinations come first among the targets.
      for (const destination of this.#around.at(lon, lat)) {
        this.#reach(destination + 0, Math.round(secondsOut * MILLIS_PER_SECOND));
      }
    }
  }

  #reach(target: TargetOrdinal, time: Millis): void {
    if (time < (this.times.get(target) ?? Number.POSITIVE_INFINITY)) this.times.set(target, time);
  }
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
