import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PoiAreas } from '../../builder/destinations/poi-areas.ts';
import type { Progress } from '../../builder/progress.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { linkTargets } from '../../builder/streets/linked-targets.ts';
import type { Link } from '../../builder/streets/linker.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { WALK } from '../../builder/streets/trait-bits.ts';
import { buildFootpaths, type StopWalk } from '../../builder/transit/build-footpaths.ts';
import { buildCallOrder } from '../../builder/transit/call-order.ts';
import { CLUSTER_SIZE, type EgressTable } from '../../builder/transit/egress.ts';
import type { Transit } from '../../builder/transit/join-feeds.ts';
import { linkStops } from '../../builder/transit/stop-links.ts';
import { walkFromStops } from '../../builder/transit/stop-walks.ts';
import type { Entrance, TransitStop } from '../../builder/transit/transit-stop.ts';
import { buildTripTransfers } from '../../builder/transit/trip-transfers.ts';
import { ALIGHT, BOARD, buildTimetable } from '../../shards/transit/timetable.ts';
import { forAll } from '../support/for-all.ts';
import { AM } from '../support/joined-feeds.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { Dice } from './dice.ts';

/** A minute's walk of 80 m at the equator in degrees to the east, and a metre to the north. */
const MINUTE_EAST = 80 / 111_319.490793;
const METRE_NORTH = 1 / 110_574.275822;
const MINUTE = 60_000;
const CORNERS = 60;
/** A latitude far from any street. */
const FAR_NORTH = 5_000 * METRE_NORTH;

/** A street along the equator, which takes 59 minutes on foot. */
const corners = Array.from({ length: CORNERS }, (_, i) => [i * MINUTE_EAST, 0]);
const pieces = corners.slice(1).map((_, i) => ({ refs: [i, i + 1], traits: WALK }));
const walk = buildModeNetwork(buildNetwork(...mappedStreets(corners, pieces)), 'walk', {
  coverage: null,
});

interface WayIn {
  /** Minutes along the street; null far from the street. */
  readonly at: number | null;
  /** Minutes inside on the way in, and on the way out; infinite where there is no such way. */
  readonly in: number;
  readonly out: number;
  readonly levels: number;
}

/** Stops with ways in from the street, a few trips between them, and targets beside the street. */
function randomTown(dice: Dice) {
  const minutes = () => dice.pick([0, 0, 1, 3, Infinity]);
  const stops = Array.from({ length: 2 + dice.below(5) }, () =>
    Array.from({ length: dice.pick([1, 1, 2, 3]) }, (): WayIn => {
      const levels = dice.pick([0, 2]);
      const at = dice.chance(0.1) ? null : dice.below(CORNERS - 1);
      return { at, in: levels + minutes(), out: levels + minutes(), levels };
    }),
  );
  const someStop = () => dice.below(stops.length);
  const trips = Array.from({ length: 2 + dice.below(12) }, () => {
    const calls = Array.from({ length: 2 + dice.below(3) }, someStop);
    const begins = dice.below(30);
    const times = calls
      .map((_, i) => (begins + i * (1 + dice.below(4)) + 0.5) * MINUTE)
      .sort((a, b) => a - b);
    const rules = calls.map(() => BOARD | ALIGHT);
    return { stops: calls, rules, arrivals: times, departures: times, route: 0 };
  });
  const insideWalks = Array.from({ length: dice.pick([0, 0, 2]) }, (): StopWalk => {
    const from = someStop();
    const to = (from + 1 + dice.below(stops.length - 1)) % stops.length;
    return { from, to, time: MINUTE * (1 + dice.below(5)), levels: 0 };
  });
  const kinds = ['never', 'timed', 'minimum'] as const;
  const rules = Array.from({ length: dice.pick([0, 2, 6]) }, () => ({
    from: someStop(),
    to: someStop(),
    kind: dice.pick(kinds),
    minimum: MINUTE * dice.below(9),
  }));
  const transit: Transit = {
    window: AM,
    stops: stops.map((ways) => ({ entrances: ways.map(entranceOf) }) as unknown as TransitStop),
    timetable: buildTimetable(stops.length, trips),
    routes: ['Line'],
    rules,
    insideWalks,
    departures: [],
  };
  const targets = Array.from({ length: 1 + dice.below(20) }, () => dice.below(CORNERS - 1));
  return { stops, transit, insideWalks, rules, targets };
}

function entranceOf({ at, in: into, out, levels }: WayIn): Entrance {
  return {
    lon: (at ?? 0) * MINUTE_EAST,
    lat: at === null ? FAR_NORTH : 0,
    secondsIn: 60 * into,
    secondsOut: 60 * out,
    secondsOfLevels: 60 * levels,
  };
}

