import { z } from 'zod';
import { edgesOf } from '../../shards/geometry/wgs84.ts';
import { gatherOsm } from '../extract/gather-osm.ts';
import { MapElements } from '../extract/map-elements.ts';
import { mapFeatures } from '../extract/map-features.ts';
import { partitionByCell } from '../extract/osm-by-cells.ts';
import { OsmCellEncoder } from '../extract/osm-cell.ts';
import { maxFrequent } from '../extract/unmapped-values.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { putObject } from '../publish/put-object.ts';
import { NO_MAP, preparedMapSchema, putBaseMapCells } from './base-map-cells.ts';
import { type PreparedCells, preparedCellsSchema, wideAreaSchema } from './cells.ts';
import type { OsmJobSpec, PreparationJobContext } from './preparation.ts';

const KEPT_VALUES = 500;

export const preparedBatchSchema = z.strictObject({
  streets: z.int(),
  /** When the newest element of each file was edited, or the file was cut, in Unix milliseconds. */
  newest_ms: z.array(z.number()),
  cells: preparedCellsSchema,
  wide: z.array(wideAreaSchema),
  map: preparedMapSchema,
  /** Number of elements by `key=value`, for the most frequent values that have no type. */
  unmapped: z.record(z.string(), z.int()),
  /** Durations that cannot be read, with the ids of their ways. */
  unread_durations: z.array(z.tuple([z.int(), z.string()])),
});
export type PreparedBatch = z.infer<typeof preparedBatchSchema>;

export async function prepareOsmBatch(
  paths: readonly string[],
  { edges, mapped }: OsmJobSpec,
  { store, onWork }: PreparationJobContext,
): Promise<PreparedBatch> {
  const cells = CellRectangle.within(edges);
  const map = mapped.length > 0 ? new MapElements() : null;
  const gathered = await gatherOsm(paths, cells, map, onWork);
  const { newestMs, unmapped, unreadDurations, ...elements } = gathered;
  const encoder = new OsmCellEncoder(elements);
  const refs: PreparedCells = {};
  const { parts, wide } = partitionByCell(elements, cells);
  for (const [cell, part] of [...parts].sort(([a], [b]) => a - b)) {
    refs[cell] = await putObject(store, `prepared/osm-${cell}`, 'tta', encoder.encode(part));
  }
  const wideRefs: PreparedBatch['wide'] = [];
  for (const { area, box } of wide) {
    const bytes = encoder.encode({ streets: [], impassable: [], areas: [area], points: [] });
    const object = await putObject(store, 'prepared/osm-wide', 'tta', bytes);
    wideRefs.push({ box: edgesOf(box), object });
  }
  const features = map && mapFeatures(map, elements.memberWays, elements.table);
  return {
    streets: [...parts.values()].reduce((sum, { streets }) => sum + streets.length, 0),
    newest_ms: paths.map((path) => newestMs.get(path)!),
    cells: refs,
    wide: wideRefs,
    map: features ? await putBaseMapCells(store, features, new Set(mapped)) : NO_MAP,
    unmapped: Object.fromEntries(
      maxFrequent(unmapped, KEPT_VALUES).map(({ key, value, elements }) => {
        return [`${key}=${value}`, elements];
      }),
    ),
    unread_durations: Array.from(unreadDurations, ([way, texts]) =>
      texts.map((text): [number, string] => [way, text]),
    ).flat(),
  };
}
