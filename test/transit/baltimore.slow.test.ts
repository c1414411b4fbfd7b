import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlockIndex } from '../../shards/blocks/block-index.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import type { Minutes } from '../../shards/units.ts';
import { SecondEngine } from '../search/second-engine.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM, baltimoreFile } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { type BuiltCity, buildCity } from './built-city.ts';
import { plainFeed } from './plain-feed.ts';
import { type Run, transitTimes } from './time-expanded.ts';

const MINUTE = 60_000;

/**
 * Each feed, the day it is read on, and the services that run then. The street data is from 2015,
 * so the nearest ordinary days are the first ones. The trains are read on a Monday in November
 * 2020, one of the most common days, a week after the last of their services starts; the buses a
 * week after they start; the boats on the first day that their feed claims to cover.
 */
const FEEDS = [
  {
    file: 'charm_city_circulator.zip',
    date: '2023-01-09',
    services: ['39435', '39435.102117', '39437.102146'],
  },
  { file: 'harbor_connector.zip', date: '2024-01-10', services: ['c_21779_b_30547_d_31'] },
  { file: 'mta_lightrail.zip', date: '2020-11-09', services: ['3011'] },
  { file: 'mta_marc.zip', date: '2020-11-09', services: ['101'] },
  { file: 'mta_metro.zip', date: '2020-11-09', services: ['2011'], underground: true },
];
/** Milliseconds from the street down to a platform, missing from these feeds and the map. */
const DOWN = MINUTE;
/** Positions of stops in the feeds. */
const MARITIME_PARK: Position = [-76.59589, 39.27906];
const LOCUST_POINT: Position = [-76.58974, 39.27592];
const JOHNS_HOPKINS: Position = [-76.594107, 39.298289];
const SHOT_TOWER: Position = [-76.605814, 39.289952];
const fileOf = (name: string) => baltimoreFile(`gtfs/${name}`);

