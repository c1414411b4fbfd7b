import path from 'node:path';
import { expect, test } from 'vitest';
import { faultsIn } from '../support/faults.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { buildSmallCity } from './built-city.ts';
import { Dice } from './dice.ts';
import { writeFeed } from './gtfs-text.ts';
import { type CityWithStops, randomCity } from './random-city.ts';
import { randomTimetable, SERVICE_DATE } from './random-timetable.ts';
import { type Point, walkingTimes } from './small-city.ts';
import { transitTimes, type Walks, type Window } from './time-expanded.ts';

const MINUTE = 60_000;
/** The maximum effect of rounding to milliseconds, edge by edge, on a walk. */
const WALK_ERROR = 20;
const SEEDS = [1, 2, 3, 4, 5, 7];
/** Seeds of cities that are tested again, with their second feed running below the streets. */
const BELOW = [2, 7];

/** A window that is neither as long as the usual one nor begins at a full hour. */
const EARLY = { opens: 7 * 60 + 40, departures: 45 };
/** Each service by transit in the terms of the brute-force search. */
const WINDOWS: Readonly<Record<string, Window>> = {
  transit: { opens: 8 * 60, departures: 60, rank: 6 },
  'transit.am.50': { opens: 8 * 60, departures: 60, rank: 30 },
  'transit.early': { ...EARLY, rank: 5 },
  'transit.early.95': { ...EARLY, rank: 43 },
};

const STEP_FREE = Object.fromEntries(
  Object.entries(WINDOWS).map(([service, window]) => [
    service.replace('transit', 'transit_step_free'),
    window,
  ]),
);

const folder = folderOfEachTest();

test.each([
  ...SEEDS.map((seed) => ({ seed, where: 'in the streets' })),
  ...BELOW.map((seed) => ({ seed, where: 'below the streets' })),
])(
  'every time by transit, in any window and percentile, equals that of the brute-force search, city $seed $where',
  async ({ seed, where }) => {
    const flat = randomCity(seed);
    const stairs = new Dice(seed ^ 0x57a125);
    const isStairs = flat.streets.map(() => stairs.chance(0.08));
    const city = {
      ...flat,
      streetTags: Object.fromEntries(
        isStairs.flatMap((is, street) => (is ? [[street, { highway: 'steps' }]] : [])),
      ),
    };
    const withoutSteps = { ...flat, streets: flat.streets.filter((_, i) => !isStairs[i]) };
    const { feeds, runs, rules, inSeat, inWheelchair } = randomTimetable(seed, city.stops);
    const isBelow = where === 'below the streets';
    const odd = {
      ...feeds[1],
      'routes.txt': feeds[1]['routes.txt'].map((route) => {
        return { ...route, route_type: isBelow ? 1 : 3 };
      }),
    };
    const files = [
      await writeFeed(path.join(folder, 'even.zip'), feeds[0], { quoteAll: true, bom: true }),
      await writeFeed(path.join(folder, 'odd'), odd, { lineEnd: '\r\n', openEnd: true }),
    ];
    const built = await buildSmallCity(folder, city, files, {
      serviceDate: SERVICE_DATE,
      windows: [{ name: 'early', day: 'weekday', ...EARLY }],
      percentiles: { am: [50], early: [95] },
      furtherModes: ['transit_step_free'],
    });
    expect(await faultsIn(built.release.store)).toEqual([]);

    const byTransit = Object.keys(WINDOWS);
    const services = [...byTransit, ...Object.keys(STEP_FREE)];
    expect(built.release.manifest.modes).toEqual([
      ...['walk', 'bike', ...byTransit],
      ...['step_free', ...Object.keys(STEP_FREE)],
    ]);
    const points = [...city.blocks, ...city.shops, ...city.stops];
    const times = walkingTimes(flat, points);
    // Walks without steps may begin on a nearer street, but are not sooner than others.
    const stepFreeTimes = walkingTimes(withoutSteps, points).map((row, from) =>
      row.map((time, to) => Math.max(time, times[from][to])),
    );
    const wrong: string[] = [];
    // A service by which no trip gains by a ride would prove nothing.
    const faster = Object.fromEntries(services.map((service) => [service, 0]));
    for (const service of services) {
      const isStepFree = service in STEP_FREE;
      const own = isStepFree ? stepFreeTimes : times;
      const onFoot = walksOf(city, own, 0).direct;
      const shopTimes = await built.shopTimes(service);
      const nearest = await built.nearest('bakeries', service);
      const reach = await built.reach(service);
      // Walks a little too short and a little too long: the results must lie between them.
      const [least, most] = [-WALK_ERROR, WALK_ERROR].map((error) => {
        const walks = { ...walksOf(city, own, error), ...(isBelow && stationsOf(city, error)) };
        return isStepFree
          ? transitTimes(
              inWheelchair.runs,
              rules,
              isBelow ? withoutStations(walks, inWheelchair.unknownStops) : walks,
              inWheelchair.inSeat,
              STEP_FREE[service],
            )
          : transitTimes(runs, rules, walks, inSeat, WINDOWS[service]);
      });
      const check = (block: number, target: number, row: number | undefined, toUnit: Rounding) => {
        const [low, high] = [least, most].map((bound) => toUnit(bound[block][target]));
        const time = row ?? Infinity;
        if (time < low || time > high)
          wrong.push(`${service}: ${block} to ${target}: ${time}, not ${low} to ${high}`);
        if (row && most[block][target] < onFoot[block][target] - MINUTE) faster[service]++;
      };
      city.blocks.forEach((_, block) => {
        city.blocks.forEach((_, target) => {
          if (target !== block) check(block, target, reach[block].get(target), minutes);
        });
        city.shops.forEach((_, shop) => {
          check(block, city.blocks.length + shop, shopTimes[block].get(shop), tenths);
        });
        const rows = [...shopTimes[block].values()];
        expect(nearest[block]).toBe(rows.length > 0 ? Math.min(...rows) : 0);
      });
    }
    await built.close();
    expect(wrong).toEqual([]);
    expect(Math.min(faster.transit, faster['transit.early'])).toBeGreaterThan(20);
    expect(faster.transit_step_free).toBeGreaterThan(0);
    expect(faster['transit.am.50']).toBeGreaterThan(0);
  },
);

