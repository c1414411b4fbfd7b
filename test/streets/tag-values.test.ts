import { describe, expect, test } from 'vitest';
import { accessBy } from '../../builder/streets/access-tags.ts';
import { isImpassable, isOpenWater } from '../../builder/streets/impassable.ts';
import { isSeldomLinked } from '../../builder/streets/seldom-linked.ts';
import { kilometresPerHour } from '../../builder/streets/traffic-stress.ts';
import {
  AREA,
  FERRY,
  hasTrackForward,
  NO_LINKING,
  OFF_GROUND,
  RIDE,
  SELDOM_LINKED,
  stressBackward,
  stressForward,
  WALK,
  WALK_BACKWARD,
  WALK_FORWARD,
  WALK_LOCAL,
} from '../../builder/streets/trait-bits.ts';
import { unreadDurations, wayTime } from '../../builder/streets/way-time.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { tagsOf } from '../support/tags.ts';

const traits = (tags: string) => streetTraits(tagsOf(tags));
const words = (text: string) => text.split(' ');

describe('access', () => {
  const access = (...values: string[]) =>
    accessBy(new Map(values.map((value, i) => [`${i}`, value])), Object.keys(values));

  // As in Conveyal R5's TraversalPermissionLabeler, with `permit` and `military`.
  test.each([
    ['yes', 'yes 1 true official unknown public permissive designated lane track shared_lane'],
    ['yes', 'share_busway crossing'],
    ['no', 'no 0 false license restricted prohibited emergency use_sidepath dismount military'],
    ['local', 'destination customers customer delivery residents resident private permit forestry'],
    ['local', 'agricultural employees employee staff members member students student visitors'],
    ['local', 'guests tenants owner authorized'],
    ['no', 'closed none'],
    [undefined, 'sometimes variable yes,no -'],
  ])('is %s for %s', (expected, values) => {
    expect(words(values).map((value) => access(value))).toEqual(words(values).map(() => expected));
  });

  test('is that of the first value of a list, in upper or lower case', () => {
    const lists = ['no;yes', 'Private ;yes', ' YES', ';no'];
    expect(lists.map((list) => access(list))).toEqual(['no', 'local', 'yes', undefined]);
  });

  test('is that of the first tag with a known value', () => {
    expect(access('sometimes', 'private', 'no')).toBe('local');
    expect(accessBy(tagsOf('access=no'), ['foot', 'access'])).toBe('no');
    expect(accessBy(tagsOf('access=no'), ['foot'])).toBeUndefined();
  });
});

/** The wiki's defaults in the United States. */
test.each([
  ['both', 'path cycleway pedestrian bridleway track service living_street residential'],
  ['both', 'unclassified road tertiary tertiary_link secondary secondary_link primary'],
  ['both', 'primary_link trunk trunk_link'],
  ['walkers', 'footway steps corridor platform elevator'],
  ['nobody', 'motorway motorway_link busway'],
  ['nobody', 'proposed construction raceway bus_guideway rest_area'],
])('classes of highways open to %s: %s', (open, classes) => {
  for (const highway of words(classes)) {
    const of = traits(`highway=${highway}`);
    const bits = { both: WALK | RIDE, walkers: WALK, nobody: 0 }[open];
    expect([highway, of & (WALK | RIDE)]).toEqual([highway, bits]);
  }
});

test('a way that is no street does not become one by another tag', () => {
  expect(traits('highway=proposed, public_transport=platform')).toBe(0);
  expect(traits('public_transport=platform') & (WALK | RIDE)).toBe(WALK);
  expect(traits('railway=rail')).toBe(0);
  expect(traits('man_made=bridge')).toBe(0);
});

