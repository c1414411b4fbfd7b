import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { neighbourhoodKind } from '../base-map/place-kind.ts';
import { mayBeDestination } from '../destinations/classify.ts';
import type { AreaSource, PointSource } from '../destinations/from-osm.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { PbfHandlers, RelationMember } from '../osm/primitive-block.ts';
import { copyTags, type Tags } from '../osm/tags.ts';
import { isImpassable, isOpenWater } from '../streets/impassable.ts';
import { nodeTraits } from '../streets/node-traits.ts';
import { unreadDurations, wayTime } from '../streets/way-time.ts';
import { streetTraits } from '../streets/way-traits.ts';
import { type MapElements, mayBeOnMap } from './map-elements.ts';
import { hasKnownLevel } from './osm-stations.ts';
import { addStreet, addWay, type RawStreets, type RawWays } from './raw-ways.ts';
import { POI_KEYS, UnmappedValues } from './unmapped-values.ts';

/**
 * Areas that may be destinations, and the node ids of the ways that draw them, which are null until
 * the way has been read.
 */
interface CollectedAreas {
  readonly areas: Map<string, AreaSource>;
  readonly memberWays: Map<number, Float64Array | null>;
  /** Ways that outline water, whatever their own tags. */
  readonly shores: Set<number>;
  /** Elements that describe a POI of no known type. */
  readonly unmapped: UnmappedValues;
  /** Elements that the base map shows; null where no map is made. */
  readonly map: MapElements | null;
}

/** The ways that are kept, with their node ids. */
export interface CollectedWays {
  readonly streets: RawStreets;
  readonly impassable: RawWays;
  /** Durations of ferries and elevators that cannot be read, as `key=value`, by way id. */
  readonly unreadDurations: Map<number, readonly string[]>;
}

/**
 * Whether an element and its tags are kept: a possible destination, or a station with a known
 * level.
 */
function isKept(tags: Tags): boolean {
  return mayBeDestination(tags) || hasKnownLevel(tags);
}

export function isUsedRelation(tags: Tags): boolean {
  return isAreaRelation(tags) && (isKept(tags) || isOpenWater(tags) || mayBeOnMap(tags));
}

/** Whether the passes use a way for its own tags; they also use those of used relations. */
export function isUsedWay(tags: Tags): boolean {
  if (tags.size === 0) return false;
  if (streetTraits(tags) !== 0 || isImpassable(tags) || isKept(tags)) return true;
  return mayBeOnMap(tags) || POI_KEYS.some((key) => tags.has(key));
}

/** Whether the passes use more of a node with these tags than its location. */
export function isUsedNode(tags: Tags): boolean {
  if (tags.size === 0) return false;
  if (nodeTraits(tags) !== 0 || isGate(tags) || isKept(tags)) return true;
  return neighbourhoodKind(tags) !== null || POI_KEYS.some((key) => tags.has(key));
}

/** State parks and reserves are mapped as boundaries, which are drawn as multipolygons are. */
function isAreaRelation(tags: Tags): boolean {
  const type = tags.get('type');
  return type === 'multipolygon' || type === 'boundary';
}

export function waysAmong(members: readonly RelationMember[]): AreaSource['members'] {
  return members.filter(({ type }) => type === 'way').map(({ ref, role }) => ({ way: ref, role }));
}

export function emptyAreas(map: MapElements | null): CollectedAreas {
  const unmapped = new UnmappedValues();
  return { areas: new Map(), memberWays: new Map(), shores: new Set(), unmapped, map };
}

/**
 * The first pass: collects the ways of relations. A file has nodes first, then ways, then
 * relations, but a relation names ways that may have no tags of their own, and a way names nodes;
 * so the passes run against that order, and each keeps only what a later one would otherwise miss.
 */
export function relationPass({ areas, memberWays, shores, map }: CollectedAreas): PbfHandlers {
  return {
    relation(id, members, tags) {
      if (!isAreaRelation(tags)) return;
      const ways = waysAmong(members);
      if (isOpenWater(tags)) for (const { way } of ways) shores.add(way);
      const isOnBaseMap = map?.relation(id, ways, tags) ?? false;
      const isArea = isKept(tags);
      if (isArea)
        areas.set(`r${id}`, { type: 'relation', id, tags: copyTags(tags), members: ways });
      if (isArea || isOnBaseMap) for (const { way } of ways) memberWays.set(way, null);
    },
  };
}

/**
 * The second pass: collects the nodes that ways need. `isOverlapping` means that two files may
 * contain the same way.
 */
export function wayPass(
  { areas, memberWays, shores, unmapped, map }: CollectedAreas,
  { streets, impassable, unreadDurations: unread }: CollectedWays,
  isOverlapping: boolean,
): PbfHandlers {
  const seenStreets = isOverlapping ? new Set<number>() : null;
  const seenImpassable = isOverlapping ? new Set<number>() : null;
  const keepStreet = (id: number, refs: Float64Array, tags: Tags) => {
    const traits = streetTraits(tags);
    if (traits === 0 || refs.length <= 1 || seenStreets?.has(id)) return;
    seenStreets?.add(id);
    const time = wayTime(tags);
    addStreet(streets, id, refs, traits, time);
    if (time) unread.set(id, unreadDurations(tags));
  };
  return {
    way(id, refs, tags) {
      if ((shores.has(id) || isImpassable(tags)) && refs.length > 1 && !seenImpassable?.has(id)) {
        seenImpassable?.add(id);
        addWay(impassable, id, refs);
      }
      keepStreet(id, refs, tags);
      const isOnBaseMap = map?.way(id, refs, tags) ?? false;
      const isArea = refs.length > 0 && isKept(tags);
      if (isArea || isOnBaseMap || memberWays.has(id)) memberWays.set(id, Float64Array.from(refs));
      if (isArea) {
        const members = [{ way: id, role: 'outer' }];
        areas.set(`w${id}`, { type: 'way', id, tags: copyTags(tags), members });
      } else unmapped.way(id, refs, tags);
    },
  };
}

/**
 * The third pass: reads the locations of nodes that ways need, and the nodes that may be
 * destinations. Where overlapping files have several versions of a node, the last version read is
 * used.
 */
export function nodePass(
  table: NodeTable,
  points: Map<number, PointSource>,
  { unmapped, map }: CollectedAreas,
  area: BoundingBox,
): PbfHandlers {
  return {
    node(id, lon, lat, tags) {
      const ordinal = table.locate(id, lon, lat);
      if (ordinal !== -1) {
        table.traits[ordinal] = tags.size > 0 ? nodeTraits(tags) : 0;
        table.gate[ordinal] = tags.size > 0 && isGate(tags) ? 1 : 0;
      }
      const isInside = boxContains(area, lon, lat);
      if (isInside && tags.size > 0) map?.node(id, lon, lat, tags);
      const isPoint = isInside && tags.size > 0 && isKept(tags);
      if (isPoint) points.set(id, { id, lon, lat, tags: copyTags(tags) });
      else points.delete(id);
      if (isInside) unmapped.node(id, tags, isPoint);
    },
    location(id, lon, lat) {
      table.locate(id, lon, lat);
      if (boxContains(area, lon, lat)) unmapped.location(id);
    },
  };
}

const GATES = new Set(['gate', 'entrance', 'kissing_gate', 'swing_gate', 'lift_gate', 'stile']);

/** Whether a node is an entrance for the public, not only for keyholders. */
function isGate(tags: Tags): boolean {
  const access = tags.get('foot') ?? tags.get('access');
  if (access === 'private' || access === 'no') return false;
  return tags.has('entrance') || GATES.has(tags.get('barrier') ?? '');
}
