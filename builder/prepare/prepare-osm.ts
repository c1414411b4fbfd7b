import { z } from 'zod';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { noStreetsIn, type OsmFile } from '../extract/extract-osm.ts';
import { gatherOsm, PASSES, PASSES_OF_PART } from '../extract/gather-osm.ts';
import { partByCells } from '../extract/osm-by-cells.ts';
import { OsmCellEncoder } from '../extract/osm-cell.ts';
import { claimsOf, mayReach, type OsmClaims } from '../extract/osm-claims.ts';
import { MapCells } from '../geo/map-cells.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { putObject } from '../publish/put-object.ts';
import { cutBatches } from './osm-batches.ts';
import type { AreaPreparation } from './preparation.ts';
import { type PreparedCells, preparedCellsSchema } from './prepared-cells.ts';
import type { PreparedOsm } from './prepared-osm.ts';

/** Of files, packed as they are: in memory it is some three times as much. */
const BATCH_BYTES: Bytes = 400e6;

export interface OsmPreparation extends AreaPreparation {
  /** How much of the files is in memory at a time. */
  readonly batchBytes?: Bytes;
}

interface OsmPath {
  readonly path: string;
  readonly claims: OsmClaims;
  readonly bytes: Bytes;
}

/** What a batch of cells leaves. */
const batchSchema = z.strictObject({
  streets: z.int(),
  /** When the newest element of each file was edited, or it was cut; null where none was read. */
  newest_ms: z.array(z.number().nullable()),
  cells: preparedCellsSchema,
});
type Batch = z.infer<typeof batchSchema>;

/**
 * Reads OpenStreetMap files once, for all who need some of what is in an area: parts it by cells of a
 * grid, and puts these into the store. Where it is much, batches of cells are read one after the
 * other. Of a file that claims to cover nothing near, no more is read than that. An area without
 * streets fails.
 */
export async function prepareOsm(preparation: OsmPreparation): Promise<PreparedOsm> {
  const { paths, area, keyOf, store, receipts, progress } = preparation;
  const files: OsmPath[] = [];
  for (const path of paths) {
    files.push({ path, claims: await claimsOf(path), bytes: await sizeOf(path) });
  }
  const near = files.filter(({ claims }) => mayReach(claims, area));
  const cut = cutBatches(MapCells.of(area), near, preparation.batchBytes ?? BATCH_BYTES);
  const passes = cut.length > 1 ? PASSES_OF_PART : PASSES;
  const toRead = cut.flatMap(({ box }) => files.filter(({ claims }) => mayReach(claims, box)));
  const total = passes * toRead.reduce((sum, { bytes }) => sum + bytes, 0);
  const stage = progress.start('osm', Math.round(total / 1e6), 'MB');
  let done = 0;
  const read = (bytes: Bytes) => {
    done += bytes;
    stage.at(Math.round(done / 1e6));
  };
  const batches: Batch[] = [];
  for (const cells of cut) {
    const key = keyOf([cells.box, cut.length > 1]);
    const make = () => readBatch(files, cells, cut.length > 1, store, read);
    batches.push(await receipts.findOrMake('osm', key, batchSchema, make));
  }
  const streets = batches.reduce((sum, batch) => sum + batch.streets, 0);
  if (streets === 0) {
    stage.finish('no streets');
    throw noStreetsIn(paths);
  }
  const known = files.map(({ claims }, i): OsmFile => {
    const newest = batches.map(({ newest_ms }) => newest_ms[i]).find((ms) => ms !== null);
    return { ...claims, newestMs: newest ?? claims.cutMs };
  });
  const cells = Object.assign({}, ...batches.map((batch) => batch.cells));
  stage.finish(`streets in ${Object.keys(cells).length} cells`);
  return {
    files: await putObject(store, 'prepared/osm', 'json', Buffer.from(JSON.stringify(known))),
    cells,
  };
}

async function readBatch(
  files: readonly OsmPath[],
  cells: MapCells,
  isPart: boolean,
  store: WritableStore,
  read: (bytes: Bytes) => void,
): Promise<Batch> {
  const near = files.filter(({ claims }) => mayReach(claims, cells.box));
  const paths = near.map(({ path }) => path);
  const { newestMs, ...elements } = await gatherOsm(paths, cells, isPart, read);
  const encoder = new OsmCellEncoder(elements);
  const refs: PreparedCells = {};
  const parts = [...partByCells(elements, cells)].sort(([a], [b]) => a - b);
  for (const [cell, part] of parts) {
    refs[cell] = await putObject(store, `prepared/osm-${cell}`, 'tta', encoder.encode(part));
  }
  return {
    streets: parts.reduce((sum, [, part]) => sum + part.streets.length, 0),
    newest_ms: files.map(({ path }): Millis | null => newestMs.get(path) ?? null),
    cells: refs,
  };
}
