import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildSmallCity } from './built-city.ts';
import { writeFeed } from './gtfs-text.ts';
import { type CityWithStops, randomCity } from './random-city.ts';
import { randomTimetable, SERVICE_DATE } from './random-timetable.ts';
import { walkingTimes } from './small-city.ts';
import { transitTimes, type Walks } from './time-expanded.ts';

const MINUTE = 60_000;
/** What rounding to milliseconds, edge by edge, can make of a walk. */
const WALK_ERROR = 20;
const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'transit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each(SEEDS)('every time by transit is that of the plain search, city %i', async (seed) => {
  const city = randomCity(seed);
  const { feeds, runs, rules } = randomTimetable(seed, city.stops);
  const files = [
    await writeFeed(path.join(folder, 'even.zip'), feeds[0], { quoteAll: true, bom: true }),
    await writeFeed(path.join(folder, 'odd'), feeds[1], { lineEnd: '\r\n', openEnd: true }),
  ];
  const built = await buildSmallCity(folder, city, files, SERVICE_DATE);

  // Walks a little too short and a little too long: between them is what the builder must find.
  const [least, most] = [-WALK_ERROR, WALK_ERROR].map((error) =>
    transitTimes(runs, rules, walksOf(city, error)),
  );
  const onFoot = walksOf(city, 0).direct;
  const shopTimes = await built.shopTimes('transit');
  const reach = await built.reach();
  const nearest = await built.nearest('bakeries');
  await built.close();
  const wrong: string[] = [];
  let faster = 0;
  city.blocks.forEach((_, block) => {
    city.shops.forEach((_, shop) => {
      const target = city.blocks.length + shop;
      const [low, high] = [least[block][target], most[block][target]];
      const row = shopTimes[block].get(shop);
      if (!isBetween(row, tenths(low), tenths(high))) {
        wrong.push(`block ${block} to shop ${shop}: ${row}, not ${tenths(low)} to ${tenths(high)}`);
      }
      if (high < onFoot[block][target] - MINUTE && row !== undefined) faster++;
    });
    const rows = [...shopTimes[block].values()];
    if (nearest[block] !== (rows.length > 0 ? Math.min(...rows) : 0)) {
      wrong.push(`block ${block} to its nearest shop: ${nearest[block]}, not one of ${rows}`);
    }
    city.blocks.forEach((_, target) => {
      if (target === block) return;
      const [low, high] = [least[block][target], most[block][target]];
      const row = reach[block].get(target);
      if (!isBetween(row, minutes(low), minutes(high))) {
        wrong.push(
          `block ${block} to block ${target}: ${row}, not ${minutes(low)} to ${minutes(high)}`,
        );
      }
      if (high < onFoot[block][target] - MINUTE && row !== undefined) faster++;
    });
  });
  expect(wrong).toEqual([]);
  // A city where nobody gains by a ride would prove nothing.
  expect(faster).toBeGreaterThan(20);
});

/** Undefined, which stands for a missing row, is later than any time. */
function isBetween(row: number | undefined, low: number | undefined, high: number | undefined) {
  const value = (time: number | undefined) => time ?? Infinity;
  return value(low) <= value(row) && value(row) <= value(high);
}

function tenths(time: number): number | undefined {
  return time > 30 * MINUTE ? undefined : Math.max(10, Math.round((time * 10) / MINUTE));
}

function minutes(time: number): number | undefined {
  return time > 60 * MINUTE ? undefined : Math.max(1, Math.ceil(time / MINUTE));
}

/** The walks of a city, each with an error added. Targets are the blocks, then the shops. */
function walksOf(city: CityWithStops, error: number): Walks {
  const points = [...city.blocks, ...city.shops, ...city.stops];
  const times = walkingTimes(city, points);
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
