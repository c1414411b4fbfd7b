import path from 'node:path';
import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { type CensusPlace, readCensusPlaces } from '../census/census-places.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { type PreparedCells, preparedCellsSchema, putCells, readNear } from './cells.ts';
import { asJson, Partitions } from './partitions.ts';
import type { AreaPreparation } from './preparation.ts';

/** Number of census places held in memory, about 50 KB each. */
const HELD_PLACES = 2_000;

interface PlacePreparation extends AreaPreparation {
  readonly scratch: string;
}

/**
 * Reads census places once for all units, and puts them into the store by the cells of a grid: each
 * place goes into all cells that its box touches.
 */
export async function writePlaces(preparation: PlacePreparation): Promise<PreparedCells> {
  const { paths, keyOf, area, store, receipts, scratch, progress } = preparation;
  if (paths.length === 0) return {};
  const cells = CellRectangle.of(area);
  return receipts.findOrMake('places', keyOf([cells.box]), preparedCellsSchema, async () => {
    const stage = progress.start('places', null, 'places');
    const stem = path.join(scratch, 'places-');
    const piles = new Partitions<number, CensusPlace>(stem, HELD_PLACES, asJson());
    let read = 0;
    for await (const place of readCensusPlaces(paths, cells.box, (line) => progress.note(line))) {
      for (const cell of cells.touching(place.box)) await piles.add(cell, place);
      stage.at(++read);
    }
    const prepared = await putCells(store, 'prepared/places', piles, (places) => places);
    stage.finish(
      `${counted(read, 'census place')} in ${counted(Object.keys(prepared).length, 'cell')}`,
    );
    return prepared;
  });
}

/** Reads the census places of a plan that may lie within a box, ascending by GEOID. */
export async function placesNear(
  store: Store,
  prepared: PreparedCells,
  box: BoundingBox,
): Promise<CensusPlace[]> {
  const places = new Map<string, CensusPlace>();
  for await (const place of readNear<CensusPlace>(store, prepared, box)) {
    if (boxesMeet(place.box, box)) places.set(place.geoid, place);
  }
  return [...places.values()].sort((a, b) => (a.geoid < b.geoid ? -1 : 1));
}
