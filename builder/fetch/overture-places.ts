import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { digestsOf } from '../inputs/fingerprint.ts';
import { download } from './download.ts';
import type { FetchSession } from './download-all.ts';
import { copyRowGroups } from './parquet-cut.ts';

/**
 * Columns of a place that the builder uses, by Overture's names. Not every release has all of them.
 */
const COLUMNS: readonly string[] = [
  'id',
  'geometry',
  'bbox',
  'names',
  'categories',
  'basic_category',
  'taxonomy',
  'addresses',
  'brand',
  'confidence',
  'operating_status',
];
const REQUIRED: readonly string[] = ['id', 'geometry', 'bbox', 'names'];

/** Maximum size of a document of the index. */
const MAX_DOCUMENT_BYTES: Bytes = 8 * 2 ** 20;

const LABEL = /^\d{4}-\d\d-\d\d\.\d+$/;
const catalogSchema = z.object({ latest: z.string().regex(LABEL) });
const collectionSchema = z.object({
  links: z.array(z.object({ rel: z.string(), href: z.string() })),
});
const itemSchema = z.object({
  id: z.string().regex(/^[\w-]+$/),
  bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  assets: z.record(z.string(), z.object({ href: z.string() })),
});

interface PlaceFile {
  readonly id: string;
  readonly url: string;
  readonly box: BoundingBox;
}

/**
 * Fetches the places of an Overture release around `boxes` as Parquet files, one for each file of
 * the release that meets a box by the release's STAC index, and returns their paths in the folder.
 * Reads only the footers, and the columns that are used of row groups that meet a box, and keeps
 * them as they are encoded; a reader leaves out places beyond its area. Files that are there for
 * the same boxes are kept, so an interrupted fetch continues with the next. If `release` is null,
 * the newest is used. Throws a `BuildError`.
 */
export async function fetchOverturePlaces(
  catalog: string,
  release: string | null,
  boxes: readonly BoundingBox[],
  session: FetchSession,
): Promise<string[]> {
  const { http, folder, progress } = session;
  const label =
    release ?? (await document(session, `${catalog}/catalog.json`, catalogSchema)).latest;
  const files = (await filesOf(session, `${catalog}/${label}/places/place/collection.json`)).filter(
    ({ box }) => boxes.some((wanted) => boxesMeet(wanted, box)),
  );
  const stage = progress.start(`Overture places ${label}`, files.length, 'files');
  const paths: string[] = [];
  let rows = 0;
  for (const [i, { id, url }] of files.entries()) {
    const name = `pois/overture-${id}.parquet`;
    const source = await http.version(url);
    // The contents of a cut file depend on these.
    const etag = hashOfJson([COLUMNS, source, boxes]);
    const known = await folder.source(name);
    if (known?.url !== url || known.etag !== etag) {
      const target = folder.path(name);
      rows += await copyRowGroups(http, { url, ...source }, target, boxes, COLUMNS, REQUIRED);
      const fetched_at = new Date().toISOString();
      const { bytes, sha256 } = await digestsOf(target);
      await folder.note(name, { url, fetched_at, bytes, sha256, etag, last_modified: null });
    }
    paths.push(name);
    stage.at(i + 1);
  }
  stage.finish(
    `${counted(files.length, 'file')}, ${rows === 0 ? 'nothing new' : `${counted(rows, 'place')} around the area`}`,
  );
  return paths;
}

async function filesOf(session: FetchSession, url: string): Promise<PlaceFile[]> {
  const { links } = await document(session, url, collectionSchema);
  const items = links.filter(({ rel }) => rel === 'item');
  if (items.length === 0) {
    throw new BuildError(
      `${url}: lists no files; Overture keeps only the latest releases: check --overture-release`,
    );
  }
  return Promise.all(
    items.map(async ({ href }) => {
      const at = new URL(href, url).href;
      const { id, bbox, assets } = await document(session, at, itemSchema);
      const asset = Object.values(assets).find((one) =>
        /^(https?:.*|[^:]*)\.parquet$/.test(one.href),
      );
      if (asset === undefined) throw new BuildError(`${at}: has no asset that is a Parquet file`);
      const [minLon, minLat, maxLon, maxLat] = bbox;
      return { id, url: new URL(asset.href, at).href, box: { minLon, minLat, maxLon, maxLat } };
    }),
  );
}

/** Reads a document of the index, of which a copy is kept, so that it is not sent again. */
async function document<T extends z.ZodType>(
  { http, folder }: FetchSession,
  url: string,
  schema: T,
): Promise<z.infer<T>> {
  const parse = async (file: string) => {
    try {
      return schema.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch (error) {
      const problem = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
      throw new BuildError(
        `is not the STAC index of an Overture release (${problem.replaceAll(/\s+/g, ' ')})`,
      );
    }
  };
  const file = `pois/overture-index/${createHash('sha256').update(url).digest('hex')}.json`;
  const check = async (path: string) => void (await parse(path));
  const wanted = { url, file, maxBytes: MAX_DOCUMENT_BYTES, check };
  return parse(await download(wanted, http, folder, () => {}));
}
