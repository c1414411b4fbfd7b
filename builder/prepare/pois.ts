import path from 'node:path';
import { boxAroundPoint, boxContains } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox, Metres } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { type PoiRecord, readPoiFiles } from '../destinations/from-files.ts';
import { distinctById, singlePois } from '../destinations/single-pois.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { sizeOf } from '../inputs/fingerprint.ts';
import { startBytes } from '../progress.ts';
import { type PreparedCells, preparedCellsSchema, putCells, readNear } from './cells.ts';
import { asJson, Partitions } from './partitions.ts';
import type { AreaPreparation } from './preparation.ts';

/** Number of POIs that each of two sets of groups holds in memory, about 1 KB each. */
const HELD_POIS = 100_000;
/** Number of groups that POIs are divided into by id; with ten million POIs, each has 160,000. */
const ID_PILES = 64;
/**
 * A POI is dropped because of another within 100 m (`SAME_POI`), unless that other is dropped
 * because of a third. Such chains are followed this far beyond a cell. A longer chain is resolved
 * from the cell's part of it, with the same result for all readers.
 */
const AROUND_A_CELL: Metres = 1_000;

interface PoiPreparation extends AreaPreparation {
  readonly scratch: string;
  readonly heldPois?: number;
}

/**
 * Reads lists of POIs once for all units, and puts them into the store by the cells of a grid, each
 * real POI once. The choice among several records of a POI does not depend on the reader. Holds the
 * POIs of one cell and its immediate surroundings in memory. Throws a `BuildError` that names file
 * and record for an unusable list.
 */
export async function writePois(preparation: PoiPreparation): Promise<PreparedCells> {
  const { paths, keyOf, area, receipts } = preparation;
  if (paths.length === 0) return {};
  const cells = CellRectangle.of(area);
  const make = () => readAll(preparation, cells);
  return receipts.findOrMake('pois', keyOf([cells.box]), preparedCellsSchema, make);
}

async function readAll(preparation: PoiPreparation, cells: CellRectangle): Promise<PreparedCells> {
  const { paths, store, progress, scratch } = preparation;
  let bytes = 0;
  for (const path of paths) bytes += await sizeOf(path);
  const stage = startBytes(progress, 'pois', bytes);
  const most = preparation.heldPois ?? HELD_POIS;
  const byId = new Partitions<number, PoiRecord>(path.join(scratch, 'pois-by-id-'), most, asJson());
  const byCell = new Partitions<number, PoiRecord>(
    path.join(scratch, 'pois-by-cell-'),
    most,
    asJson(),
  );
  for await (const record of readPoiFiles(paths, cells.box, progress, stage.at)) {
    await byId.add((record.destination.destId / 4) % ID_PILES, record);
  }
  let records = 0;
  for (const pile of byId.keys) {
    for (const record of distinctById(await byId.take(pile))) {
      records++;
      const { lon, lat } = record.destination;
      const around = boxAroundPoint(lon, lat, AROUND_A_CELL);
      for (const cell of cells.touching(around)) await byCell.add(cell, record);
    }
  }
  let places = 0;
  const prepared = await putCells(store, 'prepared/pois', byCell, (around, cell) => {
    const own = singlePois(around).filter(({ lon, lat }) => cells.at(lon, lat) === cell);
    places += own.length;
    return own;
  });
  stage.finish(
    `${counted(records, 'record')} of ${counted(places, 'POI')} in ${counted(Object.keys(prepared).length, 'cell')}`,
  );
  return prepared;
}

/** Yields the POIs of a plan's lists within an area, cell by cell. */
export async function* poisWithin(
  store: Store,
  prepared: PreparedCells,
  area: BoundingBox,
): AsyncGenerator<Destination> {
  for await (const poi of readNear<Destination>(store, prepared, area)) {
    if (boxContains(area, poi.lon, poi.lat)) yield poi;
  }
}
