import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MappedStation } from '../../builder/extract/osm-stations.ts';
import type { FeedEntrance } from '../../builder/gtfs/entrances.ts';
import { RULE_NAMES } from '../../builder/routing-parameters.ts';
import type { StopOfFeed, WalkOfFeed } from '../../builder/transit/feed-day.ts';
import { assumeLevels } from '../../builder/transit/station-levels.ts';
import { buildTimetable } from '../../shards/transit/timetable.ts';
import { forAll } from '../support/for-all.ts';
import { AM } from '../support/joined-feeds.ts';
import { Dice } from './dice.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;
const RAILS = ['subway', 'tram', 'train'] as const;

/** Seconds from one level to the next. */
const LEVEL = 30;

function randomStation(dice: Dice) {
  const draw = () => ({
    lon: dice.between(-300, 300) * METRE[0],
    lat: dice.between(-300, 300) * METRE[1],
  });
  const mapped = Array.from({ length: dice.below(6) }, (): MappedStation => {
    const rails = RAILS.filter(() => dice.chance(0.5));
    return { ...draw(), rails, level: dice.below(7) - 3 };
  });
  const stops = Array.from({ length: 1 + dice.below(4) }, (_, i) => {
    const entrances = Array.from(
      { length: 1 + dice.below(2) },
      (): FeedEntrance => ({
        ...draw(),
        secondsIn: dice.below(90),
        secondsOut: dice.below(90),
        level: dice.pick([null, 0, 0, -1, 2]),
      }),
    );
    const rails = dice.pick([null, ...RAILS]);
    const level = dice.chance(0.3) ? dice.below(5) - 2 : null;
    return { id: `stop ${i}`, ...draw(), entrances, rails, level, windowStart: i };
  });
  const insideWalks = Array.from({ length: dice.below(5) }, (): WalkOfFeed => {
    const lies = dice.pick(['along pathways', 'indoors', 'off the street'] as const);
    const [from, to] = [dice.below(stops.length), dice.below(stops.length)];
    return { from, to, time: 1_000 * dice.below(200), lies };
  });
  const rules = RULE_NAMES.filter(() => dice.chance(0.3));
  return { mapped, stops, insideWalks, rulesOfR5: new Set(rules) };
}

test('a platform has the level of its feed, or of the nearest station of its kind, or a usual one, or lies in the street as in R5', () =>
  forAll(250, fc.nat(), (seed) => {
    const { mapped, stops, insideWalks, rulesOfR5 } = randomStation(new Dice(seed));
    const [hasLevels, hasPathways] = [!rulesOfR5.has('station-levels'), !rulesOfR5.has('pathways')];
    const levels = stops.map(({ lon, lat, rails, level }) => {
      if (!hasLevels) return 0;
      if (level !== null) return level;
      const near = mapped
        .filter((station) => rails !== null && station.rails.includes(rails))
        .map((station) => {
          const [east, north] = [(station.lon - lon) / METRE[0], (station.lat - lat) / METRE[1]];
          return { metres: Math.hypot(east, north), level: station.level };
        })
        .filter(({ metres }) => metres <= 150)
        .sort((a, b) => a.metres - b.metres);
      return near[0]?.level ?? (rails === 'subway' ? -2 : 0);
    });
    const entrancesOf = ({ lon, lat, entrances }: Pick<StopOfFeed, 'lon' | 'lat' | 'entrances'>) =>
      hasPathways ? entrances : [{ lon, lat, secondsIn: 0, secondsOut: 0, level: 0 }];
    const found = assumeLevels(
      {
        window: AM,
        stops: stops as unknown as StopOfFeed[],
        insideWalks,
        timetable: buildTimetable(stops.length, []),
        routes: [],
        rules: [],
        departures: [],
      },
      mapped,
      rulesOfR5,
    );
    expect(found.stops).toEqual(
      stops.map(({ level: _, rails: __, ...stop }, i) => ({
        ...stop,
        entrances: entrancesOf(stop).map(({ level, ...entrance }) => {
          const more = level === null || !hasLevels ? 0 : LEVEL * Math.abs(level - levels[i]);
          return {
            ...entrance,
            secondsIn: entrance.secondsIn + more,
            secondsOut: entrance.secondsOut + more,
            secondsOfLevels: more,
          };
        }),
      })),
    );
    expect(found.insideWalks).toEqual(
      insideWalks.flatMap(({ from, to, time, lies }) => {
        const isOnStreet = levels[from] === 0 && levels[to] === 0;
        if (lies === 'off the street' ? isOnStreet : !hasPathways) return [];
        const between = 1_000 * LEVEL * Math.abs(levels[from] - levels[to]);
        const more = lies === 'along pathways' ? 0 : between;
        return [{ from, to, time: time + more, levels: more }];
      }),
    );
  }));
