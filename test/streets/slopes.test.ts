import { expect, test } from 'vitest';
import { HILLS } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { type HeightsAt, measureSlopes } from '../../builder/streets/slopes.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;

type Point = readonly [east: number, north: number];

/** A street of 900 m with two bends, one of its pieces without length. */
const SHAPE: readonly Point[] = [
  [0, 0],
  [300, 0],
  [300, 0],
  [300, 400],
  [100, 400],
];

/** The point on it after some metres. */
function along(metres: number): Point {
  if (metres <= 300) return [metres, 0];
  return metres <= 700 ? [300, metres - 300] : [300 - (metres - 700), 400];
}

const traits = streetTraits(tagsOf('highway=residential'));
const network = buildNetwork(
  ...mappedStreets(
    SHAPE.map(([east, north]) => [east * METRE[0], north * METRE[1]]),
    [{ refs: [...SHAPE.keys()], traits }],
  ),
);
/** Heights by metres to the east and to the north. */
const ground = (height: (...at: Point) => number): HeightsAt => {
  return async (lon, lat) => lon.map((east, i) => height(east / METRE[0], lat[i] / METRE[1]));
};

test('heights are sampled at equal distances along a street, around its bends', async () => {
  const sampled: Point[] = [];
  const { slopes } = await measureSlopes(
    network,
    ground((...at) => {
      sampled.push(at);
      return at[0] / 100 + at[1] / 50;
    }),
  );
  const steps = Math.ceil(900 / HILLS.step);
  // The two ends, and the points between them.
  expect(sampled.length).toBe(2 + steps - 1);
  sampled.slice(2).forEach(([east, north], i) => {
    const [x, y] = along((900 * (i + 1)) / steps);
    expect(Math.hypot(east - x, north - y)).toBeLessThan(0.1);
  });
  const heights = Array.from({ length: steps + 1 }, (_, i) => {
    const [x, y] = along((900 * i) / steps);
    return x / 100 + y / 50;
  });
  expect([...slopes.firstStep]).toEqual([0, steps]);
  slopes.grades.forEach((grade, i) => {
    expect(grade).toBeCloseTo((heights[i + 1] - heights[i]) / (900 / steps), 4);
  });
});

test('the share of known heights is by points of each street, weighted by length', async () => {
  const steps = Math.ceil(900 / HILLS.step);
  const places = Array.from({ length: steps + 1 }, (_, i) => along((900 * i) / steps));
  for (const north of [-1, 200.5, 500]) {
    const { known } = await measureSlopes(
      network,
      ground((_, y) => (y < north ? 7 : Number.NaN)),
    );
    const expected = places.filter(([, y]) => y < north).length / places.length;
    expect(known).toBeCloseTo(expected, 6);
  }
  const none = buildNetwork(...mappedStreets([], []));
  expect(
    (
      await measureSlopes(
        none,
        ground(() => 0),
      )
    ).known,
  ).toBe(0);
});
