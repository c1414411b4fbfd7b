import { describe, expect, test } from 'vitest';
import { HILLS, ROUTING } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { ridingSlowdown, walkingSlowdown } from '../../builder/streets/hills.ts';
import { modeCosts } from '../../builder/streets/mode-costs.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { measureSlopes } from '../../builder/streets/slopes.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import type { StreetMode } from '../../shards/modes.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A metre to the east along the equator, in degrees: one degree is 111,319.5 m. */
const METRE = 1 / 111_319.490793;
const WALK = 4.8 / 3.6;
const PATH = 'highway=residential';

type Ways = readonly (readonly [metres: readonly number[], tags: string])[];

/**
 * Builds a network without slopes from ways along a line, whose points are given in metres east.
 * `gates` are the positions, in metres east, of locked gates; a trip may end behind a gate.
 */
function streetsOf(ways: Ways, gates: readonly number[] = []) {
  const places = [...new Set(ways.flatMap(([metres]) => metres))];
  const mapped = ways.map(([metres, tags]) => ({
    refs: metres.map((at) => places.indexOf(at)),
    traits: streetTraits(tagsOf(tags)),
  }));
  const along = places.map((metres) => [metres * METRE, 0]);
  const gate = nodeTraits(tagsOf('barrier=gate, locked=yes'));
  const traits = places.map((metres) => (gates.includes(metres) ? gate : 0));
  return buildNetwork(...mappedStreets(along, mapped, traits));
}

/** Adds slopes to a network on ground whose height depends on the metres east. */
async function onGround(network: StreetNetwork, height: (metres: number) => number) {
  const heightsAt = async (lon: Float64Array) => lon.map((degrees) => height(degrees / METRE));
  const { slopes, known } = await measureSlopes(network, heightsAt);
  return { network: { ...network, slopes }, known };
}

/** Seconds along each way, forward and backward. */
async function seconds(
  mode: StreetMode,
  ways: Ways,
  height: (metres: number) => number,
  gates: readonly number[] = [],
) {
  const { network } = await onGround(streetsOf(ways, gates), height);
  const { forward, backward } = modeCosts(network, mode);
  return Array.from(forward, (there, e) => [there / 1000, backward[e] / 1000]);
}

/** Tobler's hiking function, kilometres per hour. */
const tobler = (grade: number) => 6 * Math.exp(-3.5 * Math.abs(grade + 0.05));
const levelTobler = tobler(0);

/** A rider's speed in metres per second, by the power balance in builder/elevation/README.md. */
function rider(grade: number): number {
  const percent = 100 * grade;
  const watts = 100 + (percent > 0 ? Math.min(100, 20 * percent) : Math.max(-100, 20 * percent));
  const angle = Math.atan(grade);
  const newtons = 90 * 9.81 * (Math.sin(angle) + 0.006 * Math.cos(angle));
  let [low, high] = [0, 60];
  for (let i = 0; i < 60; i++) {
    const speed = (low + high) / 2;
    if ((newtons + 0.36 * speed * speed) * speed < watts) low = speed;
    else high = speed;
  }
  return low;
}

