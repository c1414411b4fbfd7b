import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import {
  RIDE_BACKWARD,
  RIDE_FORWARD,
  stressBackward,
  stressForward,
} from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

const LIGHTS = nodeTraits(tagsOf('highway=traffic_signals'));

/** Two digits per street: the stress of riding forward, from first node to last, and backward. */
function stressOf(
  places: string,
  streets: readonly (readonly [refs: readonly number[], tags: string])[],
  lights: readonly number[] = [],
): string[] {
  const ways = streets.map(([refs, tags]) => ({ refs, traits: streetTraits(tagsOf(tags)) }));
  const network = buildNetwork(...mappedStreets(positions(places), ways, lights));
  return Array.from(network.traits, (own) => `${stressForward(own)}${stressBackward(own)}`);
}

/** The stress, forward and backward, of a street between two traffic lights. */
const alone = (tags: string) =>
  stressOf('-70 36, -70.001 36', [[[0, 1], tags]], [LIGHTS, LIGHTS])[0];

/** The OpenStreetMap wiki defines the directions, and Furth the separation from cars. */
test.each<[string, string]>([
  ['11', 'highway=primary, cycleway=track'],
  ['11', 'highway=secondary, cycleway:both=track'],
  ['14', 'highway=primary, cycleway:right=track'],
  ['41', 'highway=primary, cycleway:left=track'],
  ['11', 'highway=primary, cycleway:left=track, cycleway:left:oneway=no'],
  ['41', 'highway=primary, cycleway:right=track, cycleway:right:oneway=-1'],
  ['14', 'highway=primary, oneway=yes, cycleway:right=track'],
  ['14', 'highway=primary, oneway=yes, cycleway:left=track'],
  ['41', 'highway=primary, oneway=-1, cycleway:left=track'],
  ['41', 'highway=primary, oneway=yes, cycleway:left=track, cycleway:left:oneway=-1'],
  ['41', 'highway=primary, oneway=yes, cycleway=opposite_track'],
  ['14', 'highway=primary, oneway=-1, cycleway=opposite_track'],
  ['13', 'highway=primary, cycleway:right=track, cycleway:left=lane'],
  ['11', 'highway=tertiary, cycleway=lane, cycleway:separation=bollard'],
  ['11', 'highway=primary, cycleway:both=lane, cycleway:both:separation=dashed_line;planter'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:right:separation=parking_lane'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:right:separation:left=flex_post'],
  ['34', 'highway=primary, cycleway:right=lane, cycleway:right:separation:right=kerb'],
  ['34', 'highway=primary, cycleway:right=lane, cycleway:right:separation=solid_line'],
  ['41', 'highway=primary, cycleway:left=buffered_lane, cycleway:left:separation:right=kerb'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:both:separation=kerb'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:separation=kerb'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:right:separation:both=kerb'],
  ['14', 'highway=primary, cycleway:right=lane, cycleway:right:separation=solid_line; kerb'],
  ['14', 'highway=primary, cycleway:left=track, cycleway:left:oneway=yes'],
  ['34', 'highway=primary, oneway=yes, cycleway:left=lane'],
  ['44', 'highway=primary, cycleway=separate'],
  // If only one side has a cycleway, riders use it in both directions where that is allowed.
  ['14', 'highway=primary, oneway=yes, cycleway:right=track, cycleway:left=no'],
  ['11', 'highway=primary, oneway=yes, oneway:bicycle=no, cycleway:right=track, cycleway:left=no'],
  ['33', 'highway=primary, oneway=yes, oneway:bicycle=no, cycleway:left=lane, cycleway:right=no'],
  ['14', 'highway=primary, oneway=yes, oneway:bicycle=no, cycleway:right=track'],
  [
    '14',
    'highway=primary, oneway=yes, oneway:bicycle=no, cycleway:right=track, cycleway:left=separate',
  ],
  [
    '41',
    'highway=primary, oneway=yes, oneway:bicycle=no, cycleway:left=track, cycleway:left:oneway=-1, cycleway:right=no',
  ],
  ['44', 'highway=primary, cycleway=shared_lane, cycleway:separation=kerb'],
  ['33', 'highway=primary, cycleway=track, lts=3'],
])('stress is %s on %j: tracks separated from cars are calm', (stress, tags) => {
  expect(alone(tags)).toBe(stress);
});

const CROSS = '-70.001 36, -70 36, -69.999 36, -70 36.001, -70 35.999';
const [WEST, EAST, NORTH, SOUTH] = [
  [0, 1],
  [1, 2],
  [3, 1],
  [1, 4],
];

test('riders on a track pass side streets calmly; riders who cross the street of the track meet its cars', () => {
  const main = 'highway=primary, cycleway=track';
  const side = 'highway=residential';
  const streets = [WEST, EAST].map((refs) => [refs, main] as const);
  const sides = [NORTH, SOUTH].map((refs) => [refs, side] as const);
  expect(stressOf(CROSS, [...streets, ...sides])).toEqual(['11', '11', '44', '44']);
  expect(stressOf(CROSS, [...streets, ...sides], [0, LIGHTS])).toEqual(['11', '11', '11', '11']);
});

test('a track on one side only keeps its direction calm past side streets', () => {
  const streets = [WEST, EAST].map(
    (refs) => [refs, 'highway=primary, cycleway:right=track'] as const,
  );
  const sides = [NORTH, SOUTH].map((refs) => [refs, 'highway=residential'] as const);
  expect(stressOf(CROSS, [...streets, ...sides])).toEqual(['14', '14', '44', '44']);
});

test('a track that meets a large street without lights is as stressful as crossing that street', () => {
  const streets = [WEST, EAST].map((refs) => [refs, 'highway=secondary, cycleway=track'] as const);
  const large = [NORTH, SOUTH].map((refs) => [refs, 'highway=primary'] as const);
  expect(stressOf(CROSS, [...streets, ...large])).toEqual(['44', '44', '44', '44']);
});

/** The directions open to bicycles where the street as a whole is not. */
test.each<[number, string]>([
  [RIDE_FORWARD, 'highway=primary, bicycle=no, cycleway:right=track'],
  [RIDE_BACKWARD, 'highway=primary, bicycle=no, cycleway:left=track'],
  [RIDE_FORWARD, 'highway=primary, bicycle=no, oneway=yes, cycleway:left=track'],
  [
    RIDE_FORWARD | RIDE_BACKWARD,
    'highway=primary, bicycle=no, cycleway:left=track, cycleway:left:oneway=no',
  ],
])('a cycleway opens direction %i of %j', (directions, tags) => {
  expect(streetTraits(tagsOf(tags)) & (RIDE_FORWARD | RIDE_BACKWARD)).toBe(directions);
});
