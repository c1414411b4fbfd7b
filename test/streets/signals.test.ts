import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { stressForward } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A metre in degrees on the equator, along either axis, within a percent. */
const METRE = 1 / 111_000;
const LIGHTS = 'highway=traffic_signals';

/** A node of the map: metres from the junction to the east and to the north, and its tags. */
type MappedNode = readonly [east: number, north: number, tags?: string];
type MappedStreet = readonly [tags: string, nodes: readonly MappedNode[]];

const JUNCTION: MappedNode = [0, 0];
/** A calm street, which meets a stressful one at the junction. */
const SIDE: MappedStreet = ['highway=residential', [[0, -200], JUNCTION, [0, 200]]];

/** Whether the calm street stays calm, because lights stop the cars at the junction. */
function isSignalled(...streets: readonly MappedStreet[]): boolean {
  const all = [SIDE, ...streets];
  const keyOf = ([east, north]: MappedNode) => `${east} ${north}`;
  const nodes = new Map<string, MappedNode>();
  for (const node of all.flatMap(([, own]) => own)) {
    if (node[2] || !nodes.has(keyOf(node))) nodes.set(keyOf(node), node);
  }
  const places = [...nodes.values()];
  const numbers = new Map([...nodes.keys()].map((key, number) => [key, number]));
  const network = buildNetwork(
    ...mappedStreets(
      places.map(([east, north]) => [east * METRE, north * METRE]),
      all.map(([tags, own]) => ({
        refs: own.map((node) => numbers.get(keyOf(node))!),
        traits: streetTraits(tagsOf(tags)),
      })),
      places.map(([, , tags]) => (tags ? nodeTraits(tagsOf(tags)) : 0)),
    ),
  );
  const stress = stressForward(network.traits[0]);
  expect([1, 4]).toContain(stress);
  return stress === 1;
}

/** The stressful street from west to east, with lights. */
const main = (tags: string, ...lights: MappedNode[]): MappedStreet => [
  `highway=primary${tags && `, ${tags}`}`,
  [[-300, 0] as const, JUNCTION, [300, 0] as const, ...lights].sort(([a], [b]) => a - b),
];

test.each<[boolean, string, number, string]>([
  [true, '', -25, LIGHTS],
  [true, '', 25, LIGHTS],
  [false, '', -35, LIGHTS],
  [false, '', 35, LIGHTS],
  // Before and after the junction on a one-way street.
  [true, 'oneway=yes', -25, LIGHTS],
  [false, 'oneway=yes', 25, LIGHTS],
  [false, 'oneway=-1', -25, LIGHTS],
  [true, 'oneway=-1', 25, LIGHTS],
  // Lights for one direction.
  [true, '', -25, `${LIGHTS}, traffic_signals:direction=forward`],
  [false, '', -25, `${LIGHTS}, traffic_signals:direction=backward`],
  [false, '', 25, `${LIGHTS}, direction=forward`],
  [true, '', 25, `${LIGHTS}, direction=backward`],
  [true, '', 25, `${LIGHTS}, direction=both`],
  [true, '', -25, `${LIGHTS}, direction=90`],
  // Lights of a pedestrian crossing on an arm.
  [true, '', -25, 'highway=crossing, crossing=traffic_signals'],
  [false, 'oneway=yes', 25, 'highway=crossing, crossing=traffic_signals'],
  [false, '', -25, 'highway=crossing, crossing=marked'],
  [false, '', -25, 'highway=stop'],
])(
  '%s: lights stop the cars at a junction on a street (%s) with a node at %i m: %s',
  (expected, tags, at, node) => {
    expect(isSignalled(main(tags, [at, 0, node]))).toBe(expected);
  },
);

test.each([
  [true, LIGHTS],
  [true, `${LIGHTS}, direction=backward`],
  [true, 'highway=crossing, crossing:signals=yes'],
  [true, 'highway=crossing, crossing=traffic_signals;marked'],
  [true, 'highway=crossing;traffic_signals'],
  [true, `${LIGHTS}, barrier=kerb`],
  [false, 'highway=crossing, crossing:signals=no'],
  [false, 'highway=mini_roundabout'],
])('%s: lights stop the cars at a junction with %s', (expected, tags) => {
  expect(isSignalled(main('', [0, 0, tags]))).toBe(expected);
});

test('lights hold beyond the paths and driveways between stop line and junction', () => {
  const light: MappedNode = [-25, 0, LIGHTS];
  const mouth: MappedNode = [-15, 0];
  for (const tags of ['highway=footway', 'highway=cycleway', 'highway=service']) {
    const across: MappedStreet = [tags, [[-15, -50], mouth, [-15, 50]]];
    expect([tags, isSignalled(main('', light, mouth), across)]).toEqual([tags, true]);
  }
  const street: MappedStreet = ['highway=unclassified', [[-15, -50], mouth, [-15, 50]]];
  expect(isSignalled(main('', light, mouth), street)).toBe(false);
});

test('lights hold where the street is mapped as several ways, in either direction', () => {
  const light: MappedNode = [-25, 0, LIGHTS];
  const split: MappedNode = [-15, 0];
  for (const piece of [
    [split, JUNCTION],
    [JUNCTION, split],
  ]) {
    for (const at of [light, split]) {
      const pieces: MappedStreet[] = [
        ['highway=primary', [[-300, 0], light, ...(at === split ? [split] : [])]],
        ['highway=primary', at === split ? piece : piece.map((n) => (n === split ? light : n))],
        ['highway=primary', [JUNCTION, [300, 0]]],
      ];
      expect(isSignalled(...pieces)).toBe(true);
    }
  }
});

test('lights on a driveway or on the calm street hold for the junction, those on a path do not', () => {
  const light: MappedNode = [0, -20, LIGHTS];
  expect(isSignalled(main(''), ['highway=residential', [[0, -100], light, JUNCTION]])).toBe(true);
  const aside: MappedNode = [-15, -15, LIGHTS];
  const approach = (tags: string): MappedStreet => [tags, [[-100, -100], aside, JUNCTION]];
  expect(isSignalled(main(''), approach('highway=service'))).toBe(true);
  expect(isSignalled(main(''), approach('highway=footway'))).toBe(false);
});

test('a ring of streets with lights ends the search', () => {
  const light: MappedNode = [500, 5, LIGHTS];
  const ring: MappedNode[] = [light, [505, 0], [500, -5], [495, 0]];
  expect(isSignalled(main(''), ['highway=primary', [...ring, light]])).toBe(false);
  const halves: MappedStreet[] = [
    ['highway=primary', [light, [505, 0], [500, -5]]],
    ['highway=primary', [[500, -5], [495, 0], light]],
  ];
  expect(isSignalled(main(''), ...halves)).toBe(false);
});

test('a node keeps the meanings of all its tags', () => {
  const barrier = nodeTraits(tagsOf('barrier=gate, access=no'));
  const lights = nodeTraits(tagsOf(LIGHTS));
  expect(nodeTraits(tagsOf(`${LIGHTS}, barrier=gate, access=no`))).toBe(barrier | lights);
  expect(barrier & lights).toBe(0);
});
