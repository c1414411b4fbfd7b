import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StationEntrances } from '../../builder/gtfs/entrances.ts';
import type { Feed, RailKind } from '../../builder/gtfs/feed.ts';
import type { Pathway } from '../../builder/gtfs/pathways.ts';
import { type FeedStop, LOCATION } from '../../builder/gtfs/stops.ts';
import { forAll } from '../support/for-all.ts';

/** Metres per degree of latitude, on the ellipsoid at 39°. */
const METRES_PER_DEGREE = 111_016;
const METRES_PER_SECOND = 4.8 / 3.6;

/** A stop the given metres north of 39°. */
const stop = (id: string, north: number, members: Partial<FeedStop> = {}): FeedStop => ({
  id,
  name: id,
  lon: -76,
  lat: 39 + north / METRES_PER_DEGREE,
  type: LOCATION.stop,
  parent: '',
  timeZone: null,
  isDirect: false,
  wheelchair: null,
  level: null,
  line: 2,
  ...members,
});
const platform = (id: string, north: number, members: Partial<FeedStop> = {}) =>
  stop(id, north, { parent: 'station', ...members });
const entrance = (id: string, north: number, members: Partial<FeedStop> = {}) =>
  platform(id, north, { type: LOCATION.entrance, ...members });
const way = (from: string, to: string, seconds: number, bothWays = true): Pathway => ({
  from,
  to,
  seconds,
  bothWays,
  isStepFree: true,
});

function stationsOf(
  stops: readonly FeedStop[],
  pathways: readonly Pathway[] = [],
  rails: Readonly<Record<string, RailKind>> = {},
) {
  const byId = new Map(stops.map((one) => [one.id, one]));
  const feed = { source: { path: 'FEED' }, stops: byId, pathways } as unknown as Feed;
  const stations = new StationEntrances(feed, new Map(Object.entries(rails)));
  const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
  return {
    /** The entrances of a stop, in metres north of 39° and seconds in and out. */
    of: (id: string) =>
      stations.of(byId.get(id)!).map(({ lon, lat, secondsIn, secondsOut, ...rest }) => {
        expect(lon).toBe(-76);
        return {
          north: Math.round((lat - 39) * METRES_PER_DEGREE),
          times: [rounded(secondsIn), rounded(secondsOut)],
          ...rest,
        };
      }),
    within: (id: string) =>
      Object.fromEntries(
        [...stations.within(byId.get(id)!)].map(([other, { seconds, lies }]) => [
          other,
          `${rounded(seconds)} ${lies}`,
        ]),
      ),
  };
}

/** The seconds of a walk, rounded to tenths. */
const walk = (metres: number) => Math.round((metres / METRES_PER_SECOND) * 10) / 10;
const itself = (north: number, level: number | null = 0) => [{ north, times: [0, 0], level }];

test('a stop without entrances is its own entrance, on the street', () => {
  expect(stationsOf([stop('a', 7)]).of('a')).toEqual(itself(7));
  expect(stationsOf([platform('a', 7), platform('b', 9)]).of('a')).toEqual(itself(7));
});

test('a stop that is entered from the street is its own entrance, whatever its station has', () => {
  const { of } = stationsOf(
    [platform('a', 7, { isDirect: true }), entrance('in', 20)],
    [way('a', 'in', 9)],
  );
  expect(of('a')).toEqual(itself(7, null));
});

test('without pathways, the entrances of a stop’s station are as far as a straight walk', () => {
  const { of } = stationsOf([
    platform('a', 0),
    entrance('up', 120, { level: 1 }),
    entrance('street', -40),
    entrance('of another', 10, { parent: 'other' }),
    entrance('of none', 10, { parent: '' }),
    platform('node', 5, { type: LOCATION.node }),
  ]);
  expect(of('a')).toEqual([
    { north: 120, times: [walk(120), walk(120)], level: 1 },
    { north: -40, times: [walk(40), walk(40)], level: 0 },
  ]);
});

