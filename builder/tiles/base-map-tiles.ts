import type { Rings } from '../../shards/geometry/rings.ts';
import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import type { MapKind, PropertyValue } from '../base-map/map-kind.ts';
import { LINE, type MapShapes, POINT } from '../base-map/map-shapes.ts';
import type { TileRange } from './cut-into-tiles.ts';
import { cutLines } from './cut-lines.ts';
import { ShapeFitter } from './fit-shapes.ts';
import { EXTENT } from './fit-to-zoom.ts';
import type { Ground } from './ground.ts';
import { joinLines } from './join-lines.ts';
import { PathList, type TileLines } from './path-list.ts';
import { LineGeometry, type TileGeometry } from './tile-geometry.ts';
import { type DrawnTile, pointIn, polygonPieces, TileGrid } from './tile-grid.ts';
import { encodeTile, TileLayer } from './vector-tile.ts';

/** The layers of the base map, in drawing order. */
export const BASE_MAP_LAYERS: readonly VectorLayer[] = [
  {
    id: 'earth',
    description: 'Land of the counties of the release.',
    fields: { kind: 'String' },
  },
  {
    id: 'landuse',
    description: 'Areas by the use of their land.',
    fields: { kind: 'String', sort_rank: 'Number' },
  },
  {
    id: 'water',
    description: 'Water as areas, waterways as lines, names of waters as points.',
    fields: {
      kind: 'String',
      kind_detail: 'String',
      min_zoom: 'Number',
      sort_rank: 'Number',
      name: 'String',
      reservoir: 'Boolean',
      alkaline: 'Boolean',
      intermittent: 'Boolean',
    },
  },
  {
    id: 'roads',
    description: 'Roads, paths, railways, runways, piers and ferries.',
    fields: {
      kind: 'String',
      kind_detail: 'String',
      min_zoom: 'Number',
      sort_rank: 'Number',
      name: 'String',
      ref: 'String',
      shield_text: 'String',
      network: 'String',
      oneway: 'String',
      service: 'String',
      route: 'String',
      is_link: 'Boolean',
      is_bridge: 'Boolean',
      is_tunnel: 'Boolean',
    },
  },
  {
    id: 'boundaries',
    description: 'Lines around counties and between states.',
    fields: { kind: 'String', kind_detail: 'Number', sort_rank: 'Number' },
  },
  {
    id: 'places',
    description: 'Census places of 2020 and neighbourhoods.',
    fields: {
      kind: 'String',
      kind_detail: 'String',
      min_zoom: 'Number',
      sort_key: 'Number',
      population: 'Number',
      population_rank: 'Number',
      name: 'String',
    },
  },
];

export const LINE_LAYER: VectorLayer = {
  id: 'lines',
  description:
    'Routes of the GTFS feeds while the windows of departures are open, along their shapes, or straight from stop to stop. `rail` is the kind of rail, of routes on rails.',
  fields: { name: 'String', agency: 'String', color: 'String', rail: 'String' },
};

/** The features around some tiles. */
export interface MapSources {
  readonly shapes: MapShapes;
  /** The features of `shapes` to draw, in the order of drawing. */
  readonly features: Uint32Array;
}

type Properties = Readonly<Record<string, PropertyValue>>;

const MIN_COUNTY_LINE_ZOOM = 8;
const BOUNDARY_RANK = 289;
const WATER_RANK = 200;

/**
 * Draws the tiles of a range at a zoom. Lines with the same properties become one feature in each
 * tile.
 */
export function drawBaseMap(
  { shapes, features }: MapSources,
  ground: Ground,
  zoom: number,
  range: TileRange,
): DrawnTile[] {
  const drawing = new MapDrawing(range, BASE_MAP_LAYERS);
  drawing.polygons('earth', { kind: 'earth' }, ground.land);
  drawing.polygons('water', { kind: 'water', sort_rank: WATER_RANK }, ground.water);
  drawing.features({ shapes, features }, zoom);
  if (zoom >= MIN_COUNTY_LINE_ZOOM) {
    const county = { kind: 'county', kind_detail: 6, sort_rank: BOUNDARY_RANK };
    drawing.lines('boundaries', county, joinLines(ground.countyLines, false));
  }
  const region = { kind: 'region', kind_detail: 4, sort_rank: BOUNDARY_RANK };
  drawing.lines('boundaries', region, joinLines(ground.stateLines, false));
  return drawing.tiles();
}