/** Rounds milliseconds as rows do; Infinity represents a missing row. */
type Rounding = (time: number) => number;
const tenths: Rounding = (time) =>
  time > 30 * MINUTE ? Infinity : Math.max(10, Math.round((time * 10) / MINUTE));
const minutes: Rounding = (time) =>
  time > 60 * MINUTE ? Infinity : Math.max(1, Math.ceil(time / MINUTE));

/** Milliseconds between the street and a platform below it without known details. */
const DOWN = 60_000;
const SAME_STATION_METRES = 200;
const METRES_PER_MILLI = 4.8 / 3600;

/** Odd stops lie below the streets; those near each other are platforms of one station. */
function stationsOf({ stops }: CityWithStops, error: number): Pick<Walks, 'levels' | 'inside'> {
  const isBelow = stops.map((_, stop) => stop % 2 === 1);
  return {
    levels: isBelow.map((below) => (below ? DOWN : 0)),
    inside: stops.map((a, from) =>
      stops.map((b, to) => {
        const metres = metresBetween(a, b);
        const isOne = isBelow[from] && isBelow[to] && metres <= SAME_STATION_METRES;
        return isOne ? Math.max(0, metres / METRES_PER_MILLI + error) : Infinity;
      }),
    ),
  };
}

/** Walks without those to stops below the streets of which nothing is known. */
function withoutStations(walks: Walks, unknownStops: ReadonlySet<number>): Walks {
  const isClosed = (stop: number) => stop % 2 === 1 && unknownStops.has(stop);
  const open = (times: readonly (readonly number[])[] | undefined) =>
    times?.map((row, from) =>
      row.map((time, to) => (isClosed(from) || isClosed(to) ? Infinity : time)),
    );
  return {
    ...walks,
    levels: walks.levels!.map((time, stop) => (isClosed(stop) ? Infinity : time)),
    between: open(walks.between)!,
    inside: open(walks.inside)!,
  };
}

/** Metres between two points, by the series for the lengths of degrees on WGS84. */
function metresBetween(a: Point, b: Point): number {
  const lat = (((a.lat + b.lat) / 2) * Math.PI) / 180;
  const north = 111_132.954 - 559.822 * Math.cos(2 * lat) + 1.175 * Math.cos(4 * lat);
  const east = 111_412.84 * Math.cos(lat) - 93.5 * Math.cos(3 * lat) + 0.118 * Math.cos(5 * lat);
  return Math.hypot((a.lon - b.lon) * east, (a.lat - b.lat) * north);
}

/**
 * The walks of a city, each with an error added, from the times between blocks, shops and stops.
 * Targets are the blocks, then the shops.
 */
function walksOf(city: CityWithStops, times: readonly (readonly number[])[], error: number): Walks {
  const targets = times.slice(0, city.blocks.length + city.shops.length);
  const firstStop = targets.length;
  const off = (walks: readonly number[]) => walks.map((walk) => Math.max(0, walk + error));
  return {
    access: times.slice(0, city.blocks.length).map((row) => off(row.slice(firstStop))),
    between: times.slice(firstStop).map((row) => off(row.slice(firstStop))),
    egress: times.slice(firstStop).map((row) => off(row.slice(0, firstStop))),
    direct: times.slice(0, city.blocks.length).map((row) => off(row.slice(0, firstStop))),
  };
}