test('a motorway is open to walkers where it has a sidewalk of its own', () => {
  const walked = (value: string) => (traits(`highway=motorway, sidewalk=${value}`) & WALK) !== 0;
  const values = words('both left right no none separate yes');
  expect(values.map(walked)).toEqual([true, true, true, false, false, false, false]);
  for (const side of words('sidewalk:both sidewalk:left sidewalk:right')) {
    for (const value of words('yes no separate none')) {
      for (const road of ['highway=motorway_link', 'highway=trunk, motorroad=yes']) {
        const isWalked = (traits(`${road}, ${side}=${value}`) & WALK) !== 0;
        expect([road, side, value, isWalked]).toEqual([road, side, value, value === 'yes']);
      }
    }
  }
});

test('a bridge that no longer exists is no street', () => {
  for (const bridge of words('demolished destroyed removed collapsed')) {
    expect(traits(`highway=residential, bridge=${bridge}`)).toBe(0);
  }
  for (const bridge of words('yes viaduct movable abandoned')) {
    expect(traits(`highway=residential, bridge=${bridge}`)).not.toBe(0);
  }
});

test.each([
  [WALK, 'oneway=no'],
  [WALK_FORWARD, 'oneway=yes'],
  [WALK_BACKWARD, 'oneway=-1'],
  [WALK, 'oneway=yes, oneway:foot=no'],
])('directions %i are served by a ferry with %s', (directions, tags) => {
  expect(traits(`route=ferry, ${tags}`) & WALK).toBe(directions);
});

test.each([
  [WALK_FORWARD, 'oneway:foot=yes'],
  [WALK_FORWARD, 'foot:oneway=yes'],
  [WALK_FORWARD, 'foot:backward=no'],
  [WALK_BACKWARD, 'oneway:foot=-1'],
  [WALK_BACKWARD, 'foot:oneway=-1'],
  [WALK_BACKWARD, 'foot:forward=no'],
  [WALK, 'oneway:foot=no'],
  [WALK, 'oneway=yes'],
  [WALK, 'foot:forward=yes'],
  [WALK_FORWARD, 'oneway:foot=1'],
  [WALK_BACKWARD, 'oneway:foot=reverse'],
  // Escalators and moving walkways.
  [WALK_FORWARD, 'conveying=forward'],
  [WALK_BACKWARD, 'conveying=backward'],
  [WALK, 'conveying=reversible'],
  [WALK, 'conveying=yes'],
  [WALK, 'conveying=no, oneway=yes'],
  [WALK_FORWARD, 'conveying=yes, oneway=yes'],
  [WALK_BACKWARD, 'conveying=yes, oneway=-1'],
  [WALK_BACKWARD, 'conveying=forward, oneway:foot=-1'],
  [WALK, 'conveying=forward, oneway:foot=no'],
])('directions %i are walked on a footway or on steps with %s', (directions, tags) => {
  for (const highway of ['footway', 'steps']) {
    expect([highway, traits(`highway=${highway}, ${tags}`) & WALK]).toEqual([highway, directions]);
  }
});

test.each([
  ['nowhere', 0, 'highway=footway'],
  ['in tunnels', NO_LINKING | OFF_GROUND, 'highway=footway, tunnel=yes'],
  ['in no tunnel', 0, 'highway=footway, tunnel=no'],
  ['in a passage of a building', 0, 'highway=footway, tunnel=building_passage'],
  ['on bridges', OFF_GROUND | SELDOM_LINKED, 'highway=footway, bridge=yes'],
  ['on no bridge', 0, 'highway=footway, bridge=no'],
  ['on plazas', AREA, 'highway=pedestrian, area=yes'],
  ['on footways as areas', AREA, 'highway=footway, area=yes'],
  ['on platforms', AREA, 'public_transport=platform, area=yes'],
  ['on other areas', 0, 'highway=residential, area=yes'],
  ['on the outline of a plaza', 0, 'highway=pedestrian, area=no'],
])('trips %s have a trait of their own', (_, expected, tags) => {
  expect(traits(tags) & (NO_LINKING | OFF_GROUND | SELDOM_LINKED | AREA)).toBe(expected);
});

