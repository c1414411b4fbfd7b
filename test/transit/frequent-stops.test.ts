import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import type { StopOfFeed } from '../../builder/transit/feed-day.ts';
import { frequentStops } from '../../builder/transit/frequent-stops.ts';
import type { TransitStop } from '../../builder/transit/transit-stop.ts';
import { buildTimetable } from '../../shards/transit/timetable.ts';
import { forAll } from '../support/for-all.ts';
import { AM, joinedFeeds } from '../support/joined-feeds.ts';
import { Dice } from './dice.ts';

/**
 * A stop without a station, with its departures in the window by line, about the given metres north
 * of a point.
 */
function stopAt(north: number, lines: Record<string, number> | number, agency = 'MTA', id = '7') {
  const at = { lon: -76.6, lat: 39 + north / 111_000 };
  const stop: TransitStop = {
    agency,
    id,
    name: `${agency} ${id}`,
    windowStart: 0,
    ...at,
    station: { id, name: `${agency} ${id}`, ...at },
    entrances: [{ ...at, secondsIn: 0, secondsOut: 0, secondsOfLevels: 0 }],
  };
  const departures = new Map(Object.entries(typeof lines === 'number' ? { red: lines } : lines));
  return { stop, departures };
}

function frequent(...list: readonly ReturnType<typeof stopAt>[]) {
  return frequentStops({
    window: AM,
    stops: list.map(({ stop }) => stop),
    departures: list.map(({ departures }) => departures),
    timetable: buildTimetable(list.length, []),
    routes: [],
    rules: [],
    insideWalks: [],
  });
}

test('a stop is frequent with four departures an hour within one line and one direction', () => {
  expect(frequent(stopAt(0, { 'red north': 4 }))).toHaveLength(1);
  expect(frequent(stopAt(0, { 'red north': 3, 'red south': 3, 'blue north': 3 }))).toEqual([]);
});

test('the stops of one station are one place, whose departures add up', () => {
  const places = frequent(stopAt(0, 2), stopAt(300, 2));
  expect(places).toHaveLength(1);
  expect(places[0].entrances).toHaveLength(2);
  expect(frequent(stopAt(0, 2), stopAt(0, 1))).toEqual([]);
});

test('a line that two feeds list counts once', () => {
  const days = [3, 3].map((departures) => {
    const { stop } = stopAt(0, 0);
    const stops = [{ ...stop, rails: null, level: null } as unknown as StopOfFeed];
    const lists = { trips: [], routes: [], continuations: [], rules: [], insideWalks: [] };
    return { ...lists, stops, departures: [new Map([['red', departures]])] };
  });
  const { stops, ...joined } = joinedFeeds(days);
  const list = stops as unknown as readonly TransitStop[];
  expect(frequentStops({ ...joined, stops: list, insideWalks: [] })).toEqual([]);
});

test('one id for locations more than a kilometre or two apart is two places', () => {
  const [here, there] = [stopAt(0, 4), stopAt(300_000, 5)];
  const places = frequent(here, there);
  expect(places.map(({ entrances }) => entrances)).toEqual(
    places.map(({ lon, lat }) => [{ lon, lat }]),
  );
  expect(new Set(places.map(({ destId }) => destId)).size).toBe(2);
  expect(new Set(places.map(({ source }) => source)).size).toBe(2);
  // Departures are not added up either.
  expect(frequent(stopAt(0, 2), stopAt(300_000, 2))).toEqual([]);
});

test('a place keeps its id whatever feeds share its build, and whatever their order', () => {
  const stops = [stopAt(0, 4), stopAt(300_000, 5), stopAt(300_200, 5), stopAt(900_000, 6)];
  const places = frequent(...stops);
  expect(places).toHaveLength(3);
  expect(frequent(...stops.toReversed())).toEqual(places);
  const idsOf = (...list: typeof stops) => frequent(...list).map(({ destId }) => destId);
  for (const stop of stops) expect(idsOf(...stops)).toEqual(expect.arrayContaining(idsOf(stop)));
});