test('pathways lead to entrances and platforms in the least time each way, and replace straight walks there', () =>
  forAll(
    80,
    fc.array(
      fc.record({
        from: fc.nat(6),
        to: fc.nat(6),
        seconds: fc.nat(20),
        bothWays: fc.boolean(),
      }),
      { maxLength: 12 },
    ),
    (drawn) => {
      const stops = [
        platform('a', 0),
        platform('b', 100),
        entrance('in', 200),
        entrance('out', 300),
        platform('node', 0, { type: LOCATION.node, lon: Number.NaN, lat: Number.NaN }),
        platform('mezzanine', 0, { type: LOCATION.node, lon: Number.NaN, lat: Number.NaN }),
        platform('c', 400),
      ];
      const ids = stops.map(({ id }) => id);
      // The algorithm of Floyd and Warshall.
      const time = ids.map((_, i) => ids.map((_, j) => (i === j ? 0 : Infinity)));
      for (const { from, to, seconds, bothWays } of drawn) {
        time[from][to] = Math.min(time[from][to], seconds);
        if (bothWays) time[to][from] = Math.min(time[to][from], seconds);
      }
      for (const k of ids.keys()) {
        for (const i of ids.keys()) {
          for (const j of ids.keys()) {
            time[i][j] = Math.min(time[i][j], time[i][k] + time[k][j]);
          }
        }
      }
      const { of, within } = stationsOf(
        stops,
        drawn.map(({ from, to, seconds, bothWays }) => way(ids[from], ids[to], seconds, bothWays)),
      );
      const entrances = [2, 3];
      const norths = [0, 100, 200, 300, 0, 0, 400];
      const leads = (i: number) =>
        entrances.filter((e) => time[i][e] < Infinity || time[e][i] < Infinity);
      for (const i of [0, 1, 6]) {
        const mapped = leads(i);
        expect(of(ids[i])).toEqual(
          (mapped.length > 0 ? mapped : entrances).map((e) => ({
            north: norths[e],
            times:
              mapped.length > 0
                ? [time[e][i], time[i][e]]
                : [walk(norths[e] - norths[i]), walk(norths[e] - norths[i])].map(Math.abs),
            level: mapped.length > 0 ? null : 0,
          })),
        );
        const found = within(ids[i]);
        ids.forEach((id, j) => {
          if (time[i][j] < Infinity) {
            expect(found[id]).toBe(`${time[i][j]} along pathways`);
            return;
          }
          const isStraight = [0, 1, 6].includes(j) && mapped.length === 0 && leads(j).length === 0;
          expect(found[id]).toBe(
            isStraight ? `${Math.abs(walk(norths[j] - norths[i]))} indoors` : undefined,
          );
        });
      }
    },
  ));

test('between platforms without entrances, a straight walk is off the street where an end may be', () => {
  const from = (a: Partial<FeedStop>, b: Partial<FeedStop>, rails = {}) =>
    stationsOf(
      [platform('a', 0, a), platform('b', 40, b), platform('c', 0, { parent: 'x' })],
      [],
      rails,
    ).within('a').b;
  const off = `${walk(40)} off the street`;
  expect(from({}, {})).toBeUndefined();
  expect(from({ level: 0 }, { level: 0 })).toBeUndefined();
  expect(from({ level: -1 }, {})).toBe(off);
  expect(from({}, { level: 1 })).toBe(off);
  // The level of a train's stop is not known unless the feed states it.
  expect(from({}, {}, { b: 'train' })).toBe(off);
  expect(from({ level: 0 }, { level: 0 }, { a: 'train', b: 'train' })).toBeUndefined();
  expect(from({ level: -1, isDirect: true }, {})).toBeUndefined();
  expect(from({ level: -1 }, { isDirect: true })).toBeUndefined();
});

test('subway platforms without a station are connected with those near them', () => {
  const gap = 200;
  const stops = [
    stop('a', 0),
    stop('near', gap - 4),
    stop('far', gap + 4),
    stop('tram', 10),
    stop('bus', 10),
    platform('of a station', 10),
    // Nearer than the gap in latitude and in longitude, but farther in a straight line.
    stop('across', 170, { lon: -76 + 170 / METRES_PER_DEGREE / Math.cos((39 * Math.PI) / 180) }),
  ];
  const subways = { a: 'subway', near: 'subway', far: 'subway', across: 'subway' } as const;
  const { within } = stationsOf(stops, [], {
    ...subways,
    tram: 'tram',
    'of a station': 'subway',
  });
  expect(within('a')).toEqual({
    a: '0 along pathways',
    near: `${walk(gap - 4)} off the street`,
  });
  expect(within('tram')).toEqual({ tram: '0 along pathways' });
  expect(within('bus')).toEqual({ bus: '0 along pathways' });
});
