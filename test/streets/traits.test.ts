import { describe, expect, test } from 'vitest';
import {
  LIMITS_RIDE,
  LIMITS_WALK,
  nodeTraits,
  SIGNAL,
  SIGNAL_OF_CROSSING,
  STEP,
  STOPS_RIDE,
  STOPS_WALK,
} from '../../builder/streets/node-traits.ts';
import {
  RIDE_BACKWARD,
  RIDE_FORWARD,
  stressBackward,
  stressForward,
  throughTraits,
  WALK_BACKWARD,
  WALK_FORWARD,
} from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { tagsOf } from '../support/tags.ts';

const traits = (tags: string) => streetTraits(tagsOf(tags));
/**
 * Access as letters: W and w for walking forward and backward, R and r for riding. Letters after a
 * slash are for through traffic, where its access differs.
 */
const spelled = (tags: string) => {
  const letters = (bits: number) => [
    ...(bits & WALK_FORWARD ? 'W' : '-'),
    ...(bits & WALK_BACKWARD ? 'w' : '-'),
    ...(bits & RIDE_FORWARD ? 'R' : '-'),
    ...(bits & RIDE_BACKWARD ? 'r' : '-'),
  ];
  const all = letters(traits(tags)).join('');
  const through = letters(throughTraits(traits(tags))).join('');
  return all === through ? all : `${all}/${through}`;
};