test('a ferry carries walkers between its quays, where they may board', () => {
  const boarded = FERRY | WALK | NO_LINKING;
  expect(traits('route=ferry')).toBe(boarded);
  expect(traits('route=ferry, access=private')).toBe(boarded | WALK_LOCAL);
  expect(traits('route=ferry, access=no, foot=yes')).toBe(boarded);
  expect(traits('route=ferry, access=no')).toBe(0);
  expect(traits('route=bus')).toBe(0);
  expect(traits('route=ferry, highway=footway') & FERRY).toBe(0);
});

describe('the time', () => {
  const minutes = (tags: string) => {
    const time = wayTime(tagsOf(tags));
    return time && [time.waiting / 60, time.moving && time.moving / 60];
  };

  test.each([
    ['5', 5],
    ['90', 90],
    ['1440', 1_440],
    ['01:30', 90],
    ['1:30', 90],
    ['100:00', 6_000],
    ['00:12:30', 12.5],
    [' 7 ', 7],
    ['0', null],
    ['00:00:00', null],
    ['PT10M', 10],
    ['PT1H30M', 90],
    ['pt1h', 60],
    ['PT7.5M', 7.5],
    ['PT90S', 1.5],
    ['P1DT2H', 26 * 60],
    ['10 min', 10],
    ['20min.', 20],
    ['20 Minutes', 20],
    ['1h', 60],
    ['1,5 h', 90],
    ['7.5 min', 7.5],
    ['1h30', 90],
    ['1 hour 30 minutes', 90],
    ['2 hrs', 120],
    ['90 s', 1.5],
    ['00:20;00:25', 25],
    ['25;PT20M', 25],
    ['unknown;20', 20],
    ['', null],
    ['P', null],
    ['PT', null],
    ['min', null],
    ['-5', null],
    ['often', null],
    ['7.5', null],
    ['00.20', null],
    ['1.30', null],
    ['1,5', null],
    ['1h7.5', null],
    ['10:03:2', null],
    ['1000:00', null],
    ['12345', null],
  ])('of a ferry with a duration of %j is read as %s minutes', (duration, moving) => {
    expect(minutes(`route=ferry, duration=${duration}`)).toEqual([10, moving]);
  });

  test('of waiting is half of an interval', () => {
    expect(minutes('route=ferry, interval=40')).toEqual([20, null]);
    expect(minutes('route=ferry, interval=PT20M;PT40M')).toEqual([20, null]);
    expect(minutes('route=ferry, interval=often')).toEqual([10, null]);
  });

  test('that cannot be read is named, with its tag', () => {
    const tags = tagsOf('route=ferry, duration=soon;later, interval=often');
    expect(unreadDurations(tags)).toEqual(['duration=soon;later', 'interval=often']);
    expect(unreadDurations(tagsOf('route=ferry, duration=soon;20'))).toEqual([]);
    expect(unreadDurations(tagsOf('route=ferry, duration=00.20, interval=1.30'))).toEqual([
      'duration=00.20',
      'interval=1.30',
    ]);
  });

  test('of an elevator is its duration, or a minute, without waiting', () => {
    expect(minutes('highway=elevator')).toEqual([0, 1]);
    expect(minutes('highway=elevator, duration=00:00:30')).toEqual([0, 0.5]);
    expect(minutes('highway=elevator, duration=PT30S')).toEqual([0, 0.5]);
    expect(minutes('highway=footway, duration=5')).toBeNull();
  });
});

test.each([
  ['50', 50],
  ['30.5', 30.5],
  ['40 km/h', 40],
  ['40 kmh', 40],
  ['40kph', 40],
  ['25 mph', 40.2],
  ['35mph', 56.3],
  ['10 knots', 18.5],
  ['25 MPH', 40.2],
  ['25 mph;30 mph', 48.3],
  ['50; 30', 50],
  ['none', undefined],
  ['50;none', undefined],
  ['US:urban', undefined],
  ['x25 mph', undefined],
  ['.5', undefined],
  [undefined, undefined],
])('a speed of %j is %s km/h', (text, expected) => {
  const speed = kilometresPerHour(text);
  if (expected === undefined) expect(speed).toBeUndefined();
  else expect(speed).toBeCloseTo(expected, 1);
});

