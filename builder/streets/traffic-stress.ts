import type { Tags } from '../osm/tags.ts';

const CAR_FREE = new Set([
  ...['footway', 'pedestrian', 'steps', 'corridor', 'platform', 'bridleway', 'path'],
  ...['cycleway', 'track'],
]);
const CALM = new Set(['residential', 'living_street', 'service']);
const TERTIARY_OR_SMALLER = new Set(['unclassified', 'road', 'tertiary', 'tertiary_link']);
const LANE_TAGS = ['cycleway', 'cycleway:left', 'cycleway:right', 'cycleway:both'];
const KM_PER_MILE = 1.609344;
const TWENTY_FIVE_MPH_IN_KMH = 25 * KM_PER_MILE;

/**
 * Level of traffic stress, 1 (children ride here) to 4 (only the fearless do), from the tags of a
 * way: the classes of Mekuria, Furth and Nixon (2012) reduced to what OpenStreetMap records, as
 * Conveyal R5 does. An explicit `lts` tag wins. Crossings do not add to it.
 */
export function trafficStress(tags: Tags, highway: string): 1 | 2 | 3 | 4 {
  const explicit = Number(tags.get('lts'));
  if (explicit === 1 || explicit === 2 || explicit === 3 || explicit === 4) return explicit;
  if (CAR_FREE.has(highway) || tags.get('motor_vehicle') === 'no') return 1;
  if (CALM.has(highway)) return 1;
  const lanes = Number(tags.get('lanes') ?? Number.NaN);
  const speed = kilometresPerHour(tags.get('maxspeed'));
  const slow = speed !== undefined && speed <= TWENTY_FIVE_MPH_IN_KMH + 0.5;
  if (lanes <= 3 && (slow || speed === undefined)) return 2;
  const lane = hasCycleLane(tags);
  if (TERTIARY_OR_SMALLER.has(highway)) {
    return lane || (Number.isNaN(lanes) && slow) ? 2 : 3;
  }
  return lane ? 3 : 4;
}

function hasCycleLane(tags: Tags): boolean {
  return LANE_TAGS.some((tag) => {
    const value = tags.get(tag);
    return value === 'lane' || value === 'track' || value?.startsWith('opposite_') === true;
  });
}

/** A `maxspeed` value: a number is km/h, `mph` says otherwise. Undefined when it is no speed. */
function kilometresPerHour(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(mph|km\/h|kmh)?$/.exec(text ?? '');
  if (!match) return undefined;
  return Number(match[1]) * (match[2] === 'mph' ? KM_PER_MILE : 1);
}
