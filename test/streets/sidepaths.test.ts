import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { modeCosts } from '../../builder/streets/mode-costs.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { leaveToSidepaths } from '../../builder/streets/sidepaths.ts';
import { RIDE_BACKWARD, RIDE_FORWARD, WALK, withStress } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A metre along the equator, in degrees. */
const METRE = 1 / 111_319.490793;
const LIGHTS = nodeTraits(tagsOf('highway=traffic_signals'));

type Way = readonly [points: readonly (readonly [east: number, north: number])[], tags: string];

/** A 300 m street to the east, with others next to it. */
const networkOf = (tags: string, ...beside: readonly Way[]) =>
  networkAlong(eastward(0, 300), 0, tags, beside);

const eastward = (...metres: number[]) => metres.map((east) => [east, 0] as const);

/** A street through some points, with others next to it, all turned to the left by some degrees. */
function networkAlong(points: Way[0], degrees: number, tags: string, beside: readonly Way[]) {
  const street: Way = [points, tags];
  const [cos, sin] = [Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180));
  const places: (readonly number[])[] = [];
  const ways = [street, ...beside].map(([points, own]) => {
    const refs = points.map(([x, y]) => {
      const [east, north] = [x * cos - y * sin, x * sin + y * cos];
      return places.push([east * METRE, north * METRE]) - 1;
    });
    return { refs, traits: streetTraits(tagsOf(own)) };
  });
  const lights = places.map(() => LIGHTS);
  return buildNetwork(...mappedStreets(places, ways, lights));
}

/** The directions in which a street with these tags is ridden: `R` forward, `r` backward. */
const riddenOf = (tags: string, ...beside: readonly Way[]) => riddenIn(networkOf(tags, ...beside));

function riddenIn(network: StreetNetwork): string {
  const { ridden } = modeCosts(network, 'bike');
  return (ridden[0] & RIDE_FORWARD ? 'R' : '-') + (ridden[0] & RIDE_BACKWARD ? 'r' : '-');
}

const SENT = 'highway=tertiary, bicycle=use_sidepath';
/** A line of the given length next to the middle of the street, turned by the given degrees. */
const line = (north: number, tags: string, degrees = 0): Way => {
  const [x, y] = [Math.cos, Math.sin].map((of) => 100 * of((degrees * Math.PI) / 180));
  return [
    [
      [150 - x, north - y],
      [150 + x, north + y],
    ],
    tags,
  ];
};

test.each<[string, string, string, readonly Way[]]>([
  ['a path beside it', '--', SENT, [line(20, 'highway=cycleway')]],
  ['no path', 'Rr', SENT, []],
  ['a path just near enough', '--', SENT, [line(28, 'highway=cycleway')]],
  ['a path just too far off', 'Rr', SENT, [line(33, 'highway=cycleway')]],
  ['a path that is just parallel enough', '--', SENT, [line(10, 'highway=cycleway', 28)]],
  ['a path that is just too oblique', 'Rr', SENT, [line(10, 'highway=cycleway', 33)]],
  ['a path that crosses it', 'Rr', SENT, [line(10, 'highway=cycleway', 60)]],
  ['a path that is bent away a little', '--', SENT, [line(10, 'highway=cycleway', 20)]],
  ['a path for bicycles alone', '--', SENT, [line(10, 'highway=cycleway, foot=no')]],
  ['a footway for walkers', 'Rr', SENT, [line(10, 'highway=footway')]],
  ['a footway signed for bicycles', '--', SENT, [line(10, 'highway=footway, bicycle=yes')]],
  ['a calm street beside it', '--', SENT, [line(10, 'highway=residential')]],
  ['a busy street beside it', 'Rr', SENT, [line(10, 'highway=secondary')]],
  ['a private drive', 'Rr', SENT, [line(10, 'highway=cycleway, access=private')]],
  ['another street whose path it would be', 'Rr', SENT, [line(10, `${SENT}, lts=1`)]],
  [
    'a path for one direction',
    '-r',
    'highway=tertiary, bicycle:forward=use_sidepath',
    [line(20, 'highway=cycleway')],
  ],
  ['no path for one direction', 'Rr', 'highway=tertiary, bicycle:forward=use_sidepath', []],
  [
    'a path, and a lane of its own',
    'R-',
    `${SENT}, cycleway:right=lane`,
    [line(20, 'highway=cycleway')],
  ],
  ['no path, and it is one-way', 'R-', `${SENT}, oneway=yes`, []],
  ['no path, and it is large', '--', 'highway=primary, bicycle=use_sidepath', []],
  ['no path, and it is for cars', '--', 'highway=trunk, motorroad=yes, bicycle=use_sidepath', []],
  ['no path, and it is a footway', '--', 'highway=footway, bicycle=use_sidepath', []],
])('where riders are sent to a path and there is %s, %s is ridden', (_, ridden, tags, beside) => {
  expect(riddenOf(tags, ...beside)).toBe(ridden);
});

test.each([0, 30, 90, 135, 180, 250])(
  'a path belongs to a street that runs %i degrees from the east, by the middle of its length',
  (degrees) => {
    const besides: [string, Way][] = [
      ['--', line(20, 'highway=cycleway')],
      ['--', line(-20, 'highway=cycleway', 20)],
      ['Rr', line(40, 'highway=cycleway')],
      ['Rr', line(10, 'highway=cycleway', 60)],
      ['Rr', line(10, 'highway=cycleway', -60)],
    ];
    for (const [ridden, beside] of besides) {
      for (const points of [[], [150], [10], [290], [10, 20, 30, 280], [10, 20, 260, 280]]) {
        const network = networkAlong(eastward(0, ...points, 300), degrees, SENT, [beside]);
        expect([points, riddenIn(network)]).toEqual([points, ridden]);
      }
    }
  },
);

