import { isSet, type Tags } from '../osm/tags.ts';
import { accessBy } from './access-tags.ts';
import { kilometresPerHour } from './traffic-stress.ts';

/** Ways that are seldom walked unless tags indicate otherwise. */
const FAST_ROADS = new Set([
  'trunk',
  'trunk_link',
  'primary_link',
  'secondary_link',
  'tertiary_link',
]);
const SIDEWALK = new Set(['both', 'left', 'right', 'yes', 'separate']);
const NO_SIDEWALK = new Set(['no', 'none']);
const SIDES = ['sidewalk', 'sidewalk:both', 'sidewalk:right', 'sidewalk:left'] as const;
/** 35 mph, the highest limit that is usual in towns, rounded as by mappers who tag 57 km/h. */
const TOWN_KMH = 35 * 1.63;
/** Names of streets in towns; roads between towns are highways, roads, pikes or parkways. */
const STREET_NAME =
  /\b(?:street|avenue|boulevard|broadway|square)(?: (?:north|south|east|west)(?:east|west)?)?$/i;

/**
 * Whether trips seldom begin or end on a way: on a bridge, inside a building, or on a fast road
 * without an indication of pedestrians. Boardwalks are bridges too, but level with the adjacent
 * doors.
 */
export function isSeldomLinked(tags: Tags, highway: string): boolean {
  if (isSet(tags, 'bridge') && tags.get('bridge') !== 'boardwalk') return true;
  if (highway === 'corridor' || isSet(tags, 'indoor')) return true;
  return FAST_ROADS.has(highway) && !isWalked(tags, highway);
}

/**
 * Whether a fast road is walked, by its access or sidewalks, or else as the main street of a town.
 */
function isWalked(tags: Tags, highway: string): boolean {
  const foot = accessBy(tags, ['foot']);
  if (foot !== undefined) return foot !== 'no' || tags.get('foot') === 'use_sidepath';
  const sides = SIDES.map((side) => tags.get(side) ?? '');
  if (sides.some((side) => SIDEWALK.has(side))) return true;
  if (sides.some((side) => NO_SIDEWALK.has(side))) return false;
  return highway === 'trunk' && isMainStreet(tags);
}

/** Whether a road is a town's main street, by its speed limit, or else by its name. */
function isMainStreet(tags: Tags): boolean {
  if (isSet(tags, 'expressway')) return false;
  const speed = kilometresPerHour(tags.get('maxspeed'));
  if (speed !== undefined) return speed <= TOWN_KMH;
  return STREET_NAME.test(tags.get('name') ?? '');
}
