import type { Tags } from '../osm/tags.ts';
import { trafficStress } from './traffic-stress.ts';

/**
 * What the tags of a way say about using it, packed into 32 bits. "Forward" is the order of the
 * way's nodes. A way with no bit set is no street.
 */
export const WALK_FORWARD = 1 << 0;
export const WALK_BACKWARD = 1 << 1;
export const RIDE_FORWARD = 1 << 2;
export const RIDE_BACKWARD = 1 << 3;
/** Nobody starts or ends a trip here: tunnels. */
export const NO_LINKING = 1 << 4;
/** Three bits: level of traffic stress, 1 (calm) to 4. */
const STRESS_SHIFT = 5;

export function stressOf(traits: number): number {
  return (traits >>> STRESS_SHIFT) & 7;
}

/** Ways made for people on foot; a bicycle is ridden only where a tag invites it. */
const FOOTWAYS = new Set(['footway', 'pedestrian', 'steps', 'corridor', 'platform', 'bridleway']);
/** Ways both may use unless a tag forbids it. */
const SHARED_WAYS = new Set([
  ...['path', 'cycleway', 'track', 'service', 'living_street', 'residential', 'unclassified'],
  ...['road', 'tertiary', 'tertiary_link', 'secondary', 'secondary_link', 'primary'],
  ...['primary_link', 'trunk', 'trunk_link'],
]);
/** Ways for motor vehicles alone, unless a tag says that people may. */
const MOTORWAYS = new Set(['motorway', 'motorway_link']);

const FORBIDDEN = new Set([
  'no',
  'private',
  'use_sidepath',
  'military',
  'permit',
  'agricultural',
  'forestry',
  'agricultural;forestry',
  'emergency',
  'delivery',
]);
const WELCOMED = new Set([
  'yes',
  'designated',
  'permissive',
  'official',
  'destination',
  'customers',
  'public',
]);

/**
 * Packs the tags of a way. The most specific access tag wins (`foot` over `access`, `bicycle` over
 * `vehicle` over `access`), then the default of its class, after the United States' row of the
 * OpenStreetMap wiki's "Access restrictions" table. Returns 0 for what is no street.
 */
export function streetTraits(tags: Tags): number {
  const highway = wayClass(tags);
  if (highway === undefined) return 0;
  const walk = mayWalk(tags, highway);
  const ride = mayRide(tags, highway);
  let traits = 0;
  if (walk) traits |= walkDirections(tags);
  if (ride) traits |= rideDirections(tags);
  if (traits === 0) return 0;
  if (
    tags.has('tunnel') &&
    tags.get('tunnel') !== 'no' &&
    tags.get('tunnel') !== 'building_passage'
  ) {
    traits |= NO_LINKING;
  }
  return traits | (trafficStress(tags, highway) << STRESS_SHIFT);
}

/** A node that stops people on foot, and so everybody. */
export const IMPASSABLE = 1;

/** Packs the tags of a node: barriers that people may not pass. */
export function nodeTraits(tags: Tags): number {
  if (tags.size === 0 || !tags.has('barrier')) return 0;
  const access = tags.get('foot') ?? tags.get('access');
  return access !== undefined && FORBIDDEN.has(access) ? IMPASSABLE : 0;
}

function wayClass(tags: Tags): string | undefined {
  const highway = tags.get('highway');
  if (highway !== undefined) {
    const known = FOOTWAYS.has(highway) || SHARED_WAYS.has(highway) || MOTORWAYS.has(highway);
    return known ? highway : undefined;
  }
  if (tags.get('railway') === 'platform' || tags.get('public_transport') === 'platform') {
    return 'platform';
  }
  return tags.get('man_made') === 'pier' ? 'footway' : undefined;
}

function mayWalk(tags: Tags, highway: string): boolean {
  const foot = tags.get('foot');
  if (foot !== undefined && WELCOMED.has(foot)) return true;
  if (foot !== undefined && FORBIDDEN.has(foot)) return false;
  const access = tags.get('access');
  if (access !== undefined && FORBIDDEN.has(access)) return false;
  return !MOTORWAYS.has(highway) && tags.get('motorroad') !== 'yes';
}

function mayRide(tags: Tags, highway: string): boolean {
  const bicycle = tags.get('bicycle');
  if (bicycle === 'dismount') return false;
  if (bicycle !== undefined && WELCOMED.has(bicycle)) return true;
  if (bicycle !== undefined && FORBIDDEN.has(bicycle)) return false;
  const access = tags.get('vehicle') ?? tags.get('access');
  if (access !== undefined && FORBIDDEN.has(access)) return false;
  return SHARED_WAYS.has(highway) && tags.get('motorroad') !== 'yes';
}

function walkDirections(tags: Tags): number {
  const oneway = tags.get('oneway:foot') ?? tags.get('foot:oneway');
  if (oneway === 'yes' || tags.get('foot:backward') === 'no') return WALK_FORWARD;
  if (oneway === '-1' || tags.get('foot:forward') === 'no') return WALK_BACKWARD;
  return WALK_FORWARD | WALK_BACKWARD;
}

function rideDirections(tags: Tags): number {
  const both = RIDE_FORWARD | RIDE_BACKWARD;
  const oneway =
    tags.get('oneway:bicycle') ?? (hasContraflowLane(tags) ? 'no' : tags.get('oneway'));
  if (oneway === 'yes' || oneway === '1' || oneway === 'true') return RIDE_FORWARD;
  if (oneway === '-1' || oneway === 'reverse') return RIDE_BACKWARD;
  if (oneway === undefined) {
    const junction = tags.get('junction');
    if (junction === 'roundabout' || junction === 'circular') return RIDE_FORWARD;
  }
  return both;
}

function hasContraflowLane(tags: Tags): boolean {
  for (const side of ['cycleway', 'cycleway:left', 'cycleway:right', 'cycleway:both']) {
    if (tags.get(side)?.startsWith('opposite')) return true;
    const oneway = tags.get(`${side}:oneway`);
    if (oneway === 'no' || oneway === '-1') return true;
  }
  return false;
}
