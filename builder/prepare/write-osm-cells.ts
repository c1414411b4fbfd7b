import { z } from 'zod';
import { edgesOf } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox, Bytes, Millis } from '../../shards/units.ts';
import { extractCoverageOf, mayReach } from '../extract/extract-coverage.ts';
import { noStreetsIn, type OsmFile } from '../extract/extract-osm.ts';
import { gatherOsm, PASSES, PASSES_OF_PART } from '../extract/gather-osm.ts';
import { MapElements } from '../extract/map-elements.ts';
import { mapFeatures } from '../extract/map-features.ts';
import { partByCells } from '../extract/osm-by-cells.ts';
import { OsmCellEncoder } from '../extract/osm-cell.ts';
import { maxFrequent, POI_KEYS, type UnmappedValue } from '../extract/unmapped-values.ts';
import { MapCells } from '../geo/map-cells.ts';
import { sizeOf } from '../inputs/size-of.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import {
  bytesOf,
  countedMegabytes,
  cutBatches,
  megabytes,
  type OsmBatches,
  type OsmPath,
} from './osm-batches.ts';
import type { Partitions } from './partitions.ts';
import type { AreaPreparation } from './preparation.ts';
import { type PreparedCells, preparedCellsSchema, wideAreaSchema } from './read-cells.ts';
import { NO_MAP, preparedMapSchema } from './read-map-cells.ts';
import type { PreparedOsm } from './read-osm-cells.ts';
import { joinMaps, putMapCells } from './write-map-cells.ts';

/**
 * Puts an object for each cell's group into the store, cell by cell, unless it is empty. As JSON,
 * which preserves numbers exactly.
 */
export async function putCells<Item>(
  store: WritableStore,
  stem: string,
  piles: Partitions<number, Item>,
  made: (items: Item[], cell: number) => readonly unknown[],
): Promise<PreparedCells> {
  const prepared: PreparedCells = {};
  for (const cell of piles.keys.sort((a, b) => a - b)) {
    const items = made(await piles.take(cell), cell);
    if (items.length === 0) continue;
    const bytes = Buffer.from(JSON.stringify(items));
    prepared[cell] = await putObject(store, `${stem}-${cell}`, 'json', bytes);
  }
  return prepared;
}

/**
 * Size of the files, packed. A street's node takes 110 bytes in memory, and 5 to 10 packed: for
 * files in which every third node is one, memory is some six times as large.
 */
const BATCH_BYTES: Bytes = 250e6;
/** Values without a type, for each key: the number reported, and the number kept from a batch. */
const TOLD_VALUES = 20;
const KEPT_VALUES = 500;

export interface OsmPreparation extends AreaPreparation {
  /** The areas of which a base map is made, within `area`. */
  readonly mapped: readonly BoundingBox[];
  /** How much of the files is in memory at a time. */
  readonly batchBytes?: Bytes;
}

/** The result of a batch of cells. */
const batchSchema = z.strictObject({
  streets: z.int(),
  /** When the newest element of each file was edited, or it was cut; null if it was not read. */
  newest_ms: z.array(z.number().nullable()),
  cells: preparedCellsSchema,
  wide: z.array(wideAreaSchema),
  map: preparedMapSchema,
  /** By `key=value`: the most frequent of those that have no type. */
  unmapped: z.record(z.string(), z.int()),
});
type Batch = z.infer<typeof batchSchema>;

/**
 * Reads OpenStreetMap files once for all units, divides their contents within an area by cells of a
 * grid, and puts these into the store. Large files are read in batches of cells, one after another.
 * Only the header is read of a file whose declared extent is not nearby. Throws a `BuildError` for
 * an area without streets.
 */