test('a path counts for a bent street only along the part that holds the middle of the street', () => {
  const bends: Way[0][] = [
    [
      [0, 0],
      [100, 0],
      [100, 200],
    ],
    [
      [100, 200],
      [100, 150],
      [100, 100],
      [100, 0],
      [50, 0],
      [0, 0],
    ],
  ];
  const path = (...points: Way[0]): Way => [points, 'highway=cycleway'];
  for (const bend of bends) {
    const ridden = (beside: Way) => riddenIn(networkAlong(bend, 0, SENT, [beside]));
    expect(ridden(path([120, 40], [120, 60]))).toBe('--');
    expect(ridden(path([85, 0], [85, 30]))).toBe('--');
    expect(ridden(path([120, 100], [120, 200]))).toBe('Rr');
    expect(ridden(path([120, -100], [120, 10]))).toBe('Rr');
    expect(ridden(path([0, 25], [90, 25]))).toBe('Rr');
  }
});

const AGAINST = 'highway=tertiary, lanes=2, oneway=yes, oneway:bicycle=no';
const ASIDE = line(20, 'highway=cycleway');

test.each<[string, string, readonly Way[]]>([
  ['Rr', AGAINST, [ASIDE]],
  ['Rr', `${AGAINST}, cycleway:both=no`, [ASIDE]],
  ['R-', `${AGAINST}, cycleway=separate`, [ASIDE]],
  ['R-', `${AGAINST}, cycleway:left=separate, cycleway:right=no`, [ASIDE]],
  ['R-', `${AGAINST}, cycleway:left=separate, cycleway:right=lane`, [ASIDE]],
  ['Rr', `${AGAINST}, cycleway:left=separate, cycleway:right=no`, []],
  ['Rr', `${AGAINST}, cycleway:left=separate, cycleway:right=opposite_lane`, [ASIDE]],
  ['-r', `${AGAINST}, cycleway:left=separate, oneway=-1`, [ASIDE]],
  ['Rr', 'highway=tertiary, cycleway:left=separate', [ASIDE]],
  ['Rr', 'highway=tertiary, oneway:bicycle=no, cycleway:left=separate', [ASIDE]],
])('the directions ridden are %s on a street tagged %s', (ridden, tags, beside) => {
  expect(riddenOf(tags, ...beside)).toBe(ridden);
});

const SENT_ON_FOOT = 'highway=tertiary, foot=use_sidepath';
test.each<[string, boolean, string, readonly Way[]]>([
  ['a footway beside it', false, SENT_ON_FOOT, [line(20, 'highway=footway')]],
  ['a street beside it', false, SENT_ON_FOOT, [line(20, 'highway=secondary')]],
  ['no path', true, SENT_ON_FOOT, []],
  ['a path too far off', true, SENT_ON_FOOT, [line(40, 'highway=footway')]],
  ['a path that crosses it', true, SENT_ON_FOOT, [line(10, 'highway=footway', 60)]],
  ['a cycle track without walkers', true, SENT_ON_FOOT, [line(10, 'highway=cycleway, foot=no')]],
  ['a private path', true, SENT_ON_FOOT, [line(10, 'highway=footway, access=private')]],
  ['its other carriageway', true, SENT_ON_FOOT, [line(20, SENT_ON_FOOT)]],
  ['no path, and it is for cars', false, 'highway=motorway, foot=use_sidepath', []],
  ['no path, and it is private', true, `${SENT_ON_FOOT}, access=private`, []],
  ['a sidewalk of its own', true, `${SENT_ON_FOOT}, sidewalk=both`, [line(9, 'highway=footway')]],
])(
  'where walkers are sent to a path and there is %s, walking along the street is %s',
  (_, isOpen, tags, beside) => {
    const { traits } = networkOf(tags, ...beside);
    expect((traits[0] & WALK) !== 0).toBe(isOpen);
  },
);

test('leaving streets to their paths returns new traits and does not change the given ones', () => {
  const { edgeCount, firstPoint, pointLon, pointLat } = networkOf(SENT, ASIDE);
  const traits = Uint32Array.of(streetTraits(tagsOf(SENT)), streetTraits(tagsOf(ASIDE[1])));
  const given = traits.slice();
  const left = leaveToSidepaths({ edgeCount, firstPoint, pointLon, pointLat, traits });
  expect(traits).toEqual(given);
  expect([left[0] === given[0], left[1] === given[1]]).toEqual([false, true]);
  // A path that is calm in only one direction does not count.
  for (const [forward, backward] of [
    [1, 3],
    [3, 1],
  ]) {
    traits[1] = withStress(given[1], forward, backward);
    expect(leaveToSidepaths({ edgeCount, firstPoint, pointLon, pointLat, traits })).toEqual(traits);
  }
});

test('a path for walkers does not close the street to riders', () => {
  const tags = 'highway=tertiary, foot=use_sidepath, bicycle=use_sidepath';
  const network = networkOf(tags, line(20, 'highway=footway'));
  expect(network.traits[0] & WALK).toBe(0);
  expect(riddenOf(tags, line(20, 'highway=footway'))).toBe('Rr');
});
