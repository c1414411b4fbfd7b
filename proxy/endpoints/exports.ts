import { z } from 'zod';
import {
  EXPORT_FORMATS,
  type ExportedTable,
  type ExportFormat,
} from '../../shards/release/exported-table.ts';
import { releaseOfName } from '../../shards/release/manifests.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ServedExport } from '../../shards/release/served-exports.ts';
import type { Store } from '../../shards/store/store.ts';
import type { Seconds } from '../../shards/units.ts';
import { BOUNDS } from '../bounds.ts';
import { freeEndpoint, postEndpoint, type StaticResult } from '../endpoint.ts';
import {
  addressOf,
  EXPORT_PRICES,
  type ExportList,
  type ExportOffer,
  exportPath,
} from '../exports.ts';
import { list } from '../fields/compounds.ts';
import {
  members,
  NONE,
  optional,
  parameters,
  required,
  several,
  withDefault,
} from '../fields/field.ts';
import { choice, integer } from '../fields/kinds.ts';
import { countyFips } from '../fields/locations.ts';
import { cursor } from '../fields/rows.ts';
import type { CursorSealer } from '../http/cursor.ts';
import { Problem } from '../http/problem.ts';
import { strongEtag } from '../metering/etag.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { nextCursor } from '../schemas/schemas.ts';
import type { ProxyServices } from '../services.ts';

type WantedExport = Omit<ExportedTable, 'rows'>;

/** Lifetime of a link, long enough to download the largest file. */
const LINK_SECONDS: Seconds = 3_600;

const format = choice(EXPORT_FORMATS);
const bytes = z.int();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const exportList = freeEndpoint({
  access: 'free',
  path: '/v1/exports',
  operationId: 'getExports',
  summary: 'Tables of the release as files',
  description:
    'The tables that were exported from the current release, a file a county, with their sizes and ' +
    'prices, ordered by table, county and format. `POST /v1/exports/links` returns a link to one. ' +
    'Empty where the operator exported none. Paginated where there are more than `limit`.',
  tag: 'Exports',
  params: NONE,
  query: parameters({
    table: optional(list(choice([...EXPORT_PRICES.keys()]), { of: 'tables' }), {
      id: 'ExportTable',
      description: several('Only these tables'),
    }),
    county: optional(list({ text: countyFips, json: countyFips }, { of: 'county FIPS codes' }), {
      id: 'ExportCounty',
      description: several('Only tables of these counties'),
    }),
    format: optional(list(format, { of: 'formats' }), {
      id: 'ExportFormat',
      description: several('Only these formats'),
    }),
    limit: optional(integer(BOUNDS.limit), {
      id: 'ExportLimit',
      description: `Files per page, ${BOUNDS.limit.min} to ${BOUNDS.limit.max}; omitted: ${BOUNDS.limit.max}.`,
    }),
    cursor,
  }),
  responseDescription: 'A page of the exported tables.',
  response: z.object({
    release: z.string(),
    exports: z.array(
      z.object({
        table: z.string(),
        county: countyFips
          .nullable()
          .meta({ description: 'Null for a table that is not by county.' }),
        format: z.enum(EXPORT_FORMATS),
        bytes,
        rows: z.int(),
        sha256,
        price_tokens: z.int(),
      }),
    ),
    next_cursor: nextCursor.optional().meta({
      description:
        'Absent from a response that is the whole list, unless `limit` or `cursor` was sent; null on ' +
        'the last page.',
    }),
  }),
  problems: ['invalid-cursor'],
  cache: 'catalogue',
  async respond(services, { query }) {
    const { store, latest } = services.releases.current;
    const list = await services.exports.of(store, latest.manifest);
    return exportPage(latest.release, list, query, services.cursors);
  },
});

export const createExportLink = postEndpoint({
  access: 'posted',
  path: '/v1/exports/links',
  operationId: 'createExportLink',
  summary: 'A link to a table',
  description:
    'Creates a link to one of the tables that `GET /v1/exports` lists. It works without a key for ' +
    'an hour, for GET with or without `Range`, so that DuckDB, Python and others read what they ' +
    'need of the file; links to this service accept HEAD as well. Its price is `price_tokens`. ' +
    'Repeated with its `Idempotency-Key`, the request is charged once and returns a link to the same ' +
    'file for another hour, also once another release is in force.',
  tag: 'Exports',
  status: 201,
  body: members({
    table: required({ json: z.string() }, { description: 'As listed.' }),
    county: optional(
      { json: countyFips.nullable() },
      { description: 'As listed; null or absent for a table that is not by county.' },
    ),
    format: withDefault(format, 'parquet'),
  }),
  requestExample: () => ({ table: 'types', format: 'parquet' }),
  responseDescription: 'The link.',
  response: z.object({
    url: z.string(),
    expires_at: z.iso.datetime(),
    sha256,
    bytes,
  }),
  example: {
    url: 'https://api.example.org/exports/2026-11-6f1c2d3e4f5a6b7c/types-all-0a1b2c3d4e5f6a7b.parquet?expires=1798761600&signature=…',
    expires_at: '2027-01-01T00:00:00.000Z',
    sha256: '0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b0a1b2c3d4e5f6a7b',
    bytes: 3100,
  },
  problems: ['export-not-found'],

  async resolve({ store, latest }, body, services) {
    const wanted = { ...body, county: body.county ?? null };
    const { manifest, release } = latest;
    const found = await services.exports.find(store, manifest, ({ files }) =>
      files.find((one) => isSame(one, wanted)),
    );
    const price = EXPORT_PRICES.get(wanted.table);
    if (!found || price === undefined) {
      const { files } = await services.exports.of(store, manifest);
      throw new Problem('export-not-found', missingExport(release, files, wanted));
    }
    return { found, price, services };
  },

  price: ({ price }) => price,

  async respond(release, { found, price, services }) {
    await checkEnds(release, found);
    const { store, latest } = release;
    return {
      body: await linkTo(found, store, latest.manifest, services),
      tokens: price,
      renewable: { manifest: latest.manifest, object: found.object.name } satisfies ExportedFile,
    };
  },

  async renew(kept, services) {
    const { manifest, object } = exportedFileSchema.parse(kept);
    const { store } = services.releases.current;
    const found = await services.exports.find(store, manifest, ({ byObject }) =>
      byObject.get(object),
    );
    if (found) return linkTo(found, store, manifest, services);
    const release = releaseOfName(manifest);
    const detail = `the file, of release ${release}, has been removed; request a link to a table of the current release under another Idempotency-Key`;
    throw new Problem('export-not-found', detail);
  },
});

