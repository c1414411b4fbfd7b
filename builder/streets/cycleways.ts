import type { Tags } from '../osm/tags.ts';
import { accessBy } from './access-tags.ts';

/** Directions of a way: along its nodes, and against them. */
export interface Directions {
  readonly forward: boolean;
  readonly backward: boolean;
}

/** Which way cars go where they go one way only. */
export type Oneway = 'forward' | 'backward' | 'no';

/** What a street has for bicycles, each by the directions that it serves. */
export interface Cycleways {
  /** Anything that lets bicycles on, whatever is said of the street as a whole. */
  readonly open: Directions;
  /** Lanes that are marked for bicycles alone. */
  readonly lanes: Directions;
  /** Tracks, and lanes that something solid keeps apart from cars. */
  readonly tracks: Directions;
}

const NEITHER: Directions = { forward: false, backward: false };
const NO_CYCLEWAYS: Cycleways = { open: NEITHER, lanes: NEITHER, tracks: NEITHER };
const KEYS = ['cycleway', 'cycleway:both', 'cycleway:right', 'cycleway:left'] as const;
type CyclewayKey = (typeof KEYS)[number];

const LANES = new Set(['lane', 'buffered_lane']);
/** Of the wiki's proposal "Separation" what stops a car; lines and rumble strips do not. */
const SOLID = new Set([
  ...['bollard', 'flex_post', 'vertical_panel', 'kerb', 'separation_kerb', 'guard_rail', 'fence'],
  ...['jersey_barrier', 'concrete_barrier', 'hedge', 'planter', 'tree_row', 'grass_verge'],
  ...['greenery', 'parking_lane', 'structure', 'ditch'],
]);

/**
 * Reads the `cycleway` tags of a street. Lanes against the cars (`opposite_lane`) are no lanes here,
 * and `opposite` without one is, as in Conveyal R5. What is mapped as a way of its own (`separate`)
 * is none of the street's.
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
 * Which directions such cycleways serve. One on a side of the street serves those that it tells; else,
 * as the wiki has it, where cars go both ways each side serves that which drives there, and where
 * they go one way, both sides serve that. A cycleway of no side serves both.
 */
function servedBy(tags: Tags, cars: Oneway, isSuch: (key: CyclewayKey) => boolean): Directions {
  let forward = isSuch('cycleway') || isSuch('cycleway:both');
  let backward = forward;
  for (const side of ['right', 'left'] as const) {
    const key = `cycleway:${side}` as const;
    if (!isSuch(key)) continue;
    const oneway = tags.get(`${key}:oneway`);
    const isAlong = cars === 'no' ? side === 'right' : cars === 'forward';
    forward ||= oneway === 'no' || oneway === 'yes' || (oneway !== '-1' && isAlong);
    backward ||= oneway === 'no' || oneway === '-1' || (oneway !== 'yes' && !isAlong);
  }
  return { forward, backward };
}

/** Whether something solid stands between a lane and the cars: to the left of one on the right. */
function isSeparated(tags: Tags, key: CyclewayKey): boolean {
  const towardsCars = key === 'cycleway:left' ? ':right' : ':left';
  return [key, 'cycleway:both', 'cycleway'].some((named) =>
    ['', ':both', towardsCars].some((side) => {
      const between = tags.get(`${named}:separation${side}`)?.split(';') ?? [];
      return between.some((value) => SOLID.has(value.trim()));
    }),
  );
}
