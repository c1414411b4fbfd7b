import { z } from 'zod';
import { boxesMeet, boxWithin, edgesOf } from '../../shards/geometry/wgs84.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox, Metres } from '../../shards/units.ts';
import { BaseMapCellReader, BaseMapCellWriter } from '../base-map/base-map-cell.ts';
import type { MapShapes } from '../base-map/map-shapes.ts';
import type { MapFeatures } from '../extract/map-features.ts';
import { MAX_SIDE } from '../extract/osm-by-cells.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { putObject } from '../publish/put-object.ts';
import { objectsNear, type PreparedCells, preparedCellsSchema, wideAreaSchema } from './cells.ts';

/** The base map continues this far beyond the blocks of the release. */
export const AROUND_THE_MAP: Metres = 5_000;

/**
 * Features drawn at this zoom or below are stored apart, since a tile of a low zoom covers hundreds
 * of cells.
 */
const LAST_OVERVIEW_ZOOM = 9;

export const preparedMapSchema = z.strictObject({
  /** Features drawn at low zooms too, by cell. */
  overview: preparedCellsSchema,
  /** Features drawn only at higher zooms, by cell. */
  detail: preparedCellsSchema,
  /** Features that cover many cells, whatever their zooms. */
  wide: z.array(wideAreaSchema),
});
export type PreparedMap = z.infer<typeof preparedMapSchema>;

export const NO_MAP: PreparedMap = { overview: {}, detail: {}, wide: [] };

/** Returns the objects that tiles in a box are drawn from, up to a zoom. */
export function mapObjectsNear(
  { overview, detail, wide }: PreparedMap,
  box: BoundingBox,
  lastZoom: number,
): ObjectRef[] {
  return [
    ...objectsNear(overview, box),
    ...(lastZoom > LAST_OVERVIEW_ZOOM ? objectsNear(detail, box) : []),
    ...wide.filter((area) => boxesMeet(boxWithin(area.box), box)).map(({ object }) => object),
  ];
}

/**
 * Adds the features of some objects to `shapes`. Returns the index of each feature once, ascending
 * by key.
 */
export async function readMapFeatures(
  store: Store,
  objects: readonly ObjectRef[],
  shapes: MapShapes,
): Promise<Uint32Array> {
  const reader = new BaseMapCellReader(shapes);
  for (const ref of objects) reader.add(ref.name, await readVerified(store, ref));
  return reader.features();
}

/**
 * Puts features of the base map into the store, by those of the given cells that their boxes touch.
 * A feature that covers many cells is stored once, in an object of its own.
 */
export async function putBaseMapCells(
  store: WritableStore,
  { shapes, boxes }: MapFeatures,
  mapped: ReadonlySet<number>,
): Promise<PreparedMap> {
  const overview = new Map<number, BaseMapCellWriter>();
  const detail = new Map<number, BaseMapCellWriter>();
  const wide: PreparedMap['wide'] = [];
  for (const [feature, box] of boxes.entries()) {
    const cells = CellRectangle.of(box);
    const touched = cells.touching(box).filter((cell) => mapped.has(cell));
    if (touched.length === 0) continue;
    if (cells.side > MAX_SIDE) {
      const writer = new BaseMapCellWriter();
      writer.add(shapes, feature);
      const object = await putObject(store, 'prepared/map-wide', 'tta', writer.encode());
      wide.push({ box: edgesOf(box), object });
      continue;
    }
    const isEarly = shapes.minZoom.view()[feature] <= LAST_OVERVIEW_ZOOM;
    const writers = isEarly ? overview : detail;
    for (const cell of touched) {
      const writer = writers.get(cell) ?? new BaseMapCellWriter();
      writers.set(cell, writer);
      writer.add(shapes, feature);
    }
  }
  return {
    overview: await putAll(store, 'prepared/map-overview', overview),
    detail: await putAll(store, 'prepared/map-detail', detail),
    wide,
  };
}

async function putAll(
  store: WritableStore,
  stem: string,
  writers: ReadonlyMap<number, BaseMapCellWriter>,
): Promise<PreparedCells> {
  const refs: PreparedCells = {};
  for (const [cell, writer] of [...writers].sort(([a], [b]) => a - b)) {
    refs[cell] = await putObject(store, `${stem}-${cell}`, 'tta', writer.encode());
  }
  return refs;
}

/** Joins the maps of batches, which have no cells in common. */
export function joinMaps(maps: readonly PreparedMap[]): PreparedMap {
  const wide = new Map(maps.flatMap((map) => map.wide.map((area) => [area.object.name, area])));
  return {
    overview: Object.assign({}, ...maps.map(({ overview }) => overview)),
    detail: Object.assign({}, ...maps.map(({ detail }) => detail)),
    wide: [...wide.values()].sort((a, b) => (a.object.name < b.object.name ? -1 : 1)),
  };
}