export function drawTransitLines(sources: MapSources, zoom: number, range: TileRange): DrawnTile[] {
  const drawing = new MapDrawing(range, [LINE_LAYER]);
  drawing.features(sources, zoom);
  return drawing.tiles();
}

/** Features of a kind and type that have the same properties at a zoom. */
interface Group {
  readonly kind: MapKind;
  readonly type: number;
  readonly members: number[];
}

/** The groups of features that are drawn at a zoom, in order of their first member. */
function groupsOf(shapes: MapShapes, features: Uint32Array, zoom: number): Group[] {
  const [kindOf, typeOf, minZoom] = [shapes.kind, shapes.type, shapes.minZoom].map((a) => a.view());
  const keys = shapes.kinds.all.map(
    (kind) => `${kind.layer} ${JSON.stringify(propertiesAt(kind, zoom))}`,
  );
  const groups = new Map<string, Group>();
  for (const feature of features) {
    if (minZoom[feature] > zoom) continue;
    const type = typeOf[feature];
    const key = `${type} ${keys[kindOf[feature]]}`;
    const group = groups.get(key);
    if (group) group.members.push(feature);
    else groups.set(key, { kind: shapes.kinds.all[kindOf[feature]], type, members: [feature] });
  }
  return [...groups.values()];
}

function propertiesAt({ properties }: MapKind, zoom: number): Properties {
  return Object.fromEntries(
    properties.filter(([, , from]) => from <= zoom).map(([key, value]) => [key, value]),
  );
}

interface Drawn {
  readonly layer: string;
  readonly properties: Properties;
  readonly geometry: TileGeometry;
}

class MapDrawing {
  readonly #range: TileRange;
  readonly #layers: readonly VectorLayer[];
  readonly #tiles: TileGrid<Drawn[]>;

  constructor(range: TileRange, layers: readonly VectorLayer[]) {
    this.#range = range;
    this.#layers = layers;
    this.#tiles = new TileGrid(range, () => []);
  }

  /** Adds features, those that look alike as one. */
  features({ shapes, features }: MapSources, zoom: number): void {
    const groups = groupsOf(shapes, features, zoom);
    if (groups.length === 0) return;
    const fitter = new ShapeFitter(shapes, zoom);
    for (const { kind, type, members } of groups) {
      const { layer } = kind;
      const properties = propertiesAt(kind, zoom);
      if (type === LINE) {
        const lines = new PathList();
        for (const feature of members) fitter.lines(feature, lines);
        this.lines(layer, properties, joinLines(lines.rings(), 'oneway' in properties));
        continue;
      }
      for (const feature of members) {
        if (type === POINT) this.point(layer, properties, fitter.point(feature));
        else this.polygons(layer, properties, fitter.polygons(feature).rings());
      }
    }
  }

  point(layer: string, properties: Properties, [x, y]: readonly [number, number]): void {
    const point = pointIn(this.#range, x, y);
    if (point === null) return;
    const { tileX, tileY, geometry } = point;
    this.#tiles.at(tileX, tileY).push({ layer, properties, geometry });
  }

  lines(layer: string, properties: Properties, lines: TileLines): void {
    const pieces = new TileGrid(this.#range, () => new LineGeometry());
    cutLines(lines, this.#range, (x, y, line) => {
      pieces.at(x, y).addLine(line, x * EXTENT, y * EXTENT);
    });
    this.#add(layer, properties, pieces);
  }

  polygons(layer: string, properties: Properties, polygons: Rings): void {
    this.#add(layer, properties, polygonPieces(polygons, this.#range));
  }

  tiles(): DrawnTile[] {
    const drawn: DrawnTile[] = [];
    for (const { x, y, value: features } of this.#tiles.entries()) {
      const layers: TileLayer[] = [];
      for (const { id } of this.#layers) {
        const layer = new TileLayer(id);
        for (const feature of features) {
          if (feature.layer === id) layer.addFeature(feature.geometry, feature.properties);
        }
        if (layer.inSight) layers.push(layer);
      }
      if (layers.length > 0) drawn.push({ x, y, bytes: encodeTile(layers) });
    }
    return drawn;
  }

  #add(layer: string, properties: Properties, pieces: TileGrid<TileGeometry>): void {
    for (const { x, y, value: geometry } of pieces.entries()) {
      this.#tiles.at(x, y).push({ layer, properties, geometry });
    }
  }
}
