import { boxContains } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes, DestTypeId } from '../../shards/units.ts';
import { requireKind, sniffKind } from '../inputs/file-kind.ts';
import { sizeOf } from '../inputs/fingerprint.ts';
import { type FeatureRecord, readGeoJson } from '../inputs/geojson.ts';
import { readGeoParquet } from '../inputs/geoparquet.ts';
import type { Progress } from '../progress.ts';
import { type ListedPoi, listedPoi } from './listed-poi.ts';
import { EXPECTED_AMONG } from './overture-categories.ts';
import { isOverturePoi, type OverturePoi, overturePoi, type RatedPoi } from './overture-poi.ts';
import { TAXONOMY, type TaxonomyEntry } from './taxonomy.ts';

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

export type PoiRecord = ListedPoi | RatedPoi;

/**
 * Reads POIs within `area` from GeoJSON and GeoParquet files, one by one; each record either in
 * Overture's schema (`overture-poi.ts`) or in that of the user's own lists (`listed-poi.ts`). An
 * invalid record in a user's list fails the build. Overture's records are many and not the user's
 * to fix: those that yield no destination are counted and noted. A file with places of which none
 * is within `area` is warned of.
 */
export async function* readPoiFiles(
  paths: readonly string[],
  area: BoundingBox,
  progress: Pick<Progress, 'note'>,
  onBytes: (done: Bytes) => void = () => {},
): AsyncGenerator<PoiRecord> {
  let before = 0;
  for (const path of paths) {
    const overture = new OvertureTally();
    let [places, elsewhere] = [0, 0];
    const skip = (skipped: number) => {
      places += skipped;
      elsewhere += skipped;
    };
    const atByte = (done: Bytes) => onBytes(before + done);
    for await (const record of await featuresOf(path, area, progress, atByte, skip)) {
      places++;
      if (!isOverturePoi(record)) {
        const read = listedPoi(record);
        const { lon, lat } = read.destination;
        if (boxContains(area, lon, lat)) yield read;
        else elsewhere++;
        continue;
      }
      const read = overturePoi(record, area);
      overture.count(read);
      if (!('dropped' in read)) yield read;
      else if (read.dropped === 'elsewhere') elsewhere++;
    }
    if (places > 0 && elsewhere === places) {
      progress.note(
        `WARNING: ${path}: none of its ${counted(places, 'place')} is in the area of the blocks; check its coordinates (longitude first)`,
      );
    }
    for (const line of overture.notes(path)) progress.note(line);
    before += await sizeOf(path);
  }
}

/** Reads the features of a file, whose format is recognized by contents rather than by name. */
async function featuresOf(
  path: string,
  area: BoundingBox,
  progress: Pick<Progress, 'note'>,
  onBytes: (done: number) => void,
  onSkipped: (rows: number) => void,
): Promise<AsyncIterable<FeatureRecord>> {
  await requireKind(path, 'json', 'parquet');
  return (await sniffKind(path)) === 'parquet'
    ? readGeoParquet(path, COLUMNS, area, onBytes, onSkipped)
    : readGeoJson(path, onBytes, (line) => progress.note(line));
}

const REASONS = {
  closed: 'closed',
  doubtful: 'with low confidence',
  unusable: 'without id or point',
  uncategorised: 'without a category',
} as const;
const CATEGORIES_SHOWN = 10;

class OvertureTally {
  #places = 0;
  readonly #found = new Set<DestTypeId>();
  readonly #byReason = new Map<string, number>();
  readonly #byCategory = new Map<string, number>();

  count(read: OverturePoi): void {
    if (!('dropped' in read)) for (const type of read.destination.types) this.#found.add(type);
    else if (read.dropped === 'elsewhere') return;
    else if (read.dropped === 'untyped') increase(this.#byCategory, read.category);
    else increase(this.#byReason, REASONS[read.dropped]);
    this.#places++;
  }

  /** Returns a line on records that yield no destination, and one on types that none yields. */
  notes(path: string): string[] {
    const left = this.#leftOut();
    const missing = expectedAmong(this.#places).filter(
      ({ dest_type_id }) => !this.#found.has(dest_type_id),
    );
    const labels = missing.map(({ label }) => label).join(', ');
    return [
      ...(left.length > 0 ? [`${path}: left out ${left.join('; ')}`] : []),
      ...(missing.length > 0
        ? [
            `WARNING: ${path}: none of its ${counted(this.#places, 'place')} of Overture is of type ${labels}; unless the file was made without them, Overture has new names for their categories (docs.overturemaps.org/guides/places) that this version does not know: update it, or expect these POIs from OpenStreetMap alone`,
          ]
        : []),
    ];
  }

  #leftOut(): string[] {
    const reasons = maxFirst(this.#byReason).map(([reason, count]) => `${count} ${reason}`);
    const categories = maxFirst(this.#byCategory);
    const untyped = categories.reduce((sum, [, count]) => sum + count, 0);
    if (untyped === 0) return reasons;
    const shown = categories.slice(0, CATEGORIES_SHOWN).map((entry) => entry.join(' '));
    const more = categories.length > shown.length ? ', …' : '';
    return [
      ...reasons,
      `${untyped} in ${counted(categories.length, 'category', 'categories')} without a type (${shown.join(', ')}${more})`,
    ];
  }
}

/** The leaves that some of so many places of Overture are expected to have. */
function expectedAmong(places: number): TaxonomyEntry[] {
  const labels = EXPECTED_AMONG.filter(([least]) => places >= least).flatMap(([, some]) => some);
  return TAXONOMY.filter(({ label }) => labels.includes(label));
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function maxFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
