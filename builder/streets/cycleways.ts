import type { Tags } from '../osm/tags.ts';
import { accessBy } from './access-tags.ts';

/** Directions of a way: forward along its nodes, and backward against them. */
export interface Directions {
  readonly forward: boolean;
  readonly backward: boolean;
}

/** The only direction in which cars may go along a way; `no` if they may go both ways. */
export type Oneway = 'forward' | 'backward' | 'no';

export interface Cycleways {
  /** Cycleways that permit bicycles, regardless of the access to the street as a whole. */
  readonly open: Directions;
  /** Lanes marked for bicycles alone. */
  readonly lanes: Directions;
  /** Tracks, and lanes with a solid separation from cars. */
  readonly tracks: Directions;
}

const NEITHER: Directions = { forward: false, backward: false };
const NO_CYCLEWAYS: Cycleways = { open: NEITHER, lanes: NEITHER, tracks: NEITHER };
const KEYS = ['cycleway', 'cycleway:both', 'cycleway:right', 'cycleway:left'] as const;
type CyclewayKey = (typeof KEYS)[number];

const LANES = new Set(['lane', 'buffered_lane']);
/** Values in the wiki's proposal "Separation" that stop a car; lines and rumble strips do not. */
const SOLID = new Set([
  'bollard',
  'flex_post',
  'vertical_panel',
  'kerb',
  'separation_kerb',
  'guard_rail',
  'fence',
  'jersey_barrier',
  'concrete_barrier',
  'hedge',
  'planter',
  'tree_row',
  'grass_verge',
  'greenery',
  'parking_lane',
  'structure',
  'ditch',
]);

/**
 * Reads the `cycleway` tags of a street. As in Conveyal R5, lanes against the cars
 * (`opposite_lane`) do not count as lanes here, whereas `opposite`, which has no lane, does. A
 * cycleway mapped as a way of its own (`separate`) does not belong to the street.
 */
export function cyclewaysOf(tags: Tags, cars: Oneway): Cycleways {
  if (!KEYS.some((key) => tags.has(key))) return NO_CYCLEWAYS;
  const isOpposite = (key: CyclewayKey) => tags.get(key) === 'opposite';
  const isOppositeTrack = KEYS.some((key) => tags.get(key) === 'opposite_track');
  const lanes = servedBy(tags, cars, (key) => isLane(tags, key));
  const tracks = servedBy(tags, cars, (key) => {
    return tags.get(key) === 'track' || (isLane(tags, key) && isSeparated(tags, key));
  });
  return {
    open: servedBy(tags, cars, (key) => accessBy(tags, [key]) === 'yes'),
    lanes: {
      forward: lanes.forward || isOpposite('cycleway:left'),
      backward: lanes.backward || isOpposite('cycleway') || isOpposite('cycleway:right'),
    },
    tracks: {
      forward: tracks.forward || (isOppositeTrack && cars === 'backward'),
      backward: tracks.backward || (isOppositeTrack && cars === 'forward'),
    },
  };
}

function isLane(tags: Tags, key: CyclewayKey): boolean {
  return LANES.has(tags.get(key) ?? '');
}

/**
 * Whether riders go against the cars of a one-way street on a cycleway that is mapped separately:
 * tags permit bicycles both ways, and one or both sides have a separate cycleway.
 */
export function hasSeparateContraflow(tags: Tags, cars: Oneway): boolean {
  return isOpenBothWays(tags, cars) && KEYS.some((key) => tags.get(key) === 'separate');
}

/** Whether a lane or track leads riders against the cars of a one-way street. */
export function hasContraflowLane(tags: Tags): boolean {
  return KEYS.some((key) => {
    if (tags.get(key)?.startsWith('opposite') === true) return true;
    const oneway = tags.get(`${key}:oneway`);
    return (oneway === 'no' || oneway === '-1') && permitsBicycles(tags, key);
  });
}

/** Whether there is a cycleway on a side of the street, by its own tag or by one for both sides. */
function permitsBicycles(tags: Tags, key: CyclewayKey): boolean {
  const said = [key, 'cycleway:both', 'cycleway'].find((named) => tags.has(named));
  if (said === undefined) return false;
  return LANES.has(tags.get(said) ?? '') || accessBy(tags, [said]) === 'yes';
}

function isOpenBothWays(tags: Tags, cars: Oneway): boolean {
  return cars !== 'no' && tags.get('oneway:bicycle') === 'no';
}

/**
 * Returns the directions served by matching cycleways. A cycleway on one side of the street serves
 * its tagged directions. Without such a tag, as in the wiki, each side of a two-way street serves
 * the direction of its traffic, and each side of a one-way street serves the direction of the cars.
 * But if a one-way street is open to bicycles both ways and its other side has no cycleway, this
 * one serves both directions. A cycleway without a side serves both.
 */
function servedBy(tags: Tags, cars: Oneway, isSuch: (key: CyclewayKey) => boolean): Directions {
  let forward = isSuch('cycleway') || isSuch('cycleway:both');
  let backward = forward;
  for (const side of ['right', 'left'] as const) {
    const key = `cycleway:${side}` as const;
    if (!isSuch(key)) continue;
    const otherSide = side === 'right' ? 'cycleway:left' : 'cycleway:right';
    const isShared = isOpenBothWays(tags, cars) && tags.get(otherSide) === 'no';
    const oneway = tags.get(`${key}:oneway`) ?? (isShared ? 'no' : undefined);
    const isAlong = cars === 'no' ? side === 'right' : cars === 'forward';
    forward ||= oneway === 'no' || oneway === 'yes' || (oneway !== '-1' && isAlong);
    backward ||= oneway === 'no' || oneway === '-1' || (oneway !== 'yes' && !isAlong);
  }
  return { forward, backward };
}

/**
 * Whether a lane has a solid separation from the cars, which are to the left of a lane on the
 * right.
 */
function isSeparated(tags: Tags, key: CyclewayKey): boolean {
  const towardsCars = key === 'cycleway:left' ? ':right' : ':left';
  return [key, 'cycleway:both', 'cycleway'].some((named) =>
    ['', ':both', towardsCars].some((side) => {
      const between = tags.get(`${named}:separation${side}`)?.split(';') ?? [];
      return between.some((value) => SOLID.has(value.trim()));
    }),
  );
}
