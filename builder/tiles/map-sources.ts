import type { z } from 'zod';
import { groupBy } from '../../shards/arrays/group-by.ts';
import {
  boxAroundBoth,
  boxesMeet,
  boxWithin,
  bufferBox,
  edgesOf,
} from '../../shards/geometry/wgs84.ts';
import { PlaceTable } from '../../shards/places/place-table.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import { stateFipsOf } from '../../shards/states.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { type Bytes, type CountyFips, MICRO } from '../../shards/units.ts';
import { keyOf, MapShapes, POINT } from '../base-map/map-shapes.ts';
import { censusPlaceKind } from '../base-map/place-kind.ts';
import { boxOfTile, worldX, worldY } from '../geo/web-mercator.ts';
import {
  AROUND_THE_MAP,
  mapObjectsNear,
  type PreparedMap,
  readMapFeatures,
} from '../prepare/base-map-cells.ts';
import type { wideAreaSchema } from '../prepare/cells.ts';
import { MIN_LINE_ZOOM } from '../transit/route-lines.ts';
import type { MapSources } from './base-map-tiles.ts';
import type { TilePyramid } from './tile-pyramids.ts';

export interface BaseMapInputs {
  readonly features: PreparedMap;
  /** The table of census places of each state. */
  readonly places: Readonly<Record<string, ObjectRef>>;
}

type Boxes = Readonly<Record<CountyFips, Pick<CountyManifest, 'block_box'>>>;

/** Returns the boxes of counties, grown by the surroundings that the base map shows. */
export function withSurroundings(counties: Boxes): Boxes {
  return Object.fromEntries(
    Object.entries(counties).map(([county, { block_box }]) => [
      county,
      { block_box: edgesOf(bufferBox(boxWithin(block_box), AROUND_THE_MAP)) },
    ]),
  );
}

/** Margin beyond a tile's edge, as a share of its side; more than any buffer. */
const MARGIN = 1 / 32;

function boxOf({ tile }: TilePyramid) {
  const box = boxOfTile(tile);
  const [lon, lat] = [box.maxLon - box.minLon, box.maxLat - box.minLat].map(
    (side) => side * MARGIN,
  );
  return {
    minLon: box.minLon - lon,
    minLat: box.minLat - lat,
    maxLon: box.maxLon + lon,
    maxLat: box.maxLat + lat,
  };
}

/** Returns the objects of OpenStreetMap's features in pyramids, and maybe some between them. */
export function mapObjectsOf(features: PreparedMap, pyramids: readonly TilePyramid[]): ObjectRef[] {
  const byZoom = groupBy(pyramids, ({ lastZoom }) => lastZoom);
  return [...byZoom].flatMap(([lastZoom, some]) =>
    mapObjectsNear(features, some.map(boxOf).reduce(boxAroundBoth), lastZoom),
  );
}

export function placesOf({ places }: BaseMapInputs, pyramids: readonly TilePyramid[]): ObjectRef[] {
  const counties = pyramids.flatMap((pyramid) => pyramid.counties);
  const states = new Set(counties.map(stateFipsOf));
  return Object.entries(places).flatMap(([state, ref]) => (states.has(state) ? [ref] : []));
}

/** Reads the features of the base map in a pyramid: those of OpenStreetMap, and census places. */
export async function readMapSources(
  store: Store,
  inputs: BaseMapInputs,
  pyramid: TilePyramid,
): Promise<MapSources> {
  const shapes = new MapShapes();
  const ofOsm = await readMapFeatures(store, mapObjectsOf(inputs.features, [pyramid]), shapes);
  const ofCensus: number[] = [];
  for (const ref of placesOf(inputs, [pyramid])) {
    for (const place of (await PlaceTable.open(store, ref)).places) {
      const kind = censusPlaceKind(place.name, place.population);
      shapes.point(worldX(place.lon * MICRO), worldY(place.lat * MICRO));
      shapes.endPart();
      ofCensus.push(shapes.count);
      const key = keyOf('node', Number(place.geoid));
      shapes.endFeature(key, shapes.kinds.numberOf(kind), POINT, kind.minZoom);
    }
  }
  return { shapes, features: inDrawingOrder(shapes, [...ofCensus, ...ofOsm]) };
}

/**
 * Sorts features by first zoom, since renderers give precedence to the labels of earlier features.
 */
function inDrawingOrder(shapes: MapShapes, features: readonly number[]): Uint32Array {
  const [kind, keys] = [shapes.kind.view(), shapes.keys.view()];
  const zoom = (feature: number) => shapes.kinds.all[kind[feature]].minZoom;
  return Uint32Array.from(features).sort((a, b) => zoom(a) - zoom(b) || keys[a] - keys[b]);
}

export interface TransitLines {
  /** The agencies of the feeds, which the lines are credited to. */
  readonly agencies: readonly string[];
  /** The lines of each feed, one object for each window of departures that has other lines. */
  readonly feeds: readonly (readonly Area[])[];
}
type Area = z.infer<typeof wideAreaSchema>;

export function lineObjectsOf(
  { feeds }: TransitLines,
  pyramids: readonly TilePyramid[],
): ObjectRef[][] {
  const boxes = pyramids.filter(({ lastZoom }) => lastZoom >= MIN_LINE_ZOOM).map(boxOf);
  const isNear = (area: Area) => boxes.some((box) => boxesMeet(boxWithin(area.box), box));
  return feeds.map((windows) => windows.filter(isNear).map(({ object }) => object));
}

/** Reads the lines of feeds in a pyramid; a route that several windows have is drawn once. */
export async function readLines(
  store: Store,
  lines: TransitLines,
  pyramid: TilePyramid,
): Promise<MapSources> {
  const shapes = new MapShapes();
  const features: number[] = [];
  for (const objects of lineObjectsOf(lines, [pyramid])) {
    // Routes are numbered by feed.
    features.push(...(await readMapFeatures(store, objects, shapes)));
  }
  return { shapes, features: Uint32Array.from(features) };
}

/** Bytes of memory per byte of a stored cell while it is drawn. */
const EXPANSION = 8;

export function bytesOfMap(
  { baseMap, lines }: { readonly baseMap?: BaseMapInputs; readonly lines?: TransitLines },
  pyramid: TilePyramid,
): Bytes {
  const ofMap = baseMap ? mapObjectsOf(baseMap.features, [pyramid]) : [];
  const ofLines = lines ? lineObjectsOf(lines, [pyramid]).flat() : [];
  const objects = [...ofMap, ...ofLines];
  return EXPANSION * objects.reduce((sum, { bytes }) => sum + bytes, 0);
}