describe('on a slope', () => {
  test.each([0, 0.02, 0.05, 0.1, 0.3, -0.02, -0.05, -0.12])(
    'walking speed at %d is Tobler’s',
    async (grade) => {
      const [[up, down]] = await seconds('walk', [[[0, 400], PATH]], (metres) => grade * metres);
      const expected = (g: number) => (400 / WALK) * (levelTobler / tobler(g));
      expect(up).toBeCloseTo(expected(grade), 2);
      expect(down).toBeCloseTo(expected(-grade), 2);
    },
  );

  test('the table of riding speeds matches the power model, to a twentieth between its rows', () => {
    for (const [grade, kmh] of HILLS.rideSpeeds) {
      const byPower = Math.min(18, (15 * rider(grade)) / rider(0));
      expect(Math.abs(kmh - byPower)).toBeLessThan(0.06);
    }
    for (let grade = -0.2; grade <= 0.15; grade += 0.001) {
      const byPower = Math.min(1.2, rider(grade) / rider(0));
      expect(Math.abs(1 / ridingSlowdown(ROUTING)(grade) / byPower - 1)).toBeLessThan(0.05);
    }
    // On steeper slopes the bicycle is pushed.
    expect(ridingSlowdown(ROUTING)(0.16)).toBeCloseTo(walkingSlowdown(0.16) * (15 / 4.8), 9);
  });

  test('no speed exceeds what a county’s scope allows for', () => {
    for (let grade = -0.5; grade <= 0.5; grade += 0.001) {
      expect(1 / walkingSlowdown(grade)).toBeLessThanOrEqual(HILLS.fastest);
      expect(1 / ridingSlowdown(ROUTING)(grade)).toBeLessThanOrEqual(HILLS.fastest);
    }
  });

  test('riding speed follows the table of riding speeds, each direction by its own grade', async () => {
    const [[up, down]] = await seconds('bike', [[[0, 500], PATH]], (metres) => 0.04 * metres);
    expect(up).toBeCloseTo(500 / (10.1 / 3.6), 2);
    expect(down).toBeCloseTo(500 / (18 / 3.6), 2);
  });

  test('where traffic is too stressful to ride, the bicycle is pushed at walking speed', async () => {
    const primary = 'highway=primary, lanes=4';
    const [bike] = await seconds('bike', [[[0, 500], primary]], (metres) => 0.04 * metres);
    const [walk] = await seconds('walk', [[[0, 500], primary]], (metres) => 0.04 * metres);
    expect(bike).toEqual(walk);
  });
});

test('a hill between two ends at the same height is climbed and descended', async () => {
  const hill = (metres: number) => 12 - Math.abs(metres - 145) * 0.08;
  const [[there, back]] = await seconds('walk', [[[0, 290], PATH]], hill);
  const expected = (145 / WALK) * (levelTobler / tobler(0.08) + levelTobler / tobler(-0.08));
  expect(there).toBeCloseTo(expected, 2);
  expect(back).toBeCloseTo(expected, 2);
});

test('a cliff counts as the steepest possible slope', async () => {
  const [[up]] = await seconds('walk', [[[0, 29], PATH]], (metres) => (metres > 15 ? 40 : 0));
  expect(up).toBeCloseTo((29 / WALK) * (levelTobler / tobler(0.4)), 2);
});

test('level ground gives exactly the costs without elevation data', async () => {
  const ways = [
    [[0, 123.4, 200], PATH],
    [[200, 951.7], 'highway=primary'],
  ] as const;
  const plain = streetsOf(ways);
  const { network } = await onGround(plain, () => 77);
  for (const mode of ['walk', 'bike'] as const) {
    expect(modeCosts(network, mode)).toEqual(modeCosts(plain, mode));
  }
});

