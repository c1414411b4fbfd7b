import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROUTING, windowTimes } from '../../builder/routing-parameters.ts';
import { StopReach } from '../../builder/transit/stop-reach.ts';
import { forAll } from '../support/for-all.ts';
import { AM } from '../support/joined-feeds.ts';
import { Dice } from './dice.ts';
import { earliest, type Network, randomNetwork, timetableOf } from './random-network.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;

type Point = readonly [east: number, north: number];
const at = ([east, north]: Point) => ({ lon: east * METRE[0], lat: north * METRE[1] });

/** A box by its middle and half of its sides, in metres. */
interface Square {
  readonly middle: Point;
  readonly half: number;
}

const boxOf = ({ middle: [east, north], half }: Square) => {
  const [low, high] = [at([east - half, north - half]), at([east + half, north + half])];
  return { minLon: low.lon, minLat: low.lat, maxLon: high.lon, maxLat: high.lat };
};

/** Metres in half an hour on foot, of the longest link, and of a change with the error of a box. */
const WALK = 0.5 * 4_800;
const LINK = 1_600;
const CHANGE = 1_010;

/** Stops with entrances some kilometres apart, and trips between them. */
function drawn(seed: number) {
  const dice = new Dice(seed);
  const network = randomNetwork(dice);
  const size = dice.pick([1_000, 4_000, 9_000]);
  const draw = (): Point => [dice.between(-size, size), dice.between(-size, size)];
  const places = Array.from({ length: network.stopCount }, () => ({
    stop: draw(),
    entrances: Array.from({ length: dice.pick([0, 1, 1, 2]) }, draw),
    windowStart: dice.below(100),
  }));
  const insideWalks = network.changes.filter(() => dice.chance(0.1));
  const fastest = dice.pick([1, 1.2]);
  const reach = (limit: number) =>
    StopReach.inWindows(
      [
        {
          timetable: timetableOf(network),
          window: AM,
          stops: places.map(({ stop, entrances, windowStart }) => {
            return { ...at(stop), windowStart, entrances: entrances.map(at) };
          }),
          insideWalks,
        },
      ],
      limit,
      fastest,
    )[0];
  const squares = Array.from({ length: 1 + dice.below(3) }, (): Square => {
    return { middle: draw(), half: dice.below(500) };
  });
  const leg = WALK * fastest + LINK;
  /** Stops with an entrance within walking distance of a square. */
  const near = ({ middle, half }: Square) =>
    [...places.keys()].filter((stop) =>
      places[stop].entrances.some((entrance) => farther(entrance, middle) <= half + leg),
    );
  return { dice, network, places, insideWalks, fastest, reach, squares, near, leg };
}

/** The longer one of the distances to the east and to the north. */
const farther = (a: Point, b: Point) => Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]));

test('the stops of a box are those that a trip without lost time reaches, and those that a change leads to', () =>
  forAll(100, fc.nat(), (seed) => {
    const { dice, network, places, insideWalks, fastest, reach, squares, near } = drawn(seed);
    const isNear = (a: number, b: number) =>
      places[a].entrances.some((one) =>
        places[b].entrances.some((other) => farther(one, other) <= CHANGE * fastest),
      );
    const changes = places.flatMap((_, from) =>
      places.flatMap((_, to) => {
        const isWalk = insideWalks.some((walk) => walk.from === from && walk.to === to);
        return from === to || isWalk || isNear(from, to) ? [{ from, to, time: 0 }] : [];
      }),
    );
    const free: Network = { ...network, changes };
    // The trips run as the window opens, or as it ends.
    const opens = 90 + dice.below(20) - dice.pick([0, windowTimes(AM).length]);
    const [limit, other] = [dice.below(40), dice.below(40)];
    const search = reach(limit);
    for (const [asked, latest] of [
      [undefined, limit],
      [other, other],
    ] as const) {
      const access = near(squares[0]);
      const from = access.map((stop) => ({ stop, time: 0 }));
      const arrivals = earliest(free, from, opens);
      const ridden = [...places.keys()].filter(
        (stop) => arrivals[stop] <= opens + latest + windowTimes(AM).length,
      );
      const onward = changes.filter((change) => ridden.includes(change.from)).map(({ to }) => to);
      const found = search.stopsFrom(boxOf(squares[0]), opens, asked);
      expect([...found]).toEqual([...new Set([...access, ...onward])].sort((a, b) => a - b));
    }
  }));

test('the window opens as it does at the nearest stop within walking distance, or by default', () =>
  forAll(100, fc.nat(), (seed) => {
    const { places, reach, squares, near } = drawn(seed);
    const all = squares.flatMap((square) =>
      near(square).map((stop) => {
        const [east, north] = places[stop].stop;
        return { stop, metres: Math.hypot(east - square.middle[0], north - square.middle[1]) };
      }),
    );
    const [nearest] = all.sort((a, b) => a.metres - b.metres);
    expect(reach(60).windowStartOf(squares.map(boxOf))).toBe(
      nearest ? places[nearest.stop].windowStart : ROUTING.transit.windowStart,
    );
  }));

test('the boxes around stops have walking distance from each entrance to each side', () =>
  forAll(50, fc.nat(), (seed) => {
    const { places, reach, leg } = drawn(seed);
    const stops = [...places.keys()].filter((stop) => stop % 2 === 0);
    const entrances = stops.flatMap((stop) => places[stop].entrances);
    const boxes = reach(60).boxesAround(Int32Array.from(stops));
    expect(boxes.length).toBe(entrances.length);
    boxes.forEach((box, i) => {
      const meant = boxOf({ middle: entrances[i], half: leg });
      for (const side of Object.keys(meant) as (keyof typeof meant)[]) {
        expect(box[side] / METRE[0]).toBeCloseTo(meant[side] / METRE[0], 0);
      }
    });
  }));