describe('access to a way', () => {
  test.each<[string, string, string]>([
    ['a motorway that people may walk', 'highway=motorway, foot=yes', 'Ww--'],
    ['a motorroad: nobody', 'highway=trunk, motorroad=yes', '----'],
    ['a footway signed for bicycles', 'highway=footway, bicycle=designated', 'WwRr'],
    ['a cycleway without walkers', 'highway=cycleway, foot=no', '--Rr'],
    ['a private drive: who begins or ends there', 'highway=service, access=private', 'WwRr/----'],
    ['a street for who has business there', 'highway=residential, access=destination', 'WwRr/----'],
    ['for vehicles of customers', 'highway=service, vehicle=customers', 'WwRr/Ww--'],
    ['a motorway for its workers', 'highway=motorway, access=private', '----'],
    ['a closed drive: nobody', 'highway=service, access=no', '----'],
    ['a private drive open to walkers', 'highway=service, access=private, foot=yes', 'WwRr/Ww--'],
    ['steps with a ramp for bicycles: walkers', 'highway=steps, bicycle=yes', 'Ww--'],
    ['private, with a sidewalk', 'highway=tertiary, access=private, sidewalk=left', 'WwRr/----'],
    ['private to walkers', 'highway=service, foot=private, sidewalk=both', 'WwRr/--Rr'],
    ['closed to walkers, with a sidewalk', 'highway=primary, foot=no, sidewalk=both', '--Rr'],
    ['a motorroad with a sidewalk', 'highway=trunk, motorroad=yes, sidewalk=both', 'Ww--'],
    ['a busway that people may walk', 'highway=busway, access=no, foot=yes', 'Ww--'],
    ['a busway for bicycles', 'highway=busway, bicycle=designated', '--Rr'],
    ['a bus lane shared', 'highway=service, access=no, cycleway=share_busway', '--Rr'],
    ['a lane on one side alone', 'highway=primary, bicycle=no, cycleway:right=lane', 'WwR-'],
    ['sent to a path that is yet to be found', 'highway=primary, bicycle=use_sidepath', 'WwRr'],
    ['walkers sent to a path', 'highway=primary, foot=use_sidepath', 'WwRr'],
    ['no riding backward', 'highway=residential, bicycle:backward=no', 'WwR-'],
    ['one-way for vehicles, so for bicycles', 'highway=residential, oneway:vehicle=yes', 'WwR-'],
    ['a lane against backward cars', 'highway=residential, oneway=-1, cycleway=opposite', 'WwRr'],
    ['open on days', 'highway=service, access=no, access:conditional=yes @ (Mo-Fr)', '----'],
    ['where bicycles are pushed', 'highway=path, bicycle=dismount', 'Ww--'],
    ['no vehicles, so no riding', 'highway=path, vehicle=no', 'Ww--'],
    ['a one-way street binds riders', 'highway=residential, oneway=yes', 'WwR-'],
    ['a one-way street against its drawing', 'highway=residential, oneway=-1', 'Ww-r'],
    ['a roundabout', 'highway=tertiary, junction=roundabout', 'WwR-'],
    ['a circular junction', 'highway=tertiary, junction=circular', 'WwR-'],
    ['another junction', 'highway=tertiary, junction=yes', 'WwRr'],
    ['a motorway for bicycles, one-way', 'highway=motorway, bicycle=yes', '--R-'],
    ['one-way, spelled 1', 'highway=residential, oneway=1', 'WwR-'],
    ['one-way, spelled true', 'highway=residential, oneway=true', 'WwR-'],
    ['one-way, spelled reverse', 'highway=residential, oneway=reverse', 'Ww-r'],
    ['alternating', 'highway=residential, oneway=alternating', 'WwRr'],
    ['no riding forward', 'highway=residential, bicycle:forward=no', 'Ww-r'],
    ['a private drive with a lane', 'highway=service, access=private, cycleway=lane', 'WwRr/--Rr'],
    ['on both', 'highway=service, access=private, cycleway:both=track', 'WwRr/--Rr'],
    ['a motorway link', 'highway=motorway_link, foot=yes', 'Ww--'],
    ['a contraflow lane', 'highway=residential, oneway=yes, cycleway=opposite_lane', 'WwRr'],
    [
      'a lane both ways',
      'highway=tertiary, oneway=yes, cycleway:left=lane, cycleway:left:oneway=no',
      'WwRr',
    ],
    [
      'one of two',
      'highway=tertiary, oneway=yes, cycleway:both=lane, cycleway:left:oneway=-1',
      'WwRr',
    ],
    [
      'a lane the other way, apart',
      'highway=tertiary, oneway=yes, cycleway:left=separate, cycleway:left:oneway=no',
      'WwR-',
    ],
    [
      'no lane the other way',
      'highway=tertiary, oneway=yes, cycleway:left=no, cycleway:left:oneway=no',
      'WwR-',
    ],
    [
      'a side of the tracks on both',
      'highway=tertiary, oneway=yes, cycleway:both=track, cycleway:left:oneway=no',
      'WwRr',
    ],
    [
      'a side of those without a side',
      'highway=tertiary, oneway=yes, cycleway=shared_lane, cycleway:left:oneway=-1',
      'WwRr',
    ],
    ['no cycleway the other way', 'highway=tertiary, oneway=yes, cycleway:left:oneway=no', 'WwR-'],
    ['one-way but for bicycles', 'highway=residential, oneway=yes, oneway:bicycle=no', 'WwRr'],
    ['a station platform', 'railway=platform', 'Ww--'],
    ['a pier', 'man_made=pier', 'Ww--'],
    ['a building', 'building=yes', '----'],
  ])('%s', (_, tags, expected) => {
    expect(spelled(tags)).toBe(expected);
  });

  test('a way closed to all is not a street', () => {
    expect(traits('highway=proposed')).toBe(0);
    expect(traits('highway=service, access=no')).toBe(0);
  });

  const LIMITS = LIMITS_WALK | LIMITS_RIDE;
  test.each<[string, string, number]>([
    ['a gate: nobody', 'barrier=gate', 0],
    ['a closed gate: all', 'barrier=gate, access=no', STOPS_WALK | STOPS_RIDE],
    ['a private gate: who passes through', 'barrier=gate, access=private', LIMITS],
    ['one open to walkers: riders who pass', 'barrier=gate, access=private, foot=yes', LIMITS_RIDE],
    ['one for bicycles: walkers', 'barrier=gate, access=no, bicycle=yes', STOPS_WALK],
    ['a locked gate: who passes through', 'barrier=gate, locked=yes', LIMITS],
    ['one that people have keys to: nobody', 'barrier=gate, locked=yes, access=yes', 0],
    ['what is no barrier: nobody', 'access=private', 0],
    ['a stile: riders', 'barrier=stile', STOPS_RIDE],
    ['a stile for walkers: riders', 'barrier=stile, foot=yes', STOPS_RIDE],
    ['a turnstile: riders', 'barrier=full-height_turnstile', STOPS_RIDE],
    ['a stile for horses: riders', 'barrier=horse_stile', STOPS_RIDE],
    ['a gate for no vehicles: riders', 'barrier=gate, vehicle=no', STOPS_RIDE],
    ['a kissing gate: riders', 'barrier=kissing_gate', STOPS_RIDE],
    ['one that bicycles fit through: nobody', 'barrier=kissing_gate, bicycle=yes', 0],
    ['a cycle barrier: riders', 'barrier=cycle_barrier', STOPS_RIDE],
    ['one where all may pass: nobody', 'barrier=cycle_barrier, access=yes', 0],
    ['a locked turnstile: who passes', 'barrier=turnstile, locked=yes', LIMITS_WALK | STOPS_RIDE],
  ])('a barrier stops %s', (_, tags, expected) => {
    expect(nodeTraits(tagsOf(tags)) & ~STEP).toBe(expected);
  });
});

