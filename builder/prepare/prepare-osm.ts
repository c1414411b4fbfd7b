import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { noStreetsIn, type OsmFile } from '../extract/extract-osm.ts';
import { bytesToGather, gatherOsm } from '../extract/gather-osm.ts';
import { partByCells } from '../extract/osm-by-cells.ts';
import { OsmCellEncoder } from '../extract/osm-cell.ts';
import { claimsOf, mayReach } from '../extract/osm-claims.ts';
import { MapCells } from '../geo/map-cells.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { type PreparedOsm, preparedOsmSchema } from './prepared-osm.ts';

export interface OsmPreparation {
  readonly paths: readonly string[];
  /** What tells them, the area and this program from all others. */
  readonly madeOf: string;
  /** As far as anybody may need streets. */
  readonly area: BoundingBox;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly progress: Progress;
}

/**
 * Reads OpenStreetMap files once, for all who need some of what is in an area: parts it by cells of a
 * grid, and puts these into the store. Of a file that claims to cover nothing near, no more is read
 * than that. An area without streets fails.
 */
export async function prepareOsm(preparation: OsmPreparation): Promise<PreparedOsm> {
  const { paths, madeOf, area, store, receipts, progress } = preparation;
  const kept = await receipts.find('osm', madeOf, preparedOsmSchema);
  if (kept) return kept;
  const claims = await Promise.all(paths.map(claimsOf));
  const near = paths.filter((_, i) => mayReach(claims[i], area));
  const stage = progress.start('osm', Math.round((await bytesToGather(near)) / 1e6), 'MB');
  const cells = new MapCells(area);
  const elements = await gatherOsm(near, cells.box, stage);
  const parts = [...partByCells(elements, cells)].sort(([a], [b]) => a - b);
  if (!parts.some(([, { streets }]) => streets.length > 0)) {
    stage.finish('no streets');
    throw noStreetsIn(paths);
  }
  const encoder = new OsmCellEncoder(elements);
  const refs: Record<string, ObjectRef> = {};
  for (const [cell, part] of parts) {
    refs[cell] = await putObject(store, `prepared/osm-${cell}`, 'tta', encoder.encode(part));
  }
  const files = claims.map((file, i): OsmFile => {
    return { ...file, newestMs: elements.newestMs.get(paths[i]) ?? file.cutMs };
  });
  const prepared = {
    files: await putObject(store, 'prepared/osm', 'json', Buffer.from(JSON.stringify(files))),
    cells: refs,
  };
  await receipts.keep('osm', madeOf, prepared);
  stage.finish(`${elements.streets.osmId.length} street ways in ${parts.length} cells`);
  return prepared;
}
