import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HILLS } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { BY_LENGTH, type StreetNetwork } from '../../builder/streets/network.ts';
import { type HeightsAt, measureSlopes, slowdownUntil } from '../../builder/streets/slopes.ts';
import { OFF_GROUND, RIDE, WALK } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { forAll } from '../support/for-all.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';
import { Dice } from '../transit/dice.ts';

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

/** The point of `SHAPE` after some metres. */
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
/** Makes a source of heights from a function of metres to the east and to the north. */
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
  // Heights are read at the two ends, and at the points between them.
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

test('the share of known heights counts the points of each street, weighted by its length', async () => {
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

/** An edge without a shape: its ends, its length, and its kind. */
interface Span {
  readonly ends: readonly [number, number];
  readonly metres: number;
  readonly kind: 'street' | 'path' | 'bridge' | 'ride' | 'gate' | 'cars' | 'car bridge' | 'ferry';
}

const KINDS: Record<Span['kind'], number> = {
  street: WALK | RIDE,
  path: WALK,
  bridge: WALK | OFF_GROUND,
  ride: RIDE | OFF_GROUND,
  gate: WALK | RIDE,
  cars: 0,
  'car bridge': OFF_GROUND,
  ferry: WALK | OFF_GROUND,
};

/** A network of edges of one step each, whose slope follows from the heights of their ends. */
function networkOfSpans(vertexCount: number, spans: readonly Span[]): StreetNetwork {
  return {
    vertexCount,
    edgeCount: spans.length,
    from: Uint32Array.from(spans, ({ ends }) => ends[0]),
    to: Uint32Array.from(spans, ({ ends }) => ends[1]),
    length: Float64Array.from(spans, ({ metres }) => metres),
    fixedTime: Int32Array.from(spans, ({ kind }) => (kind === 'ferry' ? 60_000 : BY_LENGTH)),
    traits: Uint32Array.from(spans, ({ kind }) => KINDS[kind]),
    firstPoint: new Uint32Array(spans.length + 1),
    pointLon: new Float64Array(0),
    pointLat: new Float64Array(0),
    vertexLon: Float64Array.from({ length: vertexCount }, (_, vertex) => vertex),
    vertexLat: new Float64Array(vertexCount),
  };
}

function randomSpans(dice: Dice, vertices: number): Span[] {
  const kinds: readonly Span['kind'][] = dice.pick([
    ['bridge', 'bridge', 'bridge', 'street'],
    ['bridge', 'bridge', 'ride', 'gate', 'path'],
    ['bridge', 'bridge', 'gate', 'gate', 'street'],
    ['bridge', 'bridge', 'bridge', 'gate', 'street', 'cars', 'car bridge', 'ferry'],
  ]);
  return Array.from({ length: 1 + dice.below(12) }, () => {
    const kind = dice.pick(kinds);
    const metres = kind === 'gate' ? 0 : 1 + dice.below(HILLS.step);
    return { ends: [dice.below(vertices), dice.below(vertices)], metres, kind };
  });
}

const isSloped = ({ kind }: Span) => !['gate', 'cars', 'car bridge', 'ferry'].includes(kind);
const isOff = ({ kind }: Span) => kind === 'bridge' || kind === 'ride';

/**
 * The height of each vertex. A vertex off the ground has the weighted mean of the heights at the
 * ends of its bridges, with distances between all pairs by the algorithm of Floyd and Warshall.
 */
function spannedHeights(spans: readonly Span[], ground: readonly number[]): number[] {
  const count = (at: number, among: readonly Span[]) =>
    among.flatMap(({ ends }) => ends).filter((end) => end === at).length;
  const sloped = spans.filter(isSloped);
  const isUp = ground.map(
    (_, v) =>
      count(v, sloped.filter(isOff)) >
      count(
        v,
        sloped.filter((one) => !isOff(one)),
      ),
  );
  const metres = ground.map((_, a) => ground.map((_, b) => (a === b ? 0 : Infinity)));
  for (const { ends, metres: length, kind } of spans) {
    if (kind !== 'gate' && kind !== 'bridge' && kind !== 'ride') continue;
    for (const [a, b] of [ends, ends.toReversed()]) metres[a][b] = Math.min(metres[a][b], length);
  }
  isUp.forEach((isThrough, v) => {
    if (!isThrough) return;
    metres.forEach((row) => {
      row.forEach((known, b) => {
        row[b] = Math.min(known, row[v] + metres[v][b]);
      });
    });
  });
  return ground.map((own, v) => {
    if (!isUp[v]) return own;
    const ends = ground.flatMap((height, end) =>
      !isUp[end] && !Number.isNaN(height) && metres[v][end] < Infinity
        ? [{ height, metres: metres[v][end] }]
        : [],
    );
    const here = ends.filter((end) => end.metres === 0).map(({ height }) => height);
    if (here.length > 0) return Math.min(...here);
    const weights = ends.map((end) => 1 / end.metres);
    const sum = ends.reduce((total, { height }, i) => total + height * weights[i], 0);
    return sum / weights.reduce((total, weight) => total + weight, 0);
  });
}

describe('on random streets', () => {
  test('a bridge slopes between its ends, whose heights are means of where bridges reach the ground', () =>
    forAll(150, fc.nat(), async (seed) => {
      const dice = new Dice(seed);
      const vertices = 2 + dice.below(9);
      const spans = randomSpans(dice, vertices);
      const ground = Array.from({ length: vertices }, () =>
        dice.chance(0.12) ? Number.NaN : dice.below(9),
      );
      const { slopes, known } = await measureSlopes(networkOfSpans(vertices, spans), async (lon) =>
        lon.map((vertex) => ground[vertex]),
      );
      const heights = spannedHeights(spans, ground);
      const expected = spans.filter(isSloped).map(({ ends: [a, b], metres }) => {
        const grade = (heights[b] - heights[a]) / metres;
        return Number.isNaN(grade)
          ? 0
          : Math.sign(grade) * Math.min(HILLS.steepest, Math.abs(grade));
      });
      expect([...slopes.firstStep]).toEqual([
        0,
        ...spans.map((_, i) => spans.slice(0, i + 1).filter(isSloped).length),
      ]);
      expect(slopes.grades.length).toBe(expected.length);
      slopes.grades.forEach((grade, i) => {
        expect(grade).toBeCloseTo(expected[i], 5);
      });
      const lengths = spans.filter(isSloped).map(({ ends, metres }) => {
        const sure = ends.filter((end) => !Number.isNaN(heights[end])).length;
        return [metres, (metres * sure) / 2];
      });
      const [all, sure] = [0, 1].map((at) => lengths.reduce((sum, one) => sum + one[at], 0));
      expect(known).toBeCloseTo(all === 0 ? 0 : sure / all, 6);
    }));

  test('a profile is sampled at equal distances along any shape, and straight where heights are void', () =>
    forAll(60, fc.nat(), async (seed) => {
      const dice = new Dice(seed);
      const shapes = Array.from({ length: 1 + dice.below(3) }, () =>
        Array.from(
          { length: 2 + dice.below(5) },
          (): Point => [dice.below(4) * 41.3, dice.below(4) * 41.3],
        ),
      );
      const firsts = shapes.map((_, i) => shapes.slice(0, i).flat().length);
      const streets = buildNetwork(
        ...mappedStreets(
          shapes.flat().map(([east, north]) => [east * METRE[0], north * METRE[1]]),
          shapes.map((shape, i) => ({ refs: shape.map((_, at) => firsts[i] + at), traits })),
        ),
      );
      const height = (x: number, y: number) => 0.11 * x - 0.07 * y;
      const isNoData = (x: number, y: number) => (x + 2 * y + 0.37) % 90 < 40;
      const { slopes } = await measureSlopes(
        streets,
        ground((x, y) => (isNoData(x, y) ? Number.NaN : height(x, y))),
      );
      const expected = shapes.flatMap((shape) => profileOf(shape, height, isNoData));
      expect(slopes.grades.length).toBe(expected.length);
      slopes.grades.forEach((grade, i) => {
        expect(Math.abs(grade - expected[i])).toBeLessThan(1e-5);
      });
    }));

  test('the time up to a point of an edge is the sum over short pieces, each at its own grade', () =>
    forAll(150, fc.nat(), (seed) => {
      const dice = new Dice(seed);
      const counts = Array.from({ length: 3 }, () => dice.below(5));
      const firstStep = Uint32Array.of(
        0,
        ...counts.map((_, i) => counts[i] + (counts[i - 1] ?? 0)),
      );
      firstStep[3] = counts[0] + counts[1] + counts[2];
      const grades = Float32Array.from({ length: firstStep[3] }, () => dice.between(-0.4, 0.4));
      const edge = dice.below(3);
      const isBackward = dice.chance(0.5);
      const until = dice.pick([0, 1, 0.5, dice.next()]);
      const slowdown = (grade: number) => 3 + 7 * grade;
      const own = grades.subarray(firstStep[edge], firstStep[edge + 1]);
      const pieces = 3_000;
      let sum = 0;
      for (let piece = 0; piece < pieces; piece++) {
        const grade = own[Math.floor((until * (piece + 0.5) * own.length) / pieces)];
        sum += (until / pieces) * slowdown(isBackward ? -grade : grade);
      }
      const expected = own.length === 0 ? until : sum;
      const found = slowdownUntil({ firstStep, grades }, edge, slowdown, isBackward, until);
      expect(Math.abs(found - expected)).toBeLessThan(0.01);
    }));
});

/** The grades of equal steps of a street, from the heights at the ends of the steps. */
function profileOf(
  shape: readonly Point[],
  height: (x: number, y: number) => number,
  isNoData: (x: number, y: number) => boolean,
): number[] {
  const lengths = shape.slice(1).map(([x, y], i) => Math.hypot(x - shape[i][0], y - shape[i][1]));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const steps = Math.ceil(all / HILLS.step);
  const at = (metres: number): Point => {
    let left = metres;
    for (const [i, length] of lengths.entries()) {
      if (left <= length && length > 0) {
        const [[a, b], [c, d]] = [shape[i], shape[i + 1]];
        return [a + (left / length) * (c - a), b + (left / length) * (d - b)];
      }
      left -= length;
    }
    return shape[shape.length - 1];
  };
  const places = Array.from({ length: steps + 1 }, (_, i) => at((all * i) / steps));
  const known = places.map(([x, y]) => (isNoData(x, y) ? Number.NaN : height(x, y)));
  const filled = known.map((value, i) => {
    if (!Number.isNaN(value)) return value;
    const [before, after] = [known.slice(0, i), known.slice(i + 1)].map((some) =>
      some.filter((one) => !Number.isNaN(one)),
    );
    if (before.length === 0 || after.length === 0) return Number.NaN;
    const from = known.findLastIndex((one, j) => j < i && !Number.isNaN(one));
    const to = known.findIndex((one, j) => j > i && !Number.isNaN(one));
    return known[from] + ((known[to] - known[from]) * (i - from)) / (to - from);
  });
  return Array.from({ length: steps }, (_, i) => {
    const grade = (filled[i + 1] - filled[i]) / (all / steps);
    if (Number.isNaN(grade)) return 0;
    return Math.max(-HILLS.steepest, Math.min(HILLS.steepest, grade));
  });
}
