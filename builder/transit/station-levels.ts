import Flatbush from 'flatbush';
import { boxAroundPoint, localDistance } from '../../shards/geometry/wgs84.ts';
import type { MappedStation } from '../extract/osm-stations.ts';
import type { FeedEntrance } from '../gtfs/entrances.ts';
import { MILLIS_PER_SECOND, OWN_RULES, ROUTING } from '../routing-parameters.ts';
import type { StopWalk } from './build-footpaths.ts';
import type { StopOfFeed, WalkOfFeed } from './feed-day.ts';
import type { Transit, TransitOfFeeds } from './join-feeds.ts';
import type { Entrance } from './transit-stop.ts';

const STREET = 0;
const { secondsALevel, subwayLevels, mappedStationRadius } = ROUTING.transit;

/**
 * Adds the time for levels between street and platform to the feeds' times inside stations, unless
 * pathways include it. The number of levels is that of the platform in the feed, or else that of
 * the nearest mapped station of the same kind, or else two for subways and none for all others.
 * Riders without steps do not use a stop off the street of which nothing is known (`isUncertain`),
 * but along pathways.
 */
export function assumeLevels(
  { stops, insideWalks, ...transit }: TransitOfFeeds,
  mapped: readonly MappedStation[],
  rulesOfR5 = OWN_RULES,
): Transit {
  const levelAt = levelsBy(mapped);
  const hasLevels = !rulesOfR5.has('station-levels');
  const levels = stops.map((stop) =>
    hasLevels
      ? (stop.level ?? levelAt(stop) ?? (stop.rails === 'subway' ? -subwayLevels : STREET))
      : STREET,
  );
  const isInStreet = rulesOfR5.has('pathways');
  const walks = isInStreet
    ? insideWalks.filter(({ lies }) => lies === 'off the street')
    : insideWalks;
  const isClosed = stops.map(({ isUncertain = false }, i) => isUncertain && levels[i] !== STREET);
  return {
    ...transit,
    stops: stops.map(({ level: _, rails: __, isUncertain: ___, entrances, ...stop }, i) => ({
      ...stop,
      entrances: (isInStreet ? [entranceAt(stop)] : entrances)
        .filter(({ level }) => level === null || !isClosed[i])
        .map((entrance) =>
          withLevels(hasLevels ? entrance : { ...entrance, level: null }, levels[i]),
        ),
    })),
    insideWalks: walks
      .filter(
        ({ from, to, lies }) => lies === 'along pathways' || !(isClosed[from] || isClosed[to]),
      )
      .flatMap((walk) => walkBetween(walk, levels[walk.from], levels[walk.to])),
  };
}

/** The entrance of a stop that is entered at its own location. */
function entranceAt({ lon, lat }: Pick<StopOfFeed, 'lon' | 'lat'>): FeedEntrance {
  return { lon, lat, secondsIn: 0, secondsOut: 0, level: STREET };
}

function withLevels({ level, ...entrance }: FeedEntrance, platform: number): Entrance {
  if (level === null) return { ...entrance, secondsOfLevels: 0 };
  const secondsOfLevels = secondsBetween(level, platform);
  return {
    ...entrance,
    secondsIn: entrance.secondsIn + secondsOfLevels,
    secondsOut: entrance.secondsOut + secondsOfLevels,
    secondsOfLevels,
  };
}

function walkBetween({ lies, ...walk }: WalkOfFeed, from: number, to: number): StopWalk[] {
  if (lies === 'off the street' && from === STREET && to === STREET) return [];
  const levels = lies === 'along pathways' ? 0 : secondsBetween(from, to) * MILLIS_PER_SECOND;
  return [{ ...walk, time: walk.time + levels, levels }];
}

function secondsBetween(level: number, other: number): number {
  return Math.abs(level - other) * secondsALevel;
}

/**
 * Returns a function that finds the level of a rail stop: that of the nearest of some stations of
 * its kind, or null if none is near. If several are equally near, the first one counts.
 */
function levelsBy(mapped: readonly MappedStation[]): (stop: StopOfFeed) => number | null {
  if (mapped.length === 0) return () => null;
  const tree = new Flatbush(mapped.length);
  for (const { lon, lat } of mapped) tree.add(lon, lat);
  tree.finish();
  return ({ lon, lat, rails }) => {
    if (rails === null) return null;
    const { minLon, minLat, maxLon, maxLat } = boxAroundPoint(lon, lat, mappedStationRadius);
    const near = tree
      .search(minLon, minLat, maxLon, maxLat, (i) => mapped[i].rails.includes(rails))
      .map((i) => ({ i, metres: localDistance(lon, lat, mapped[i].lon, mapped[i].lat) }))
      .filter(({ metres }) => metres <= mappedStationRadius)
      .sort((a, b) => a.metres - b.metres || a.i - b.i);
    return near.length === 0 ? null : mapped[near[0].i].level;
  };
}