describe('transit in Baltimore', () => {
  let folder: string;
  let built: BuiltCity;
  let reach: Map<number, Minutes>[];
  let index: BlockIndex;
  let engine: SecondEngine;
  /** Blocks with a walkable street. */
  let linked: number[];

  beforeAll(async () => {
    await ensureDebianPackage('osmium-tool', 'osmium');
    await ensureDebianPackage('unzip', 'unzip');
    engine = new SecondEngine(BALTIMORE_OSM);
    folder = await mkdtemp(path.join(tmpdir(), 'baltimore-transit-'));
    built = await buildCity(folder, {
      osm: [BALTIMORE_OSM],
      blocks: [BALTIMORE_BLOCKS],
      gtfs: FEEDS.map(({ file }) => fileOf(file)),
    });
    reach = await built.reach();
    const [county] = Object.values(built.release.manifest.counties);
    index = await built.release.index(county);
    linked = Array.from({ length: index.count }, (_, i) => i).filter(
      (i) => index.link(i, 'walk').status === 'linked',
    );
  });
  afterAll(async () => {
    await built?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('every feed is read on a day it runs, and feeds that do not run on the common day are named', () => {
    const { assumptions, feeds: facts } = built.release.manifest;
    expect(facts.map(({ file, service_date }) => [file, service_date])).toEqual(
      FEEDS.map(({ file, date }) => [file, date]),
    );
    expect(facts.map((feed) => feed.runs_on_common_day)).toEqual([false, false, true, true, true]);
    expect(assumptions.transit_departure).toBe('2020-11-09T08:00:00');
    const warnings = built.said.filter((line) => line.includes('WARNING'));
    expect(warnings.map((line) => FEEDS.findIndex(({ file }) => line.includes(file)))).toEqual([
      0, 1,
    ]);
  });

  test('42 blank times of the Circulator are filled in, and 54 orphans of the boats are reported', () => {
    const { feeds } = built.release.manifest;
    const problems = feeds.map((feed) => feed.problems.map(({ file, rows }) => `${file} ${rows}`));
    expect(problems).toEqual([['stop_times.txt 42'], ['stop_times.txt 54'], [], [], []]);
    expect(built.said.join('\n')).toMatch(/circulator.*42.*interpolated/);
    expect(built.said.join('\n')).toMatch(/harbor_connector.*54.*trips\.txt/);
  });

  /*
   * All vehicles leave on whole minutes, so a walk of a minutes and the wait for the next whole one
   * take ⌈a⌉, plus one for boarding. A boat leaves every 15 minutes: the waits that follow are 0 to
   * 14 minutes, four times each, so that number 5, counted from 0, is 1. A train leaves every 8
   * minutes: seven or eight waits are 0, so that number 5 is 0.
   */
  test.each([
    { name: 'boat over the harbour', from: MARITIME_PARK, to: LOCUST_POINT, wait: 1, ride: 7 },
    { name: 'boat back', from: LOCUST_POINT, to: MARITIME_PARK, wait: 1, ride: 7 },
    { name: 'train downtown', from: JOHNS_HOPKINS, to: SHOT_TOWER, wait: 0, ride: 2, down: DOWN },
  ])('the $name takes the time in its timetable', ({ from, to, wait, ride, down = 0 }) => {
    const [origin, target] = [from, to].map((stop) => nearestBlock(index, linked, stop));
    const points = [centreOf(index, origin), from, to, centreOf(index, target)];
    const [[, access], , [, , , egress]] = engine.times(points, [0, 1, 2], 60 * MINUTE);
    const toPlatform = Math.ceil((access + down) / MINUTE);
    const minutes = toPlatform + 1 + wait + ride + (down + egress) / MINUTE;
    expect(Math.abs(reach[origin].get(target)! - Math.ceil(minutes))).toBeLessThanOrEqual(1);
  });

  test('times agree with a brute-force search on the walks of a second engine', () => {
    // The second engine has no private legs, and links across water: it is used only where both
    // link alike.
    const theirs = engine.metresToStreet(linked.map((block) => centreOf(index, block)));
    const alike = linked.filter(
      (block, i) => Math.abs(index.link(block, 'walk').snap - theirs[i]) < 1,
    );
    expect(alike.length / linked.length).toBeGreaterThan(0.9);
    const origins = alike.filter((_, i) => i % 60 === 0);
    const targets = alike.filter((_, i) => i % 7 === 0);

    const runs: Run[] = [];
    const stops: Position[] = [];
    const down: number[] = [];
    for (const { file, services, underground } of FEEDS) {
      const feed = plainFeed(fileOf(file), services);
      const first = stops.length;
      stops.push(...feed.stops.map(({ lon, lat }) => [lon, lat] as const));
      down.push(...feed.stops.map(() => (underground ? DOWN : 0)));
      runs.push(
        ...feed.runs.map((run) => run.map((call) => ({ ...call, stop: call.stop + first }))),
      );
    }
    const inMorning = runs.filter(
      (run) => run[0].departs <= 10 * 60 * MINUTE && run[run.length - 1].arrives >= 8 * 60 * MINUTE,
    );
    const walks = walksBetween(
      engine,
      [...origins, ...targets].map((block) => centreOf(index, block)),
      stops,
      origins.length,
    );
    // The two engines' walks differ by up to 5 %.
    const [least, most] = [0.95, 1.05].map((factor) => {
      const scaled = (rows: number[][]) => rows.map((row) => row.map((walk) => walk * factor));
      return transitTimes(inMorning, [], {
        access: scaled(walks.access),
        between: scaled(walks.between),
        egress: scaled(walks.egress),
        direct: scaled(walks.direct),
        levels: down,
      });
    });
    const onFoot = { pairs: 0, agree: 0 };
    const byRide = { pairs: 0, agree: 0 };
    const wholeMinutes = (time: number) => {
      const minutes = Math.ceil(time / MINUTE);
      return minutes <= 60 ? minutes : Infinity;
    };
    origins.forEach((origin, o) => {
      targets.forEach((target, t) => {
        if (origin === target) return;
        const row = reach[origin].get(target) ?? Infinity;
        const [low, high] = [wholeMinutes(least[o][t]), wholeMinutes(most[o][t])];
        const count = most[o][t] < walks.direct[o][t] - MINUTE ? byRide : onFoot;
        count.pairs++;
        if (low <= row && row <= high) count.agree++;
      });
    });
    expect(byRide.pairs).toBeGreaterThan(1_000);
    expect(byRide.agree / byRide.pairs).toBeGreaterThan(0.99);
    expect(onFoot.agree / onFoot.pairs).toBeGreaterThan(0.99);
  });
});

function centreOf(index: BlockIndex, block: number): Position {
  return [index.lon[block] / 1e6, index.lat[block] / 1e6];
}

function nearestBlock(index: BlockIndex, blocks: readonly number[], at: Position): number {
  const distance = (block: number) => {
    const [lon, lat] = centreOf(index, block);
    return Math.hypot((lon - at[0]) * Math.cos((lat * Math.PI) / 180), lat - at[1]);
  };
  return blocks.reduce((best, block) => (distance(block) < distance(best) ? block : best));
}

/**
 * Walks by the second engine from points, the first of which are the origins, and between stops.
 */
function walksBetween(
  engine: SecondEngine,
  points: readonly Position[],
  stops: readonly Position[],
  originCount: number,
) {
  // Walks end where the street data ends.
  const [west, south, east, north] = [-76.6081, 39.2586, -76.5288, 39.3065];
  const inside = stops.map(
    ([lon, lat]) => lon >= west && lon <= east && lat >= south && lat <= north,
  );
  const near = stops.filter((_, stop) => inside[stop]);
  const starts = Array.from({ length: originCount + near.length }, (_, i) =>
    i < originCount ? i : points.length + i - originCount,
  );
  const times = engine.times([...points, ...near], starts, 66 * MINUTE);
  /** A value for each stop: those inside in order, Infinity for the rest. */
  const spread = <T>(values: readonly T[], otherwise: T): T[] => {
    let next = 0;
    return inside.map((is) => (is ? values[next++] : otherwise));
  };
  const toTargets = (row: readonly number[]) => row.slice(originCount, points.length);
  const toStops = (row: readonly number[]) => spread(row.slice(points.length), Infinity);
  const fromStops = times.slice(originCount);
  const never = (length: number) => Array<number>(length).fill(Infinity);
  return {
    access: times.slice(0, originCount).map(toStops),
    direct: times.slice(0, originCount).map(toTargets),
    between: spread(fromStops.map(toStops), never(stops.length)),
    egress: spread(fromStops.map(toTargets), never(points.length - originCount)),
  };
}
