import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Feature, Point } from 'geojson';
import {
  type AsyncBuffer,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { systemCode } from '../../shards/error-facts.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { digestsOf } from './digests.ts';
import type { FetchSession } from './download-all.ts';
import { makeFolderOf, unwritable } from './fetch-folder.ts';
import { type Http, tooLarge } from './http.ts';
import { listBucket, type S3Object } from './s3-listing.ts';

const FILE = 'pois/overture.geojson';

/**
 * Columns of a place that the builder uses, by Overture's names. Not every release has all of them.
 */
const COLUMNS = [
  'id',
  'geometry',
  'names',
  'categories',
  'basic_category',
  'taxonomy',
  'addresses',
  'brand',
  'confidence',
  'operating_status',
] as const;
const REQUIRED = ['id', 'geometry', 'bbox', 'names'] as const;

/** Maximum size of the result; twice the size of the whole country's places. */
const MAX_BYTES: Bytes = 32e9;

/**
 * Degrees by which boxes are widened: more than the error, at 180°, of the 32-bit floats in the
 * files.
 */
const FLOAT_SLACK = 1e-4;

/**
 * Fetches the places of an Overture release within `boxes` as GeoJSON, and returns the path of the
 * result. Reads only the footers of the release's files, and the row groups that meet a box. An
 * existing result for the same files and boxes is kept. If `release` is null, the newest is used.
 * Throws a `BuildError`.
 */
export async function fetchOverturePlaces(
  bucket: string,
  release: string | null,
  boxes: readonly BoundingBox[],
  { http, folder, progress }: FetchSession,
): Promise<string> {
  const label = release ?? (await newestRelease(http, bucket));
  const prefix = `release/${label}/theme=places/type=place/`;
  const { objects } = await listBucket(http, bucket, prefix);
  const files = objects.filter(({ key }) => key.endsWith('.parquet'));
  if (files.length === 0) {
    throw new BuildError(
      `${bucket}/${prefix}: has no Parquet files; Overture keeps only the latest releases: check --overture-release`,
    );
  }
  const url = `${bucket}/${prefix}`;
  const version = versionOf(files, boxes);
  const known = await folder.source(FILE);
  if (known?.url === url && known.etag === version) return folder.path(FILE);

  const stage = progress.start(`Overture places ${label}`, files.length, 'files');
  let features = 0;
  const path = folder.path(FILE);
  await writeCollection(path, url, async function* () {
    for (const [i, file] of files.entries()) {
      for await (const feature of placesWithin(http, bucket, file, boxes)) {
        features++;
        yield feature;
      }
      stage.at(i + 1);
    }
  });
  stage.finish(`${counted(features, 'place')} within reach`);
  const { bytes, sha256 } = await digestsOf(path);
  const fetched_at = new Date().toISOString();
  await folder.note(FILE, { url, fetched_at, bytes, sha256, etag: version, last_modified: null });
  return path;
}

async function newestRelease(http: Http, bucket: string): Promise<string> {
  const { prefixes } = await listBucket(http, bucket, 'release/', '/');
  const labels = prefixes.map((prefix) => prefix.split('/')[1]);
  // A label is a date and a number: 2025-10-22.0.
  const newest = labels
    .filter((label) => /^\d{4}-\d\d-\d\d\.\d+$/.test(label))
    .sort()
    .at(-1);
  if (newest !== undefined) return newest;
  throw new BuildError(`${bucket}/release/: has no releases; check the Overture address`);
}

/** The places of one file within the boxes, row group by row group. */
async function* placesWithin(
  http: Http,
  bucket: string,
  object: S3Object,
  boxes: readonly BoundingBox[],
): AsyncGenerator<Feature<Point>> {
  const path = object.key.split('/').map(encodeURIComponent).join('/').replaceAll('%3D', '=');
  const url = `${bucket}/${path}`;
  const file: AsyncBuffer = {
    byteLength: object.bytes,
    slice: (from, to = object.bytes) => http.range(url, from, to, object.etag),
  };
  try {
    const metadata = await parquetMetadataAsync(file);
    const present = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
    const missing = REQUIRED.find((column) => !present.has(column));
    if (missing !== undefined) throw new BuildError(`${url}: has no column ${missing}`);
    const columns = COLUMNS.filter((column) => present.has(column));
    const filter = { $or: boxes.map(meets) };
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const rows = await parquetReadObjects({
        file,
        metadata,
        columns,
        compressors,
        filter,
        rowStart,
        rowEnd,
        // Where the file has page statistics, only pages that may match are read.
        usePageIndex: true,
        useOffsetIndex: true,
      });
      rowStart = rowEnd;
      for (const { geometry, ...place } of rows) {
        if (geometry?.type !== 'Point') {
          throw new BuildError(
            `${url}: place ${place.id} has no point; is this an Overture release?`,
          );
        }
        const [lon, lat] = geometry.coordinates;
        if (boxes.some((box) => boxContains(box, lon, lat))) yield toFeature(place, lon, lat);
      }
    }
  } catch (error) {
    if (error instanceof BuildError || !(error instanceof Error)) throw error;
    throw new BuildError(
      `${url}: cannot be read as Parquet (${error.message}); is this an Overture release?`,
      { cause: error },
    );
  }
}

/**
 * Filters for rows whose box meets the given one, by statistics of row groups and pages where
 * available.
 */
function meets({ minLon, minLat, maxLon, maxLat }: BoundingBox) {
  return {
    'bbox.xmin': { $lte: maxLon + FLOAT_SLACK },
    'bbox.xmax': { $gte: minLon - FLOAT_SLACK },
    'bbox.ymin': { $lte: maxLat + FLOAT_SLACK },
    'bbox.ymax': { $gte: minLat - FLOAT_SLACK },
  };
}

/**
 * Converts a place to GeoJSON, with properties nested and named as in Overture, and an unchanged
 * point.
 */
function toFeature(place: Record<string, unknown>, lon: number, lat: number): Feature<Point> {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [lon, lat] },
    properties: { ...place },
  };
}

/** Returns a hash of the files and boxes, which determine the places. */
function versionOf(files: readonly S3Object[], boxes: readonly BoundingBox[]): string {
  const hash = createHash('sha256');
  for (const { key, etag, bytes } of files) hash.update(`${key} ${etag} ${bytes}\n`);
  hash.update(JSON.stringify(boxes));
  return hash.digest('hex');
}

/**
 * Writes a FeatureCollection, one feature per line. The file gets its name only once it is
 * complete.
 */
async function writeCollection(
  path: string,
  url: string,
  features: () => AsyncIterable<Feature>,
): Promise<void> {
  const lines = async function* () {
    let lead = '{"type":"FeatureCollection","features":[\n';
    let written = 0;
    for await (const feature of features()) {
      const line = `${lead}${JSON.stringify(feature)}`;
      written += line.length;
      if (written > MAX_BYTES) throw tooLarge(url, MAX_BYTES);
      yield line;
      lead = ',\n';
    }
    yield lead.startsWith('{') ? `${lead}]}\n` : '\n]}\n';
  };
  const unfinished = `${path}.part`;
  await makeFolderOf(path);
  try {
    await pipeline(Readable.from(lines()), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof BuildError || systemCode(error) === undefined) throw error;
    throw unwritable(path, error);
  }
}