const exportedFileSchema = z.object({ manifest: z.string(), object: z.string() });
type ExportedFile = z.output<typeof exportedFileSchema>;

/**
 * Reads the first and the last page of a file, verifying their checksums, so that a link is not
 * charged if the file is missing, cut short, or damaged where readers begin.
 */
async function checkEnds(release: Release, file: ServedExport): Promise<void> {
  const { object } = file;
  const pages = await release.pagesOf(file);
  await Promise.all([pages.readRange(object, 0, 1), pages.readRange(object, object.bytes - 1, 1)]);
}

function missingExport(
  release: string,
  list: readonly ServedExport[],
  { table, county }: WantedExport,
): string {
  if (list.length === 0) {
    return `release ${release} has no exported tables yet; a request for a link to an earlier one, repeated with its Idempotency-Key, renews that link`;
  }
  const some = list.find((one) => one.table === table);
  const listed = 'GET /v1/exports lists those there are';
  if (!some) return `release ${release} has no such table; ${listed}`;
  const isByCounty = some.county !== null;
  if (isByCounty && county === null) return `${table} is a table by county: send county`;
  if (!isByCounty && county !== null) return `${table} is not a table by county: omit county`;
  return `${table} was not exported for this county and format; ${listed}`;
}

function isSame(a: WantedExport, b: WantedExport): boolean {
  return a.table === b.table && a.county === b.county && a.format === b.format;
}

async function linkTo(
  { object }: ServedExport,
  store: Store,
  manifest: string,
  { config, links }: Pick<ProxyServices, 'config' | 'links'>,
) {
  const { name, sha256, bytes } = object;
  const expires = Math.floor(Date.now() / 1000) + LINK_SECONDS;
  const presigned =
    config.exportLinks === 'bucket' ? await store.presignedUrl(name, expires * 1000) : null;
  const path = exportPath(addressOf(manifest, name));
  const { url, expiresMs } = presigned ?? {
    url: `${config.baseUrl}${path}?expires=${expires}&signature=${links.sign(path, expires)}`,
    expiresMs: expires * 1000,
  };
  return { url, expires_at: new Date(expiresMs).toISOString(), sha256, bytes };
}

interface ExportQuery {
  readonly table?: readonly string[] | undefined;
  readonly county?: readonly string[] | undefined;
  readonly format?: readonly ExportFormat[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Builds a page of the exports of a release. A list that fits into one page is returned without a
 * cursor, unless pages are requested, and without using `cursors`, which throw while the ledger is
 * unavailable. Throws `invalid-cursor` for a cursor of another request.
 */
export function exportPage(
  release: string,
  { offers, positions, seal }: ExportList,
  { table, county, format, limit, cursor }: ExportQuery,
  cursors: CursorSealer,
): StaticResult {
  const cursorScope = canonicalRequest('exports', { table, county, format });
  const [start] = cursor === undefined ? [0] : cursors.open(cursorScope, cursor, 1);
  const most = limit ?? BOUNDS.limit.max;
  const page: ExportOffer[] = [];
  let end: number | null = null;
  for (let i = 0; i < offers.length && end === null; i++) {
    const offer = offers[i];
    const isWanted =
      positions[i] >= start &&
      (table?.includes(offer.table) ?? true) &&
      (county?.includes(offer.county ?? '') ?? true) &&
      (format?.includes(offer.format) ?? true);
    if (!isWanted) continue;
    if (page.length < most) page.push(offer);
    else end = positions[i];
  }
  const isPaged = limit !== undefined || cursor !== undefined || end !== null;
  const next_cursor = end === null ? null : cursors.seal(cursorScope, [end]);
  const asked = canonicalRequest('exports', {
    release,
    table,
    county,
    format,
    limit,
    start,
    next_cursor,
  });
  return {
    etag: strongEtag(asked, [{ sha256: seal }]),
    body: { release, exports: page, ...(isPaged && { next_cursor }) },
  };
}