export async function writeOsmCells(preparation: OsmPreparation): Promise<PreparedOsm> {
  const { paths, keyOf, store, receipts, progress } = preparation;
  const files: OsmPath[] = [];
  for (const path of paths) {
    files.push({ path, claims: await extractCoverageOf(path), bytes: await sizeOf(path) });
  }
  const most = preparation.batchBytes ?? BATCH_BYTES;
  const cut = await cutBatches(MapCells.of(preparation.area), files, most, progress);
  const stage = progress.start('osm', megabytes(bytesToRead(cut, files)), 'MB');
  const read = countedMegabytes(stage);
  const batches: Batch[] = [];
  for (const cells of cut.batches) {
    const mapped = mappedCells(cells, preparation.mapped);
    const make = () => readBatch(files, cells, cut.isPart, mapped, store, read);
    const key = keyOf([cells.box, [...mapped]]);
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
  // Each batch that a wide area enters has produced the same object for it.
  const wide = new Map(batches.flatMap((batch) => batch.wide.map((w) => [w.object.name, w])));
  stage.finish(`streets in ${counted(Object.keys(cells).length, 'cell')}`);
  const unmapped = unmappedIn(batches);
  noteUnmapped(unmapped, progress);
  return {
    files: await putObject(store, 'prepared/osm', 'json', Buffer.from(JSON.stringify(known))),
    cells,
    wide: [...wide.values()].sort((a, b) => (a.object.name < b.object.name ? -1 : 1)),
    map: joinMaps(batches.map(({ map }) => map)),
    unmapped,
  };
}

/** The cells that the base map reads, ascending. */
function mappedCells(cells: MapCells, mapped: readonly BoundingBox[]): Set<number> {
  const all = mapped.flatMap((box) => cells.touching(box));
  return new Set(all.sort((a, b) => a - b));
}

/** The total of bytes read in all passes. */
function bytesToRead({ batches, isPart }: OsmBatches, files: readonly OsmPath[]): Bytes {
  const once = batches.map(({ box }) =>
    bytesOf(files.filter(({ claims }) => mayReach(claims, box))),
  );
  return (isPart ? PASSES_OF_PART : PASSES) * once.reduce((sum, bytes) => sum + bytes, 0);
}

async function readBatch(
  files: readonly OsmPath[],
  cells: MapCells,
  isPart: boolean,
  mapped: ReadonlySet<number>,
  store: WritableStore,
  read: (bytes: Bytes) => void,
): Promise<Batch> {
  const near = files.filter(({ claims }) => mayReach(claims, cells.box));
  const paths = near.map(({ path }) => path);
  const map = mapped.size > 0 ? new MapElements() : null;
  const { newestMs, unmapped, ...elements } = await gatherOsm(paths, cells, isPart, map, read);
  const encoder = new OsmCellEncoder(elements);
  const refs: PreparedCells = {};
  const { parts, wide } = partByCells(elements, cells);
  for (const [cell, part] of [...parts].sort(([a], [b]) => a - b)) {
    refs[cell] = await putObject(store, `prepared/osm-${cell}`, 'tta', encoder.encode(part));
  }
  const wideRefs: Batch['wide'] = [];
  for (const { area, box } of wide) {
    const bytes = encoder.encode({ streets: [], impassable: [], areas: [area], points: [] });
    const object = await putObject(store, 'prepared/osm-wide', 'tta', bytes);
    wideRefs.push({ box: edgesOf(box), object });
  }
  return {
    streets: [...parts.values()].reduce((sum, { streets }) => sum + streets.length, 0),
    newest_ms: files.map(({ path }): Millis | null => newestMs.get(path) ?? null),
    cells: refs,
    wide: wideRefs,
    map: map
      ? await putMapCells(store, mapFeatures(map, elements.memberWays, elements.table), mapped)
      : NO_MAP,
    unmapped: Object.fromEntries(
      maxFrequent(unmapped, KEPT_VALUES).map(({ key, value, elements }) => {
        return [`${key}=${value}`, elements];
      }),
    ),
  };
}

/** The most frequent values of all batches. */
function unmappedIn(batches: readonly Batch[]): UnmappedValue[] {
  const counts = new Map<string, number>();
  for (const { unmapped } of batches) {
    for (const [text, elements] of Object.entries(unmapped)) {
      counts.set(text, (counts.get(text) ?? 0) + elements);
    }
  }
  return maxFrequent(counts, TOLD_VALUES);
}

function noteUnmapped(unmapped: readonly UnmappedValue[], progress: Progress): void {
  for (const key of POI_KEYS) {
    const reported = unmapped.filter((one) => one.key === key);
    if (reported.length === 0) continue;
    const counts = reported.map(({ value, elements }) => `${value} ${elements}`).join(', ');
    progress.note(`most frequent values of ${key} without a type: ${counts}`);
  }
}
