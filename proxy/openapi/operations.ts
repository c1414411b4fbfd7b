import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { getOrInsertComputed } from '../../shards/arrays/group-by.ts';
import { documentedBody, type Endpoint } from '../endpoint.ts';
import { describeRequest } from '../http/openapi.ts';
import type { ProblemResponses } from '../http/problem-docs.ts';
import {
  bareHeaders,
  idempotencyKey,
  ifNoneMatch,
  isConditional,
  isFreeForMembers,
  kindOf,
  otherHeaders,
  problemHeaders,
  responseHeaders,
} from './headers.ts';
import { problemsOf } from './problems.ts';

export function operation(
  endpoint: Endpoint,
  problems: ProblemResponses,
  alike: AlikeResponses,
): ZodOpenApiOperationObject {
  const isPosted = endpoint.access === 'posted';
  return {
    ...describeRequest(endpoint, requestOf(endpoint)),
    responses: {
      [isPosted ? (endpoint.status ?? 200) : 200]: {
        description: endpoint.responseDescription,
        headers: responseHeaders(endpoint),
        content: contentOf(endpoint),
      },
      ...emptyResponses(endpoint, alike),
      ...problems.of(problemsOf(endpoint), {
        kind: kindOf(endpoint),
        headers: (status) => problemHeaders(endpoint, status),
      }),
      ...otherResponse(endpoint),
    },
  };
}

function requestOf(endpoint: Endpoint) {
  const { access } = endpoint;
  return {
    security: access === 'free' ? [] : [{ apiKey: [] }],
    requestParams: {
      ...(access !== 'posted' && { path: endpoint.params, query: endpoint.query }),
      ...(isConditional(endpoint) && { header: z.object({ 'If-None-Match': ifNoneMatch }) }),
      ...(access === 'posted' && { header: z.object({ 'Idempotency-Key': idempotencyKey }) }),
    },
    ...(access === 'posted' && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: documentedBody(endpoint) } },
      },
    }),
  };
}

/** Responses other than problems that several operations share. */
export class AlikeResponses {
  readonly #made = new Map<string, ZodOpenApiResponseObject>();

  named(id: string, make: () => ZodOpenApiResponseObject): ZodOpenApiResponseObject {
    return getOrInsertComputed(this.#made, id, () => ({ ...make(), id }));
  }
}

function emptyResponses(endpoint: Endpoint, alike: AlikeResponses) {
  return {
    ...(endpoint.access === 'metered' &&
      endpoint.mayBeEmpty && {
        204: {
          description: 'Nothing to return. Free.',
          headers: bareHeaders(endpoint),
        },
      }),
    ...(isConditional(endpoint) && {
      304: alike.named(`${kindOf(endpoint)}${payerOf(endpoint)}NotModified`, () => ({
        description: 'Not modified since that ETag. Free.',
        headers: bareHeaders(endpoint),
      })),
    }),
  };
}

function payerOf(endpoint: Endpoint): 'ForMembers' | '' {
  return isFreeForMembers(endpoint) ? 'ForMembers' : '';
}

/** Response with the second status of a probe; its body has the same schema as for 200. */
function otherResponse(endpoint: Endpoint) {
  if (endpoint.access !== 'free' || endpoint.otherStatus === undefined) return {};
  const content = { 'application/json': { schema: endpoint.response } };
  const headers = otherHeaders(endpoint.otherStatus);
  return { [endpoint.otherStatus]: { description: 'Not ready.', headers, content } };
}

/** Media types of a response: JSON, and the formats of rows. */
function contentOf(endpoint: Endpoint) {
  const { response: schema, example } = endpoint;
  const json = { schema, ...(example !== undefined && { example }) };
  const rows = 'rows' in endpoint ? endpoint.rows : undefined;
  const isGeoJson = endpoint.access === 'free' && endpoint.isGeoJson === true;
  const geoJson = endpoint.access === 'metered' ? endpoint.geoJson : undefined;
  if ('mediaType' in endpoint && endpoint.mediaType) return { [endpoint.mediaType]: { schema } };
  return {
    'application/json': json,
    ...(isGeoJson && { 'application/geo+json': { schema } }),
    ...(geoJson && { 'application/geo+json': { schema: geoJson } }),
    ...(rows && {
      'text/csv': { schema: rowsAsText },
      'application/x-ndjson': { schema: rowsAsText },
      'application/vnd.apache.parquet': { schema: rowsAsParquet },
    }),
    ...(rows?.geometry && {
      'application/geo+json': { schema: rows.row ? featuresOf(rows.row) : featureCollection },
    }),
  };
}

const rowsAsText = z.string().meta({
  id: 'RowsAsText',
  description:
    'The rows. CSV has a header line; members of nested objects are joined by an underscore, and text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is prefixed with an apostrophe, so that no spreadsheet runs it as a formula. Headers carry what JSON contains besides the rows: the next page, the block that contains a point, modes that could not be routed, and, up to 4 kB, the facts of the rows (`X-From`, `X-To`, `X-Departure`, `X-Percentile`, `X-Noise`, `X-Formula`, `X-Sites-From`) and of the blocks (`X-Block`, `X-Blocks`, `X-Origins`). Origins of a batch without rows are also counted in headers; NDJSON lists them in a last line, with `errors`, `truncated` and `truncated_reason` if there are any, and there with the facts that exceed the headers, and CSV in `X-Errors` and `X-Truncated`.',
});

const rowsAsParquet = z.string().meta({
  id: 'RowsAsParquet',
  format: 'binary',
  description:
    'The rows as a Parquet file with the columns of CSV: GEOIDs are text, `travel_time` is a double, any column may have nulls. The key-value metadata of the file has what JSON contains besides the rows, each member as JSON.',
});

const featureCollection = z
  .looseObject({ type: z.literal('FeatureCollection'), features: z.array(z.looseObject({})) })
  .meta({
    id: 'RowsAsGeoJson',
    description:
      'The rows as features of a GeoJSON FeatureCollection: points, or the outline of the block of the row. For a batch it has `errors`, `truncated` and `truncated_reason` as members.',
  });

function featuresOf(properties: z.ZodType) {
  const geometry = z
    .object({ type: z.literal('Point'), coordinates: z.array(z.number()) })
    .nullable();
  const feature = z.object({ type: z.literal('Feature'), geometry, properties });
  return z.looseObject({ type: z.literal('FeatureCollection'), features: z.array(feature) });
}
