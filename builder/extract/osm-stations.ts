import { boxOf } from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import type { RailKind } from '../gtfs/feed.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import type { Tags } from '../osm/tags.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { OsmElements } from './osm-elements.ts';

/** A station or platform on the map that says how it lies to the street. */
export interface MappedStation {
  readonly lon: Degrees;
  readonly lat: Degrees;
  /** What may call there. */
  readonly rails: readonly RailKind[];
  /** Levels above the street, below it negative. */
  readonly level: number;
}

const { subwayLevels, metresALevel } = ROUTING.transit;

/** Tags that say what calls, as keys with `yes` or as values of `station`. */
const SIGNS: Readonly<Record<RailKind, readonly string[]>> = {
  subway: ['subway', 'monorail'],
  tram: ['light_rail', 'tram'],
  train: ['train'],
};
const RAILS = Object.keys(SIGNS) as RailKind[];
const NOT_ON_RAILS = ['bus', 'trolleybus', 'ferry', 'aerialway'];
const OF_RAILWAYS = new Set(['station', 'halt', 'tram_stop', 'platform']);
const OF_ANYTHING = new Set(['station', 'platform']);

/** Whether tags are of a station or platform on rails that says how it lies to the street. */
export function isMappedStation(tags: Tags): boolean {
  if (!OF_RAILWAYS.has(tags.get('railway') ?? '')) {
    const isStop = OF_ANYTHING.has(tags.get('public_transport') ?? '');
    if (!isStop || signsIn(tags).length === 0) return false;
  }
  return railsOf(tags).length > 0 && levelOf(tags) !== null;
}

/** The stations and platforms that say how they lie to the street, nodes before areas, by id. */
export function mappedStations({ points, areas, memberWays, table }: OsmElements): MappedStation[] {
  const stations: MappedStation[] = [];
  const add = (lon: Degrees, lat: Degrees, tags: Tags) => {
    stations.push({ lon, lat, rails: railsOf(tags), level: levelOf(tags)! });
  };
  for (const { lon, lat, tags } of points) if (isMappedStation(tags)) add(lon, lat, tags);
  for (const { tags, lines } of areas) {
    if (!isMappedStation(tags)) continue;
    const nodes = lines
      .flatMap(({ way }) => Array.from(memberWays.get(way) ?? [], (id) => table.find(id)))
      .filter((node) => !table.isMissing(node));
    if (nodes.length === 0) continue;
    const box = boxOf(nodes.map((node) => [table.lon[node], table.lat[node]]));
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
 * What calls; where that is not told, a subway: of others, which may call in the street above one, a
 * platform must say that it is theirs.
 */
function railsOf(tags: Tags): RailKind[] {
  const reported = signsIn(tags);
  if (reported.length > 0) return reported;
  if (tags.get('railway') === 'tram_stop') return ['tram'];
  return NOT_ON_RAILS.some((key) => tags.get(key) === 'yes') ? [] : ['subway'];
}

/**
 * Levels from the street: by `level`, which counts floors; or else by `depth` or `layer`, of which
 * the one is metres and the other an order, so that two levels are the least where they tell of any;
 * or else two where it lies underground, in a tunnel or on a bridge. Null: it does not say.
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

/** No fewer levels than a subway is assumed to have, in the same direction; none stay none. */
function atLeast(level: number): number {
  return level === 0 ? 0 : Math.sign(level) * Math.max(Math.abs(level), subwayLevels);
}

function farthest(levels: readonly number[]): number {
  return levels.reduce((most, level) => (Math.abs(level) > Math.abs(most) ? level : most));
}

/** Numbers between semicolons, or first and last of a range, `-2--1`; none if any is out of all reason. */
function numbersIn(text: string | undefined): number[] {
  const parts = (text ?? '').split(';').flatMap((part) => {
    const range = /^\s*(-?\d+(?:\.\d+)?)(?:\s*-\s*(-?\d+(?:\.\d+)?))?\s*$/.exec(part);
    return range ? [range[1], range[2] ?? range[1]].map(Number) : [Number.NaN];
  });
  return parts.every((number) => Math.abs(number) <= MOST) ? parts : [];
}

/** No station is deeper in metres, nor has half as many levels. */
const MOST = 2 * FEED_LIMITS.level;
