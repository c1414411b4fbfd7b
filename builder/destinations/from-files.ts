import { open } from 'node:fs/promises';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { type FeatureRecord, readGeoJson } from '../inputs/geojson.ts';
import { readGeoParquet } from '../inputs/geoparquet.ts';
import { sizeOf } from '../inputs/size-of.ts';
import type { Progress } from '../progress.ts';
import { type ListedPoi, listedPoi } from './listed-poi.ts';
import { isOverturePoi, type OverturePoi, overturePoi, type RatedPoi } from './overture-poi.ts';

/** Columns to read from a columnar file: the members of both schemas. */
const COLUMNS = [
  'id',
  'name',
  'type',
  'types',
  'brand',
  'street',
  'city',
  'state',
  'zip',
  'names',
  'categories',
  'taxonomy',
  'basic_category',
  'confidence',
  'operating_status',
  'addresses',
];

/** A POI as listed by one source: the user's own list, or Overture. */
export type PoiRecord = ListedPoi | RatedPoi;

/**
 * Reads POIs within `area` from GeoJSON and GeoParquet files, one by one; each record either in
 * Overture's schema (`overture-poi.ts`) or in that of the user's own lists (`listed-poi.ts`). An
 * invalid record in a user's list fails the build. Overture's records are many and not the user's
 * to fix: those that yield no destination are counted and noted.
 */
export async function* readPoiFiles(
  paths: readonly string[],
  area: BoundingBox,
  progress: Pick<Progress, 'note'>,
  onBytes: (done: Bytes) => void = () => {},
): AsyncGenerator<PoiRecord> {
  let before = 0;
  for (const path of paths) {
    const dropped = new DroppedPois();
    for await (const record of await featuresOf(path, area, (done) => onBytes(before + done))) {
      if (!isOverturePoi(record)) {
        const read = listedPoi(record);
        const { lon, lat } = read.destination;
        if (boxContains(area, lon, lat)) yield read;
        continue;
      }
      const read = overturePoi(record, area);
      if ('dropped' in read) dropped.count(read);
      else yield read;
    }
    const summary = dropped.summary();
    if (summary) progress.note(`${path}: left out ${summary}`);
    before += await sizeOf(path);
  }
}

const PARQUET_MAGIC = 'PAR1';

/** Reads the features of a file, whose format is recognized by contents rather than by name. */
async function featuresOf(
  path: string,
  area: BoundingBox,
  onBytes: (done: number) => void,
): Promise<AsyncIterable<FeatureRecord>> {
  const isParquet = (await firstBytes(path, PARQUET_MAGIC.length)) === PARQUET_MAGIC;
  return isParquet ? readGeoParquet(path, COLUMNS, area, onBytes) : readGeoJson(path, onBytes);
}

async function firstBytes(path: string, count: number): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

const REASONS = {
  closed: 'closed',
  doubtful: 'with low confidence',
  unusable: 'without id or point',
} as const;
const CATEGORIES_SHOWN = 10;

/** Counts records that yield no destination, for a one-line summary. */
class DroppedPois {
  readonly #byReason = new Map<string, number>();
  readonly #byCategory = new Map<string, number>();

  count(poi: Exclude<OverturePoi, RatedPoi>): void {
    if (poi.dropped === 'elsewhere') return;
    if (poi.dropped === 'uncategorised') increase(this.#byCategory, poi.category);
    else increase(this.#byReason, REASONS[poi.dropped]);
  }

  summary(): string | null {
    const reasons = maxFirst(this.#byReason).map(([reason, count]) => `${count} ${reason}`);
    const categories = maxFirst(this.#byCategory);
    const uncategorised = categories.reduce((sum, [, count]) => sum + count, 0);
    if (uncategorised > 0) {
      const shown = categories.slice(0, CATEGORIES_SHOWN).map((entry) => entry.join(' '));
      const more = categories.length > shown.length ? ', …' : '';
      reasons.push(
        `${uncategorised} in ${counted(categories.length, 'category', 'categories')} without a type (${shown.join(', ')}${more})`,
      );
    }
    return reasons.length > 0 ? reasons.join('; ') : null;
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function maxFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
