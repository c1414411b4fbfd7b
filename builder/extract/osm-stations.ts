import { boxOf } from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import type { RailKind } from '../gtfs/feed.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import type { Tags } from '../osm/tags.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { OsmElements } from './osm-elements.ts';

/** A station or platform on the map with a known level relative to the street. */
export interface MappedStation {
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** The kinds of rail that may call there. */
  readonly rails: readonly RailKind[];
  /** Levels above the street; negative below it. */
  readonly level: number;
}

const { subwayLevels, metresALevel } = ROUTING.transit;

/** Tags for the kind of rail, as keys with `yes` or as values of `station`. */
const SIGNS: Readonly<Record<RailKind, readonly string[]>> = {
  subway: ['subway', 'monorail'],
  tram: ['light_rail', 'tram'],
  train: ['train'],
};
const RAILS = Object.keys(SIGNS) as RailKind[];
const NOT_ON_RAILS = ['bus', 'trolleybus', 'ferry', 'aerialway'];
const OF_RAILWAYS = new Set(['station', 'halt', 'tram_stop', 'platform']);
const OF_ANYTHING = new Set(['station', 'platform']);

export function hasKnownLevel(tags: Tags): boolean {
  if (!OF_RAILWAYS.has(tags.get('railway') ?? '')) {
    const isStop = OF_ANYTHING.has(tags.get('public_transport') ?? '');
    if (!isStop || signsIn(tags).length === 0) return false;
  }
  return railsOf(tags).length > 0 && levelOf(tags) !== null;
}

/**
 * The stations and platforms with a known level relative to the street, nodes before areas, by id.
 */
export function mappedStations({ points, areas, memberWays, table }: OsmElements): MappedStation[] {
  const stations: MappedStation[] = [];
  const add = (lon: Degrees, lat: Degrees, tags: Tags) => {
    stations.push({ lon, lat, rails: railsOf(tags), level: levelOf(tags)! });
  };
  for (const { lon, lat, tags } of points) if (hasKnownLevel(tags)) add(lon, lat, tags);
  for (const { tags, members } of areas) {
    if (!hasKnownLevel(tags)) continue;
    const positions = members.flatMap(({ way }) => table.positions(memberWays.get(way) ?? []));
    if (positions.length === 0) continue;
    const box = boxOf(positions);
    add((box.minLon + box.maxLon) / 2, (box.minLat + box.maxLat) / 2, tags);
  }
  return stations;
}

function signsIn(tags: Tags): RailKind[] {
  const station = tags.get('station');
  return RAILS.filter((kind) =>
    SIGNS[kind].some((sign) => station === sign || tags.get(sign) === 'yes'),
  );
}

/**
 * Returns the kinds of rail that call at a station or platform, by default a subway. Other kinds
 * may call in the street above a subway, so their platforms must be tagged with them.
 */
function railsOf(tags: Tags): RailKind[] {
  const signs = signsIn(tags);
  if (signs.length > 0) return signs;
  if (tags.get('railway') === 'tram_stop') return ['tram'];
  return NOT_ON_RAILS.some((key) => tags.get(key) === 'yes') ? [] : ['subway'];
}

/**
 * Returns the level relative to the street, or null if the tags give none. `level` counts floors.
 * Without it, `depth`, in metres, or `layer`, which only gives an order, counts as at least
 * `subwayLevels`, unless it is 0. Without these, a station underground, in a tunnel, elevated or on
 * a bridge is `subwayLevels` from the street.
 */
function levelOf(tags: Tags): number | null {
  const levels = numbersIn(tags.get('level'));
  if (levels.length > 0) return farthest(levels);
  const [depth] = numbersIn(tags.get('depth')?.replace(/\s*m$/, ''));
  if (depth !== undefined) return atLeast(-Math.abs(depth) / metresALevel);
  const layers = numbersIn(tags.get('layer'));
  if (layers.length > 0) return atLeast(farthest(layers));
  const location = tags.get('location');
  if (location === 'underground' || tags.get('tunnel') === 'yes') return -subwayLevels;
  if (location === 'elevated' || tags.get('bridge') === 'yes') return subwayLevels;
  return location === 'surface' || location === 'overground' ? 0 : null;
}

/** Raises a level to at least the assumed depth of a subway, in the same direction; 0 stays 0. */
function atLeast(level: number): number {
  return level === 0 ? 0 : Math.sign(level) * Math.max(Math.abs(level), subwayLevels);
}

function farthest(levels: readonly number[]): number {
  return levels.reduce((most, level) => (Math.abs(level) > Math.abs(most) ? level : most));
}

/**
 * Parses numbers between semicolons, and the first and last of a range, `-2--1`; returns none if
 * any number is implausible.
 */
function numbersIn(text: string | undefined): number[] {
  const parts = (text ?? '').split(';').flatMap((part) => {
    const range = /^\s*(-?\d+(?:\.\d+)?)(?:\s*-\s*(-?\d+(?:\.\d+)?))?\s*$/.exec(part);
    return range ? [range[1], range[2] ?? range[1]].map(Number) : [Number.NaN];
  });
  return parts.every((number) => Math.abs(number) <= MAX_LEVEL) ? parts : [];
}

/**
 * Upper bound of plausible numbers: no station is this deep in metres, or has half as many levels.
 */
const MAX_LEVEL = 2 * FEED_LIMITS.level;
