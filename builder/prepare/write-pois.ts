import path from 'node:path';
import { bufferBox } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { Metres } from '../../shards/units.ts';
import { type PoiAccount, readPoiFiles } from '../destinations/from-files.ts';
import { ofSingleIds, singlePois } from '../destinations/single-pois.ts';
import { MapCells } from '../geo/map-cells.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { asJson, Partitions } from './partitions.ts';
import type { AreaPreparation } from './preparation.ts';
import { type PreparedCells, preparedCellsSchema } from './read-cells.ts';
import { putCells } from './write-osm-cells.ts';

/** Some 1 KB each, of two sets of piles at a time. */
const HELD_POIS = 100_000;
/** What has one id lies in one of so many piles: of ten million places, 160,000. */
const ID_PILES = 64;
/**
 * A place is left out because of one within 100 m (`SAME_POI`), if that is not left out because of
 * another. So much is seen of such a row past the cell; one that is longer is decided by the cell's
 * part of it, for all who look.
 */
const AROUND_A_CELL: Metres = 1_000;

export interface PoiPreparation extends AreaPreparation {
  /** A folder to write in. */
  readonly scratch: string;
  /** How many places are in memory before they are laid aside. */
  readonly heldPois?: number;
}

/**
 * Reads lists of places once, for all who need some of what is in an area, and puts them into the
 * store by the cells of a grid, each real place once: which of several accounts stays does not depend
 * on who looks. In memory are the places of one cell and of what is just around it. Throws a
 * `BuildError` that names file and record for a list that cannot be used.
 */
export async function writePois(preparation: PoiPreparation): Promise<PreparedCells> {
  const { paths, keyOf, area, receipts } = preparation;
  if (paths.length === 0) return {};
  const cells = MapCells.of(area);
  const make = () => readAll(preparation, cells);
  return receipts.findOrMake('pois', keyOf([cells.box]), preparedCellsSchema, make);
}

async function readAll(preparation: PoiPreparation, cells: MapCells): Promise<PreparedCells> {
  const { paths, store, progress, scratch } = preparation;
  let bytes = 0;
  for (const path of paths) bytes += await sizeOf(path);
  const stage = progress.start('pois', Math.round(bytes / 1e6), 'MB');
  const onBytes = (done: number) => stage.at(Math.round(done / 1e6));
  const most = preparation.heldPois ?? HELD_POIS;
  const byId = new Partitions<number, PoiAccount>(
    path.join(scratch, 'pois-by-id-'),
    most,
    asJson(),
  );
  const byCell = new Partitions<number, PoiAccount>(
    path.join(scratch, 'pois-by-cell-'),
    most,
    asJson(),
  );
  for await (const account of readPoiFiles(paths, cells.box, progress, onBytes)) {
    await byId.add((account.destination.destId / 4) % ID_PILES, account);
  }
  let accounts = 0;
  for (const pile of byId.keys) {
    for (const account of ofSingleIds(await byId.take(pile))) {
      accounts++;
      const { lon, lat } = account.destination;
      const around = bufferBox(
        { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat },
        AROUND_A_CELL,
      );
      for (const cell of cells.touching(around)) await byCell.add(cell, account);
    }
  }
  let places = 0;
  const prepared = await putCells(store, 'prepared/pois', byCell, (around, cell) => {
    const own = singlePois(around).filter(({ lon, lat }) => cells.at(lon, lat) === cell);
    places += own.length;
    return own;
  });
  stage.finish(
    `${counted(accounts, 'record')} of ${counted(places, 'POI')} in ${counted(Object.keys(prepared).length, 'cell')}`,
  );
  return prepared;
}
