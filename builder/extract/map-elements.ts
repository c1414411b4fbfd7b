import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { Degrees } from '../../shards/units.ts';
import { landuseKind } from '../base-map/landuse-kind.ts';
import type { MapKind } from '../base-map/map-kind.ts';
import { MapKinds } from '../base-map/map-shapes.ts';
import { neighbourhoodKind } from '../base-map/place-kind.ts';
import { roadKind } from '../base-map/road-kind.ts';
import { waterAreaKind, waterLabelKind, waterwayKind } from '../base-map/water-kind.ts';
import type { AreaSource } from '../destinations/from-osm.ts';
import type { Tags } from '../osm/tags.ts';
import { addWay, emptyWays } from './raw-ways.ts';

/** An area of the base map, with the ways that draw it. */
export interface MapArea extends Pick<AreaSource, 'type' | 'id' | 'members'> {
  /** Number of the area's kind; null for an area that has only a label. */
  readonly kind: number | null;
  readonly label: ReturnType<typeof waterLabelKind>;
}

interface MapPoint {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly kind: number;
}

export function mayBeOnMap(tags: Tags): boolean {
  const line = roadKind(tags) ?? waterwayKind(tags);
  return (line ?? waterAreaKind(tags) ?? landuseKind(tags) ?? waterLabelKind(tags)) !== null;
}

/** Collects the elements of OpenStreetMap that the base map shows, as they are read. */
export class MapElements {
  readonly kinds = new MapKinds();
  readonly lines = emptyWays();
  /** Per line, the number of its kind. */
  readonly lineKinds = new GrowableArray(Float64Array);
  readonly areas = new Map<string, MapArea>();
  readonly points = new Map<number, MapPoint>();

  /** Keeps a relation that is an area; returns whether it is one. */
  relation(id: number, members: AreaSource['members'], tags: Tags): boolean {
    const area = this.#areaOf(tags);
    if (area !== null) this.areas.set(`r${id}`, { type: 'relation', id, members, ...area });
    return area !== null;
  }

  /** Keeps a way that is a line or an area; returns whether it is an area. */
  way(id: number, refs: Float64Array, tags: Tags): boolean {
    if (tags.size === 0 || refs.length < 2) return false;
    const line = roadKind(tags) ?? waterwayKind(tags);
    if (line !== null) {
      this.lineKinds.push(this.kinds.numberOf(line));
      addWay(this.lines, id, refs);
    }
    const isClosed = refs.length > 3 && refs[0] === refs[refs.length - 1];
    if (!isClosed || tags.get('area') === 'no') return false;
    const area = this.#areaOf(tags);
    if (area === null) return false;
    this.areas.set(`w${id}`, { type: 'way', id, members: [{ way: id, role: 'outer' }], ...area });
    return true;
  }

  node(id: number, lon: Degrees, lat: Degrees, tags: Tags): void {
    const kind = neighbourhoodKind(tags);
    if (kind !== null) this.points.set(id, { lon, lat, kind: this.kinds.numberOf(kind) });
  }

  #areaOf(tags: Tags): Pick<MapArea, 'kind' | 'label'> | null {
    const kind: MapKind | null = waterAreaKind(tags) ?? landuseKind(tags);
    const label = waterLabelKind(tags);
    if (kind === null && label === null) return null;
    return { kind: kind && this.kinds.numberOf(kind), label };
  }
}
