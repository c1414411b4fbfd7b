import { expect, test } from 'vitest';
import { frequentStops } from '../../builder/transit/frequent-stops.ts';
import { buildTimetable, type TransitStop } from '../../builder/transit/timetable.ts';

/** A stop of no station, with so many departures in the window, metres or so north of a point. */
function stopAt(north: number, departures: number, agency = 'MTA', id = '7') {
  const at = { lon: -76.6, lat: 39 + north / 111_000 };
  const stop: TransitStop = {
    ...{ agency, id, name: `${agency} ${id}`, windowStart: 0, ...at },
    station: { id, name: `${agency} ${id}`, ...at },
    doors: [{ ...at, secondsIn: 0, secondsOut: 0 }],
  };
  return { stop, departures };
}

function frequent(...list: readonly ReturnType<typeof stopAt>[]) {
  return frequentStops({
    stops: list.map(({ stop }) => stop),
    departures: Int32Array.from(list, ({ departures }) => departures),
    timetable: buildTimetable(list.length, []),
    ...{ rules: [], insideWalks: [], serviceDate: '2026-03-11', feeds: [] },
  });
}

test('a stop that two feeds of an agency serve is one place, whose departures add up', () => {
  const places = frequent(stopAt(0, 2), stopAt(900, 2));
  expect(places).toHaveLength(1);
  expect(places[0].entrances).toHaveLength(2);
  expect(frequent(stopAt(0, 2), stopAt(0, 1))).toEqual([]);
});

test('one id for places more than a kilometre apart is two places', () => {
  const [here, there] = [stopAt(0, 4), stopAt(300_000, 5)];
  const places = frequent(here, there);
  expect(places.map(({ entrances }) => entrances)).toEqual(
    places.map(({ lon, lat }) => [{ lon, lat }]),
  );
  expect(new Set(places.map(({ destId }) => destId)).size).toBe(2);
  expect(new Set(places.map(({ source }) => source)).size).toBe(2);
  // Departures do not add up either.
  expect(frequent(stopAt(0, 2), stopAt(300_000, 2))).toEqual([]);
});

test('the order of the feeds changes nothing, and a place keeps its id when a namesake is added', () => {
  const stops = [stopAt(0, 4), stopAt(300_000, 5), stopAt(300_500, 5), stopAt(900_000, 6)];
  const places = frequent(...stops);
  expect(places).toHaveLength(3);
  expect(frequent(...stops.toReversed())).toEqual(places);
  expect(places).toEqual(expect.arrayContaining(frequent(stops[0])));
});
