import { pointInside, squareMetresOf } from '../../shards/geometry/planar.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { twiceSignedArea } from '../../shards/geometry/rings.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import { type BoundingBox, type Degrees, MICRO } from '../../shards/units.ts';
import { MAX_MAP_ZOOM } from '../base-map/map-kind.ts';
import { keyOf, LINE, MapShapes, POINT, POLYGON } from '../base-map/map-shapes.ts';
import { WORLD_BITS, worldX, worldY } from '../geo/web-mercator.ts';
import { assemblePolygons } from '../osm/multipolygon.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { MapArea, MapElements } from './map-elements.ts';
import { cutAtMissing, type RawWays, refsOf } from './raw-ways.ts';

export interface MapFeatures {
  readonly shapes: MapShapes;
  readonly boxes: readonly BoundingBox[];
}

/**
 * Draws the elements of the base map. Where files lack nodes, lines are cut, and areas cut short.
 */
export function mapFeatures(
  { kinds, lines, lineKinds, areas, points }: MapElements,
  memberWays: ReadonlyMap<number, Float64Array | null>,
  table: NodeTable,
): MapFeatures {
  const drawing = new MapDrawing();
  const numbers = kinds.all.map((kind) => drawing.shapes.kinds.numberOf(kind));
  for (const [id, { lon, lat, kind }] of points) {
    drawing.point(keyOf('node', id), numbers[kind], [lon, lat]);
  }
  drawing.lines(lines, (line) => numbers[lineKinds.view()[line]], table);
  for (const area of areas.values()) {
    const positions = area.members.map(({ way, role }) => ({
      role,
      positions: table.positions(memberWays.get(way) ?? []),
    }));
    const polygons = assemblePolygons(positions);
    if (polygons.length > 0) drawing.area(area, numbers, polygons);
  }
  return drawing;
}

/** Area of a polygon, in pixels, at the first zoom where it is drawn. */
const LEAST_PIXELS = 4;
/** Binary logarithm of the pixels along a tile's side, as in maps of vector tiles. */
const TILE_PIXEL_BITS = 9;

class MapDrawing implements MapFeatures {
  readonly shapes = new MapShapes();
  readonly boxes: BoundingBox[] = [];

  point(key: number, kind: number, [lon, lat]: Ring[number]): void {
    this.#position(lon, lat);
    this.shapes.endPart();
    this.shapes.endFeature(key, kind, POINT, this.shapes.kinds.all[kind].minZoom);
    this.boxes.push({ minLon: lon, minLat: lat, maxLon: lon, maxLat: lat });
  }

  lines(raw: RawWays, kindOf: (line: number) => number, table: NodeTable): void {
    const ids = raw.osmId.view();
    for (let line = 0; line < ids.length; line++) {
      const pieces = cutAtMissing(refsOf(raw, line), table)
        .pieces.filter(({ length }) => length > 1)
        .map((piece) => piece.map((node) => [table.lon[node], table.lat[node]] as const));
      if (pieces.length === 0) continue;
      for (const piece of pieces) {
        for (const [lon, lat] of piece) this.#position(lon, lat);
        this.shapes.endPart();
      }
      const kind = kindOf(line);
      const { minZoom } = this.shapes.kinds.all[kind];
      this.shapes.endFeature(keyOf('way', ids[line]), kind, LINE, minZoom);
      this.boxes.push(boxOf(pieces.flat()));
    }
  }

  area(
    { type, id, kind, label }: MapArea,
    numbers: readonly number[],
    polygons: readonly Polygon[],
  ): void {
    if (kind !== null) {
      let units = 0;
      for (const polygon of polygons) {
        polygon.forEach((ring, i) => {
          units += this.#ring(ring, i === 0);
        });
      }
      const { minZoom } = this.shapes.kinds.all[numbers[kind]];
      const key = keyOf(type, id);
      this.shapes.endFeature(key, numbers[kind], POLYGON, Math.max(minZoom, zoomOfArea(units)));
      this.boxes.push(boxOf(polygons.flatMap(([shell]) => shell)));
    }
    if (label !== null) {
      const labelled = this.shapes.kinds.numberOf(label(squareMetresOf(polygons)));
      // The lowest bit distinguishes ways from relations, whose ids overlap.
      const key = keyOf('label', id * 2 + (type === 'way' ? 0 : 1));
      this.point(key, labelled, pointInside(polygons));
    }
  }

  /**
   * Adds a ring, wound as a shell or a hole requires, and returns its signed area in square units.
   */
  #ring(ring: Ring, isShell: boolean): number {
    const x = Int32Array.from(ring, ([lon]) => worldX(lon * MICRO));
    const y = Int32Array.from(ring, ([, lat]) => worldY(lat * MICRO));
    const twice = twiceSignedArea(x, y, 0, x.length);
    if (twice > 0 !== isShell) {
      x.reverse();
      y.reverse();
    }
    x.forEach((at, i) => {
      this.shapes.point(at, y[i]);
    });
    this.shapes.endPart();
    return (isShell ? Math.abs(twice) : -Math.abs(twice)) / 2;
  }

  #position(lon: Degrees, lat: Degrees): void {
    this.shapes.point(worldX(lon * MICRO), worldY(lat * MICRO));
  }
}

/** The first zoom at which an area, in square units of the world, is large enough to be seen. */
function zoomOfArea(units: number): number {
  const pixelsAtZoomZero = Math.max(0, units) / 4 ** (WORLD_BITS - TILE_PIXEL_BITS);
  const zoom = Math.ceil(Math.log2(LEAST_PIXELS / pixelsAtZoomZero) / 2);
  return Math.max(0, Math.min(MAX_MAP_ZOOM, zoom));
}
