import { edgesOf } from '../../shards/geometry/wgs84.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { BaseMapCellWriter } from '../base-map/base-map-cell.ts';
import type { MapFeatures } from '../extract/map-features.ts';
import { MAX_SIDE } from '../extract/osm-by-cells.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { putObject } from '../publish/put-object.ts';
import { LAST_OVERVIEW_ZOOM, type PreparedMap } from './read-base-map-cells.ts';
import type { PreparedCells } from './read-cells.ts';

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
