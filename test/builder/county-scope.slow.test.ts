import path from 'node:path';
import { expect, test } from 'vitest';
import { MILLIS_PER_MINUTE, ROUTING } from '../../builder/routing-parameters.ts';
import { OriginSearch } from '../../builder/search/origin-search.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { Dice } from '../transit/dice.ts';
import { AGENCY, service } from '../transit/feed-records.ts';
import { type FeedRecord, type FeedTables, gtfsTime, writeFeed } from '../transit/gtfs-text.ts';
import { type Point, pointAt, type SmallCity, writeSmallCity } from '../transit/small-city.ts';
import { linkCity } from './linked-city.ts';

const folder = folderOfTests();

/** Corners of a town in each direction. */
const CORNERS = 7;
const SPACING = 250;
const BLOCKS = 4;
const LINES = 5;

/**
 * A row of towns along one road, each a county, at random distances; stops inside and between them.
 */
interface Row extends SmallCity {
  readonly stops: readonly Point[];
  /** For each stop, the remote door of its station, where there is a shop too; null for none. */
  readonly doors: readonly (Point | null)[];
  readonly towns: number;
}

function randomRow(dice: Dice): Row {
  const corners: Point[] = [];
  const streets: [number, number][] = [];
  const [blocks, shops, stops]: Point[][] = [[], [], []];
  const towns = 3 + dice.below(3);
  let east = 0;
  let roadEnd: number | null = null;
  for (let town = 0; town < towns; town++) {
    const first = corners.length;
    const near = () => pointAt(east + dice.between(-300, 1800), dice.between(-300, 1800));
    for (let i = 0; i < CORNERS ** 2; i++) {
      const [column, row] = [i % CORNERS, Math.floor(i / CORNERS)];
      corners.push(pointAt(east + column * SPACING, row * SPACING));
      if (column > 0) streets.push([first + i - 1, first + i]);
      if (row > 0) streets.push([first + i - CORNERS, first + i]);
    }
    if (roadEnd !== null) streets.push([roadEnd, first]);
    roadEnd = first + CORNERS - 1;
    for (let i = 0; i < BLOCKS; i++) blocks.push(near());
    for (let i = 0; i < 3; i++) shops.push(near());
    for (let i = 0; i < 3; i++) stops.push(near());
    const gap = dice.between(6_000, 32_000);
    for (let i = 0; i < 3; i++) stops.push(pointAt(east + dice.between(1_500, gap), 30));
    for (let i = 0; i < 2; i++) shops.push(pointAt(east + dice.between(1_500, gap), 80));
    east += gap;
  }
  const doors = stops.map(({ lon, lat }) =>
    dice.chance(0.4) ? { lon: lon + dice.between(-0.15, 0.15), lat } : null,
  );
  shops.push(...doors.filter((door) => door !== null));
  return { corners, streets, blocks, shops, stops, doors, towns };
}

/** Fast lines between random stops, some of which lie deep behind a remote door. */
function randomFeed(dice: Dice, { stops, doors }: Row): FeedTables {
  const place = ({ lon, lat }: Point) => ({ stop_lon: lon.toFixed(7), stop_lat: lat.toFixed(7) });
  const records: FeedRecord[] = [];
  const pathways: FeedRecord[] = [];
  for (const [i, stop] of stops.entries()) {
    records.push({ stop_id: `${i}`, stop_name: `Stop ${i}`, ...place(stop) });
    const door = doors[i];
    if (!door) continue;
    const station = `station ${i}`;
    records[records.length - 1] = { ...records.at(-1), location_type: 0, parent_station: station };
    records.push(
      { stop_id: station, stop_name: station, location_type: 1, ...place(stop) },
      { stop_id: `door ${i}`, location_type: 2, parent_station: station, ...place(door) },
    );
    pathways.push({
      pathway_id: `${i}`,
      from_stop_id: `door ${i}`,
      to_stop_id: `${i}`,
      pathway_mode: 1,
      is_bidirectional: 1,
      traversal_time: dice.below(120),
    });
  }
  const trips: FeedRecord[] = [];
  const times: FeedRecord[] = [];
  for (let line = 0; line < LINES; line++) {
    const calls = Array.from({ length: 2 + dice.below(4) }, () => dice.below(stops.length));
    const legs = calls.map(() => 60 * (1 + dice.below(12)));
    const headway = 60 * (5 + dice.below(15));
    for (let at = 7 * 3600; at < 11 * 3600; at += headway) {
      const trip = `${line} at ${at}`;
      trips.push({ route_id: `${line}`, service_id: 'daily', trip_id: trip });
      let clock = at;
      for (const [i, stop] of calls.entries()) {
        const time = gtfsTime(clock);
        const when = { arrival_time: time, departure_time: time };
        times.push({ trip_id: trip, stop_id: `${stop}`, stop_sequence: i, ...when });
        clock += legs[i];
      }
    }
  }
  return {
    'agency.txt': [AGENCY],
    'stops.txt': records,
    'routes.txt': Array.from({ length: LINES }, (_, i) => {
      return { route_id: `${i}`, agency_id: 'A', route_short_name: `${i}`, route_type: 3 };
    }),
    'trips.txt': trips,
    'stop_times.txt': times,
    'calendar.txt': [service('daily', '1111111', 20260101, 20261231)],
    ...(pathways.length > 0 && { 'pathways.txt': pathways }),
  };
}

const leftOut = { places: 0, counties: 0, stops: 0 };

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'places reached from a county are listed in ascending order and lie in its scope, row of towns %i',
  async (seed) => {
    const dice = new Dice(seed * 7919);
    const row = randomRow(dice);
    const inputs = path.join(folder, `row-${seed}`);
    const feed = await writeFeed(`${inputs}-feed.zip`, randomFeed(dice, row));
    const { osm, blocks } = await writeSmallCity(folder, row);
    const sizes = Array.from({ length: row.towns }, () => BLOCKS);
    const { linked, scopes } = await linkCity({ osm, blocks, gtfs: [feed] }, sizes);
    const { destinationCount: places, blockCount: count } = linked.searchRegion;
    const search = new OriginSearch(linked.searchRegion);
    for (const { firstBlock, endBlock, windowStarts, ...scope } of scopes) {
      const inScope = new Set(scope.destinations);
      leftOut.places += places - inScope.size;
      leftOut.counties += scopes.length - scope.reach.length;
      leftOut.stops += linked.region.riders[0].windows[0].stops.length - scope.stops.length;
      for (let block = firstBlock; block < endBlock; block++) {
        search.run([block], windowStarts, () => {});
        for (const reached of search.reached) {
          const targets = [...reached.targets.subarray(0, reached.count)];
          expect(targets).toEqual(withinLimits(reached.times, places, count));
          for (const target of targets) {
            if (target < places) expect(inScope).toContain(target);
            else expect(scope.reach).toContain(linked.blocks[target - places].county);
          }
          expect(targets.filter((target) => target < places)).toHaveLength(
            reached.destinationCount,
          );
        }
      }
    }
  },
);

function withinLimits(times: Int32Array, places: number, blocks: number): number[] {
  const { maxMinutes, maxReachMinutes } = ROUTING;
  const limitOf = (target: number) => (target < places ? maxMinutes : maxReachMinutes);
  return [...times.keys()].filter(
    (target) => target < places + blocks && times[target] <= limitOf(target) * MILLIS_PER_MINUTE,
  );
}

test('scopes leave something out', () => {
  for (const count of Object.values(leftOut)) expect(count).toBeGreaterThan(10);
});
