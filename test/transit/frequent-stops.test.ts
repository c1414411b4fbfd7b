import { expect, test } from 'vitest';
import { frequentStops } from '../../builder/transit/frequent-stops.ts';
import { buildTimetable, type TransitStop } from '../../builder/transit/timetable.ts';

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
    stops: list.map(({ stop }) => stop),
    departures: list.map(({ departures }) => departures),
    timetable: buildTimetable(list.length, []),
    rules: [],
    insideWalks: [],
  });
}

test('counts four departures an hour within one line and one direction', () => {
  expect(frequent(stopAt(0, { 'red north': 4 }))).toHaveLength(1);
  expect(frequent(stopAt(0, { 'red north': 3, 'red south': 3, 'blue north': 3 }))).toEqual([]);
});

test('a stop that two feeds of an agency serve is one place, whose departures add up', () => {
  const places = frequent(stopAt(0, 2), stopAt(300, 2));
  expect(places).toHaveLength(1);
  expect(places[0].entrances).toHaveLength(2);
  expect(frequent(stopAt(0, 2), stopAt(0, 1))).toEqual([]);
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