describe('stress', () => {
  const stress = (tags: string) => [stressForward(traits(tags)), stressBackward(traits(tags))];
  const CAR_FREE = words(
    'footway pedestrian steps corridor platform elevator bridleway path cycleway busway',
  );

  test.each(CAR_FREE)('is 1 on highway=%s, unless cars may use it', (highway) => {
    expect(stress(`highway=${highway}, foot=yes`)).toEqual([1, 1]);
    expect(stress(`highway=${highway}, foot=yes, motorcar=yes`)).toEqual([4, 4]);
    expect(stress(`highway=${highway}, foot=yes, motor_vehicle=private`)).toEqual([1, 1]);
  });

  test.each([
    ['residential', [1, 1]],
    ['living_street', [1, 1]],
    ['service', [0, 0]],
    ['unclassified', [3, 3]],
    ['tertiary', [3, 3]],
    ['tertiary_link', [3, 3]],
    ['secondary', [4, 4]],
    ['trunk_link', [4, 4]],
    ['road', [4, 4]],
    ['track', [4, 4]],
  ])('on highway=%s is %j', (highway, expected) => {
    expect(stress(`highway=${highway}`)).toEqual(expected);
  });

  test.each([
    ['1', [1, 1]],
    ['2.9', [2, 2]],
    ['4', [4, 4]],
    ['0', [3, 3]],
    ['5', [3, 3]],
    ['high', [3, 3]],
  ])('tagged lts=%s is %j, whatever the class', (lts, expected) => {
    expect(stress(`highway=tertiary, lts=${lts}`)).toEqual(expected);
  });

  test.each([
    // 25 mph, which mappers also round to 40 km/h, is slow.
    ['maxspeed=25 mph', [2, 2]],
    ['maxspeed=40', [2, 2]],
    ['maxspeed=41', [3, 3]],
    ['maxspeed=25 mph, lanes=3', [2, 2]],
    ['maxspeed=25 mph, lanes=4', [3, 3]],
    ['maxspeed=30 mph, lanes=2', [3, 3]],
    ['lanes=3', [2, 2]],
    ['lanes=4', [3, 3]],
    ['lanes=many', [3, 3]],
    ['motor_vehicle=no', [1, 1]],
    ['vehicle=no', [1, 1]],
    ['vehicle=no, motorcar=yes', [3, 3]],
  ])('on a tertiary street with %s is %j', (tags, expected) => {
    expect(stress(`highway=tertiary, ${tags}`)).toEqual(expected);
  });
});

/** Values in the wiki's proposal "Separation". */
test.each([
  [true, 'bollard flex_post vertical_panel kerb separation_kerb guard_rail fence jersey_barrier'],
  [true, 'concrete_barrier hedge planter tree_row grass_verge greenery parking_lane structure'],
  [true, 'ditch'],
  [false, 'no solid_line dashed_line buffer rumble_strip cyclist_barrier'],
])('separates riders from cars: %s for %s', (expected, values) => {
  for (const value of words(values)) {
    const tags = `highway=primary, cycleway:right=lane, cycleway:right:separation=${value}`;
    expect([value, hasTrackForward(traits(tags))]).toEqual([value, expected]);
  }
});