describe('bridges and tunnels do not follow the ground', () => {
  /** A valley 40 m deep from 200 m to 500 m, and a rise of 6 m from one side to the other. */
  const valley = (metres: number) => (metres > 200 && metres < 500 ? -40 : metres >= 500 ? 6 : 0);
  const slow = (grade: number) => levelTobler / tobler(grade);

  test.each(['bridge=yes', 'bridge=viaduct', 'tunnel=yes'])('%s', async (span) => {
    const times = await seconds(
      'walk',
      [
        [[0, 200], PATH],
        [[200, 500], `${PATH}, ${span}`],
        [[500, 600], PATH],
      ],
      valley,
    );
    expect(times[1][0]).toBeCloseTo((300 / WALK) * slow(0.02), 2);
    expect(times[0]).toEqual([200, 200].map((metres) => metres / WALK));
  });

  test('a bridge of several ways, with stairs up to its middle', async () => {
    const span = `${PATH}, bridge=yes`;
    const times = await seconds(
      'walk',
      [
        [[0, 200], PATH],
        [[200, 260], span],
        [[260, 400], span],
        [[400, 500], span],
        [[500, 600], PATH],
        [[400, 430], 'highway=steps'],
      ],
      valley,
    );
    const spans = times.slice(1, 4);
    [60, 140, 100].forEach((metres, i) => {
      expect(spans[i][0]).toBeCloseTo((metres / WALK) * slow(0.02), 1);
      expect(spans[i][1]).toBeCloseTo((metres / WALK) * slow(-0.02), 1);
    });
  });

  // The middle one of three ways that meet at a gate has the gate on both sides.
  test.each([
    ['bridge', 'street', 'other bridge'],
    ['bridge', 'other bridge', 'street'],
    ['street', 'bridge', 'other bridge'],
  ] as const)(
    'a gate where %s, %s and %s meet leaves the landing on the ground',
    async (...order) => {
      const mound = (metres: number) => (metres > 250 && metres < 400 ? 10 : 0);
      const atGate = {
        bridge: { way: [[200, 300], `${PATH}, bridge=yes`], expected: (100 / WALK) * slow(0.1) },
        street: { way: [[300, 330], PATH], expected: 30 / WALK },
        'other bridge': {
          way: [[300, 500], `${PATH}, bridge=yes`],
          expected: (200 / WALK) * slow(-0.05),
        },
      } as const;
      const ways: Ways = [
        ...order.map((name) => atGate[name].way),
        [[0, 200], PATH],
        [[500, 600], PATH],
      ];
      const times = await seconds('walk', ways, mound, [300]);
      // Passing the gate takes no time.
      const along = times.map(([there]) => there).filter((there) => there > 1);
      order.forEach((name, i) => {
        expect(along[i]).toBeCloseTo(atGate[name].expected, 2);
      });
    },
  );

  test('a way tagged bridge=no lies on the ground', async () => {
    const [[plain], [none]] = await Promise.all(
      ['', ', bridge=no'].map((bridge) => seconds('walk', [[[0, 600], PATH + bridge]], valley)),
    );
    expect(none).toEqual(plain);
  });
});

test('voids are bridged between known heights, and level where none is known', async () => {
  const between = (from: number, to: number) => (metres: number) =>
    metres > from && metres < to ? Number.NaN : 0.1 * metres;
  const slow = levelTobler / tobler(0.1);
  const [[across]] = await seconds('walk', [[[0, 290], PATH]], between(50, 200));
  expect(across).toBeCloseTo((290 / WALK) * slow, 2);
  // The seventh of ten steps is the last with a height at both ends.
  const [[outOf]] = await seconds('walk', [[[0, 290], PATH]], between(220, 301));
  expect(outOf).toBeCloseTo((203 / WALK) * slow + 87 / WALK, 2);
  const { known } = await onGround(streetsOf([[[0, 300], PATH]]), between(-1, 301));
  expect(known).toBe(0);
});

test('a point next to a slope is linked to its position by time, not by length', async () => {
  // Each way is level for 145 m, then steep; fifty of them in a row are no island.
  const ways = Array.from({ length: 50 }, (_, i) => [[290 * i, 290 * (i + 1)], PATH] as const);
  const kinked = (metres: number) => Math.max(0, (metres % 290) - 145) * 0.1;
  const { network } = await onGround(streetsOf(ways), kinked);
  const { linker, graph, costs } = buildModeNetwork(network, 'walk', { coverage: null });
  const link = linker.link(217.5 * METRE, 0);
  if (typeof link === 'string') throw new Error(link);
  const { chains } = graph;
  const [edge] = chains.chainOf.keys();
  const before = {
    there: 145 + 72.5 * (levelTobler / tobler(0.1)),
    back: 145 + 72.5 * (levelTobler / tobler(-0.1)),
  };
  const all = { there: costs.forward[edge], back: costs.backward[edge] };
  const expected =
    chains.reversed[edge] === 1
      ? [all.back - (1000 * before.back) / WALK, all.there - (1000 * before.there) / WALK]
      : [(1000 * before.there) / WALK, (1000 * before.back) / WALK];
  const found = [link.along - chains.before[edge], link.alongBack - chains.beforeBack[edge]];
  found.forEach((time, i) => {
    expect(Math.abs(time - expected[i])).toBeLessThan(3);
  });
});
