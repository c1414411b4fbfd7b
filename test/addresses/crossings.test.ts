import { expect, test } from 'vitest';
import { crossingSteps } from '../../proxy/queries/addresses/crossings.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { Dice } from '../transit/dice.ts';

const SEED = Number(process.env.SEED ?? 20_261_130);
const BLOCK = 245_100_000_000_000;
/** Micro-degrees in about a metre, at the equator. */
const METRE = 9;

type Points = readonly (readonly [x: number, y: number])[];

const streetOf = (points: Points, geoid: number) => [
  {
    from: 1,
    to: 99,
    parity: 0,
    suffix: '',
    zip: '',
    geoid: BLOCK + geoid,
    x: points.map(([x]) => x),
    y: points.map(([, y]) => y),
  },
];
type Street = ReturnType<typeof streetOf>;
const neverSame = () => false;
const crossingsOf = (own: Street[], others: Street[], isSame = neverSame as typeof Object.is) =>
  Turns.SHARED.run(crossingSteps(own, others, isSame));

test(`streets meet where the corners of a grid are (seed ${SEED})`, async () => {
  const dice = new Dice(SEED);
  // Streets of a city, 200 m or more apart, and corners at the same vertices within metres.
  const ticks = (count: number) => {
    let at = 0;
    return Array.from({ length: count }, () => {
      at += (200 + dice.below(300)) * METRE;
      return at;
    });
  };
  const [xs, ys] = [ticks(12), ticks(15)];
  const shaken = (at: number) => at + dice.below(5 * METRE);
  const avenues = xs.map((x, i) =>
    streetOf(
      ys.map((y) => [shaken(x), shaken(y)]),
      i,
    ),
  );
  const streets = ys.map((y, i) =>
    streetOf(
      xs.map((x) => [shaken(x), shaken(y)]),
      50 + i,
    ),
  );
  const found = await crossingsOf(avenues, streets);
  expect(found).toHaveLength(xs.length * ys.length);
  for (const { own, other, lat, lon, geoid } of found) {
    expect(Math.abs(1e6 * lon - xs[own])).toBeLessThan(6 * METRE);
    expect(Math.abs(1e6 * lat - ys[other])).toBeLessThan(6 * METRE);
    expect(Number(geoid)).toBe(BLOCK + own);
  }
});

test('vertices of the lanes of a wide street are one crossing, and 200 m away is another', async () => {
  const road = streetOf(
    [
      [0, 0],
      [25 * METRE, 0],
      [225 * METRE, 0],
    ],
    2,
  );
  const lanes = [0, 25, 225].map((x, i) =>
    streetOf(
      [
        [x * METRE, 10],
        [x * METRE, 9_000],
      ],
      5 + i,
    ),
  );
  const found = await crossingsOf([road], [lanes.flat()]);
  expect(found.map(({ lon }) => Math.round((1e6 * lon) / METRE / 50))).toEqual([0, 5]);
  expect(found.map(({ geoid }) => Number(geoid))).toEqual([BLOCK + 2, BLOCK + 2]);
});

test('a street does not meet itself', async () => {
  const [one, two] = [0, 20 * METRE].map((y) =>
    streetOf(
      [
        [0, y],
        [900 * METRE, y],
      ],
      y,
    ),
  );
  const found = await crossingsOf([one, two], [one, two], Object.is);
  expect(found.map(({ own, other }) => [own, other])).toEqual([
    [0, 1],
    [0, 1],
    [1, 0],
    [1, 0],
  ]);
});