describe('trips seldom begin or end', () => {
  const seldom = (tags: string) => isSeldomLinked(tagsOf(tags), tagsOf(tags).get('highway')!);

  test('on trunk roads and links, but not on other streets', () => {
    const fast = words('trunk trunk_link primary_link secondary_link tertiary_link');
    for (const highway of fast)
      expect([highway, seldom(`highway=${highway}`)]).toEqual([highway, true]);
    for (const highway of words('primary secondary tertiary motorway footway')) {
      expect([highway, seldom(`highway=${highway}`)]).toEqual([highway, false]);
    }
  });

  test.each([
    [true, 'highway=footway, bridge=yes'],
    [false, 'highway=footway, bridge=boardwalk'],
    [false, 'highway=footway, bridge=no'],
    [true, 'highway=corridor'],
    [true, 'highway=footway, indoor=yes'],
    [false, 'highway=footway, indoor=no'],
    [true, 'highway=trunk_link, name=Main Street'],
    [false, 'highway=primary_link, foot=yes'],
  ])('on a way with these tags: %s, %s', (expected, tags) => {
    expect(seldom(tags)).toBe(expected);
  });

  test.each([
    [false, 'both left right yes separate'],
    [true, 'no none unknown'],
  ])('on a trunk road: %s with sidewalks that are %s', (expected, values) => {
    for (const side of ['sidewalk', 'sidewalk:both', 'sidewalk:right', 'sidewalk:left']) {
      for (const value of words(values)) {
        const tags = `highway=trunk, ${side}=${value}`;
        expect([tags, seldom(tags)]).toEqual([tags, expected]);
      }
    }
  });

  test.each([
    [true, 'foot=no'],
    [false, 'foot=private'],
    [false, 'foot=use_sidepath'],
    [true, 'foot=sometimes'],
    [true, 'name=Main Street, sidewalk=none'],
    [false, 'name=Main Street, sidewalk=no, sidewalk:left=yes'],
    [false, 'name=Main Street, sidewalk=unknown'],
    [false, 'name=Main Street, expressway=no'],
    [true, 'name=Main Street, expressway=yes'],
    [false, 'name=MAIN STREET'],
    [true, 'name=Main Streets'],
    [true, 'name=Street Road'],
    [false, 'name=Fifth Avenue North'],
    [false, 'name=Fifth Avenue South'],
    [false, 'name=Wilson Boulevard Northwest'],
    [false, 'name=Wilson Boulevard Southeast'],
    [false, 'name=Broadway East'],
    [false, 'name=Union Square West'],
    [true, 'name=Broadway Up'],
    [true, 'name=Overstreet'],
    [false, 'maxspeed=57'],
    [true, 'maxspeed=58'],
    [true, 'name=Main Street, maxspeed=45 mph'],
    [true, 'name=Main Street, sidewalk:both=no'],
    [true, 'bridge=viaduct, sidewalk=both'],
  ])('on a trunk road: %s with %s', (expected, tags) => {
    expect(seldom(`highway=trunk, ${tags}`)).toBe(expected);
  });
});

test.each([
  [true, 'waterway=', 'river canal riverbank dock'],
  [false, 'waterway=', 'stream ditch drain'],
  [true, 'natural=', 'water coastline'],
  [false, 'natural=', 'wetland beach'],
  [true, 'railway=', 'rail subway'],
  [false, 'railway=', 'tram light_rail abandoned'],
  [true, 'highway=', 'motorway motorway_link'],
  [false, 'highway=', 'trunk primary'],
  [false, 'motorroad=', 'yes'],
  [true, 'highway=trunk, motorroad=', 'yes'],
  [false, 'highway=trunk, motorroad=', 'no'],
])('cannot be crossed: %s for %s%s', (expected, key, values) => {
  for (const value of words(values)) {
    const line = `${key}${value}`;
    expect([line, isImpassable(tagsOf(line))]).toEqual([line, expected]);
    for (const passage of ['tunnel', 'bridge', 'covered']) {
      expect(isImpassable(tagsOf(`${line}, ${passage}=yes`))).toBe(false);
      expect(isImpassable(tagsOf(`${line}, ${passage}=no`))).toBe(expected);
    }
  }
});

test('open water is what is mapped as an area or a coastline; without tags nothing is impassable', () => {
  const isWater = ['natural=water', 'natural=coastline', 'waterway=riverbank', 'waterway=river'];
  expect(isWater.map((tags) => isOpenWater(tagsOf(tags)))).toEqual([true, true, true, false]);
  expect(isImpassable(new Map())).toBe(false);
});