/** Stress forward and backward, one digit if both are equal, worked out by hand from R5's rules. */
test.each<[string, string]>([
  ['1', 'highway=residential, lanes=4, maxspeed=45 mph'],
  ['1', 'highway=secondary, motor_vehicle=no'],
  ['1', 'highway=secondary, access=private, foot=yes'],
  ['3', 'highway=path, motor_vehicle=yes, cycleway:right=lane, cycleway=opposite'],
  ['0', 'highway=service, maxspeed=45 mph'],
  ['2', 'highway=tertiary, cycleway=lane, lanes=6, maxspeed=35 mph'],
  ['23', 'highway=tertiary, cycleway:right=lane'],
  ['32', 'highway=tertiary, cycleway:left=lane'],
  ['32', 'highway=tertiary, oneway=yes, cycleway=opposite'],
  ['32', 'highway=tertiary, oneway=yes, cycleway:right=opposite'],
  ['23', 'highway=tertiary, oneway=yes, cycleway:left=opposite'],
  ['3', 'highway=tertiary, oneway=yes, cycleway=opposite_lane'],
  ['3', 'highway=tertiary, cycleway=track'],
  ['4', 'highway=secondary, lanes=2, maxspeed=25 mph'],
  ['4', 'highway=secondary, lanes=2'],
  ['24', 'highway=secondary, cycleway:right=lane, maxspeed=40'],
  ['3', 'highway=trunk, cycleway=lane, lanes=2'],
  ['3', 'highway=secondary, cycleway=buffered_lane, maxspeed=35 mph'],
  ['3', 'highway=primary, cycleway:both=lane'],
  ['4', 'highway=motorway'],
  ['1', 'highway=primary, lts=1'],
])('traffic stress is %s on %j', (stress, tags) => {
  const [forward, backward] = [stressForward(traits(tags)), stressBackward(traits(tags))];
  expect(forward === backward ? `${forward}` : `${forward}${backward}`).toBe(stress);
});

test.each<[string, number]>([
  ['highway=traffic_signals', SIGNAL],
  ['highway=crossing, crossing=traffic_signals', SIGNAL | SIGNAL_OF_CROSSING],
  ['highway=crossing, crossing:signals=yes', SIGNAL | SIGNAL_OF_CROSSING],
  ['highway=crossing', 0],
  ['highway=crossing, crossing=uncontrolled, crossing:signals=no', 0],
])('traffic lights at a node: %s', (tags, expected) => {
  expect(nodeTraits(tagsOf(tags))).toBe(expected);
});