test('a place has the departures of its platforms together, and their entrances from south to north', () =>
  forAll(100, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const stations = Array.from({ length: 4 }, (_, i) => {
      const aside = () => 0.03 * dice.below(2) + dice.below(3) / 1e4;
      const at = { lon: -76 - aside(), lat: 39 + aside() };
      return { id: `S${dice.below(2)}`, name: `station ${i}`, ...at };
    });
    const list = Array.from({ length: 1 + dice.below(6) }, (_, i) => {
      const station = dice.pick(stations);
      const at = { lon: station.lon + dice.below(3) / 1e4, lat: station.lat + dice.below(3) / 1e4 };
      const stop: TransitStop = {
        agency: dice.pick(['MTA', 'BART']),
        id: `${i}`,
        name: `platform ${i}`,
        windowStart: 0,
        ...at,
        station,
        entrances: Array.from({ length: 1 + dice.below(2) }, (_, n) => {
          return {
            lon: at.lon + i,
            lat: at.lat + n,
            secondsIn: i,
            secondsOut: 0,
            secondsOfLevels: 0,
          };
        }),
      };
      const departures = new Map(
        ['red', 'blue'].filter(() => dice.chance(0.7)).map((line) => [line, 1 + dice.below(4)]),
      );
      return { stop, departures };
    });
    const placeOf = ({ stop: { agency, station } }: (typeof list)[number]) =>
      [agency, station.id, Math.round(100 * station.lon), Math.round(100 * station.lat)].join();
    const keys = [...new Set(list.map(placeOf))];
    const frequentOnes = keys.flatMap((key) => {
      const own = list.filter((one) => placeOf(one) === key);
      const most = Math.max(
        ...['red', 'blue'].map((line) =>
          own.reduce((sum, { departures }) => sum + (departures.get(line) ?? 0), 0),
        ),
      );
      if (most < 4) return [];
      const sorted = own.toSorted(
        (a, b) =>
          a.stop.station.lat - b.stop.station.lat ||
          a.stop.station.lon - b.stop.station.lon ||
          a.stop.lat - b.stop.lat ||
          a.stop.lon - b.stop.lon ||
          Number(a.stop.id) - Number(b.stop.id),
      );
      const { lon, lat } = sorted[0].stop.station;
      const entrances = sorted.flatMap(({ stop }) =>
        stop.entrances.map((way) => ({ lon: way.lon, lat: way.lat })),
      );
      return [{ name: sorted[0].stop.station.name, lon, lat, entrances }];
    });
    const found = frequent(...list);
    const order = (places: readonly { readonly name: string }[]) =>
      places.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(
      order(
        found.map(({ name, lon, lat, entrances }) => ({
          name,
          lon,
          lat,
          entrances: [...entrances!],
        })),
      ),
    ).toEqual(order(frequentOnes));
    expect(found).toEqual(found.toSorted((a, b) => a.destId - b.destId));
    expect(
      frequent(
        ...list
          .map((one) => ({ one, at: dice.next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one),
      ),
    ).toEqual(found);
  }));

test('a place states its source, and is of the type of frequent transit', () => {
  const [place] = frequent(stopAt(0, 4, 'MTA', '12'));
  const type = TAXONOMY.find(({ dest_type_id }) => dest_type_id === place.types[0]);
  expect(place).toMatchObject({
    name: 'MTA 12',
    source: 'stop 12 at 39.00, -76.60 of MTA',
    address: { street: null, city: null, state: null, zip: null },
    brand: null,
  });
  expect([place.types.length, type?.source]).toEqual([1, 'gtfs']);
  const both = frequent(stopAt(0, 4, 'MTA', '12'), stopAt(0, 4, 'BART', '12'));
  expect(new Set(both.map(({ destId }) => destId)).size).toBe(2);
});
