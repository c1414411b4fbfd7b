import { describe, expect, test } from 'vitest';
import {
  IMPASSABLE,
  NO_LINKING,
  nodeTraits,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  streetTraits,
  stressOf,
  WALK_BACKWARD,
  WALK_FORWARD,
} from '../../builder/streets/traits.ts';

const traits = (tags: Record<string, string>) => streetTraits(new Map(Object.entries(tags)));
/** W and w: walking forward and back; R and r: riding. */
const spelled = (tags: Record<string, string>) => {
  const bits = traits(tags);
  return [
    ...(bits & WALK_FORWARD ? 'W' : '-'),
    ...(bits & WALK_BACKWARD ? 'w' : '-'),
    ...(bits & RIDE_FORWARD ? 'R' : '-'),
    ...(bits & RIDE_BACKWARD ? 'r' : '-'),
  ].join('');
};

describe('who may use a way', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a residential street: everybody', { highway: 'residential' }, 'WwRr'],
    ['a motorway: nobody', { highway: 'motorway' }, '----'],
    ['a motorway that people may walk', { highway: 'motorway', foot: 'yes' }, 'Ww--'],
    ['a motorroad: nobody', { highway: 'trunk', motorroad: 'yes' }, '----'],
    ['a footway: walkers', { highway: 'footway' }, 'Ww--'],
    ['a footway signed for bicycles', { highway: 'footway', bicycle: 'designated' }, 'WwRr'],
    ['steps: walkers', { highway: 'steps' }, 'Ww--'],
    ['a cycleway: both', { highway: 'cycleway' }, 'WwRr'],
    ['a cycleway without walkers', { highway: 'cycleway', foot: 'no' }, '--Rr'],
    ['a private drive: nobody', { highway: 'service', access: 'private' }, '----'],
    [
      'a private drive open to walkers',
      { highway: 'service', access: 'private', foot: 'yes' },
      'Ww--',
    ],
    ['where bicycles are pushed', { highway: 'path', bicycle: 'dismount' }, 'Ww--'],
    ['no vehicles, so no riding', { highway: 'path', vehicle: 'no' }, 'Ww--'],
    ['a one-way street binds riders', { highway: 'residential', oneway: 'yes' }, 'WwR-'],
    ['a one-way street against its drawing', { highway: 'residential', oneway: '-1' }, 'Ww-r'],
    ['a roundabout', { highway: 'tertiary', junction: 'roundabout' }, 'WwR-'],
    [
      'a contraflow lane',
      { highway: 'residential', oneway: 'yes', cycleway: 'opposite_lane' },
      'WwRr',
    ],
    [
      'one-way but for bicycles',
      { highway: 'residential', oneway: 'yes', 'oneway:bicycle': 'no' },
      'WwRr',
    ],
    ['one-way for walkers', { highway: 'steps', 'oneway:foot': 'yes' }, 'W---'],
    ['a street yet to be built', { highway: 'construction' }, '----'],
    ['a station platform', { railway: 'platform' }, 'Ww--'],
    ['a pier', { man_made: 'pier' }, 'Ww--'],
    ['a building', { building: 'yes' }, '----'],
  ])('%s', (_, tags, expected) => {
    expect(spelled(tags)).toBe(expected);
  });

  test('what nobody may use is no street', () => {
    expect(traits({ highway: 'motorway' })).toBe(0);
    expect(traits({ highway: 'service', access: 'no' })).toBe(0);
  });

  test('trips neither begin nor end in tunnels', () => {
    expect(traits({ highway: 'footway', tunnel: 'yes' }) & NO_LINKING).toBeTruthy();
    expect(traits({ highway: 'footway', tunnel: 'building_passage' }) & NO_LINKING).toBe(0);
  });

  test('a barrier stops people when it says so', () => {
    const node = (tags: Record<string, string>) => nodeTraits(new Map(Object.entries(tags)));
    expect(node({ barrier: 'gate' })).toBe(0);
    expect(node({ barrier: 'gate', access: 'private' })).toBe(IMPASSABLE);
    expect(node({ barrier: 'gate', access: 'private', foot: 'yes' })).toBe(0);
    expect(node({ access: 'private' })).toBe(0);
  });
});

test.each<[number, Record<string, string>]>([
  [1, { highway: 'cycleway' }],
  [1, { highway: 'residential' }],
  [1, { highway: 'secondary', motor_vehicle: 'no' }],
  [2, { highway: 'secondary', lanes: '2', maxspeed: '25 mph' }],
  [2, { highway: 'secondary', lanes: '3' }],
  [2, { highway: 'tertiary', cycleway: 'lane', maxspeed: '35 mph' }],
  [2, { highway: 'tertiary', maxspeed: '25 mph' }],
  [3, { highway: 'tertiary' }],
  [3, { highway: 'secondary', 'cycleway:right': 'lane', maxspeed: '35 mph' }],
  [4, { highway: 'secondary' }],
  [4, { highway: 'primary', lanes: '4', maxspeed: '25 mph' }],
  [4, { highway: 'secondary', lanes: '2', maxspeed: '70' }],
  [1, { highway: 'primary', lts: '1' }],
])('traffic stress is %i on %j', (stress, tags) => {
  expect(stressOf(traits(tags))).toBe(stress);
});
