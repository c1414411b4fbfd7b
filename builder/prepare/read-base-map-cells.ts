import { z } from 'zod';
import { boxesMeet, boxWithin } from '../../shards/geometry/wgs84.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { BoundingBox, Metres } from '../../shards/units.ts';
import { BaseMapCellReader } from '../base-map/base-map-cell.ts';
import type { MapShapes } from '../base-map/map-shapes.ts';
import { objectsNear, preparedCellsSchema, wideAreaSchema } from './read-cells.ts';

/** The base map continues this far beyond the blocks of the release. */
export const AROUND_THE_MAP: Metres = 5_000;

/**
 * Features drawn at this zoom or below are stored apart, since a tile of a low zoom covers hundreds
 * of cells.
 */
export const LAST_OVERVIEW_ZOOM = 9;

/** References to the prepared features of the base map in a store. */
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