/** Collects the summaries that stages finish with. */
function listening(said: string[]): Progress {
  return {
    start: () => ({ at: () => {}, finish: (text) => said.push(text ?? '') }),
    note: () => {},
  };
}

/** The walks from each stop, by target. */
function walksOf({ targets, firstPair, stop, walks }: EgressTable, stopCount: number) {
  const found = Array.from({ length: stopCount }, () => new Map<number, number>());
  for (let cluster = 0; cluster + 1 < firstPair.length; cluster++) {
    for (let pair = firstPair[cluster]; pair < firstPair[cluster + 1]; pair++) {
      for (let i = 0; i < CLUSTER_SIZE; i++) {
        const walk = walks[pair * CLUSTER_SIZE + i];
        if (walk < 1 << 24) found[stop[pair]].set(targets[cluster * CLUSTER_SIZE + i], walk);
      }
    }
  }
  return found;
}

test('riders walk up to a kilometre from stop to stop, and half an hour from a stop to a place, by any way out', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { stops, transit, insideWalks, rules, targets } = randomTown(dice);
    const links = linkStops(transit, walk, targets.length);
    const onStreet = ({ at }: WayIn) => at !== null;
    expect(links.unlinked).toBe(stops.filter((ways) => !ways.some(onStreet)).length);
    expect(
      links.entrances.map((ways) =>
        ways.map(({ timeIn, timeOut, levels }) => [timeIn, timeOut, levels]),
      ),
    ).toEqual(
      stops.map((ways) =>
        ways
          .filter(onStreet)
          .map((way) => [way.in, way.out, way.levels].map((one) => one * MINUTE)),
      ),
    );
    expect(links.into.map(({ target, link }) => [target, link.offStreet])).toEqual(
      stops.flatMap((ways, stop) =>
        ways
          .filter((way) => onStreet(way) && way.in !== Infinity)
          .map((way) => [targets.length + stop, MINUTE * way.in]),
      ),
    );
    const placed = targets.map((at, target) => ({
      target,
      link: walk.linker.link(at * MINUTE_EAST, 0) as Link,
    }));
    const all = linkTargets(walk.graph, targets.length + stops.length, [...placed, ...links.into]);
    // The outline of the first target contains the first corner.
    const outline = [-0.5, 0.5].flatMap((at): [number, number][] => {
      const norths = at < 0 ? [-1e-4, 1e-4] : [1e-4, -1e-4];
      return norths.map((lat) => [at * MINUTE_EAST, lat]);
    });
    const hasOutline = dice.chance(0.5);
    const pois = hasOutline ? [{ outline: [[[...outline, outline[0]]]] }] : [];
    const around = new PoiAreas(pois as unknown as ConstructorParameters<typeof PoiAreas>[0]);
    const said: string[] = [];
    const way = { windows: [transit], walk, links, targets: all };
    const [[region]] = walkFromStops([way], around, listening(said));

    expect([...region.egress.targets].sort((a, b) => a - b)).toEqual([...targets.keys()]);
    const found = walksOf(region.egress, stops.length);
    stops.forEach((ways, stop) => {
      targets.forEach((at, target) => {
        const times = ways.flatMap((way) => {
          if (!Number.isFinite(way.out)) return [];
          const isInside = hasOutline && target === 0 && way.at === 0;
          const onFoot = way.at === null ? [] : [way.out + Math.abs(at - way.at)];
          return [...onFoot.filter((one) => one <= 30), ...(isInside ? [way.out] : [])];
        });
        const time = found[stop].get(target);
        if (times.length === 0) expect(time).toBeUndefined();
        else expect(Math.abs(time! - MINUTE * Math.min(...times))).toBeLessThan(100);
      });
    });

    const walks: StopWalk[] = stops.flatMap((ways, from) =>
      stops.flatMap((others, to) =>
        ways.flatMap((way) =>
          others.flatMap((other) => {
            const isUsed = onStreet(way) && onStreet(other) && from !== to;
            if (!isUsed || way.out + other.in === Infinity) return [];
            const minutes = Math.abs(way.at! - other.at!);
            if (minutes * 80 > 1_000) return [];
            const levels = MINUTE * (way.levels + other.levels);
            return [{ from, to, time: MINUTE * (way.out + minutes + other.in), levels }];
          }),
        ),
      ),
    );
    const footpaths = buildFootpaths(stops.length, [...insideWalks, ...walks], rules, MINUTE);
    const { timetable } = transit;
    expect(region.order).toEqual(
      buildCallOrder(timetable, buildTripTransfers(timetable, footpaths, 60 * MINUTE)),
    );
    const transfers = footpaths.ways.length / 2;
    expect(said.join()).toMatch(
      new RegExp(
        `^${stops.length} stops? \\(${links.unlinked} not near a street\\), ${transfers} transfers?,`,
      ),
    );
  }));
