import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import { BinaryBody, type QueryResult } from '../endpoint.ts';
import { type Format, MEDIA_TYPES } from '../formats/negotiate.ts';
import { otherMembers, renderJson, renderRows } from '../formats/render.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import { metadataHeaders } from '../formats/row-metadata.ts';
import type { RowTable } from '../formats/row-table.ts';
import { Body } from '../http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from '../http/content-encoding.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';

/** Renders a response as it will be sent, except for compression. */
export async function finishResponse(
  { body, tokens, columns }: QueryResult,
  format: Format,
  table: RowTable | undefined,
  waiters: Waiters,
): Promise<FinishedResponse> {
  if (body === null) {
    return { body: Body.NONE, contentType: null, contentEncoding: null, tokens, metadata: {} };
  }
  if (body instanceof BinaryBody) {
    const { bytes, contentType, contentEncoding } = body;
    return { body: Body.of(bytes), contentType, contentEncoding, tokens, metadata: {} };
  }
  return {
    body: await rendered(body, format, columns ?? table?.columns, waiters),
    contentType: MEDIA_TYPES[format],
    contentEncoding: null,
    tokens,
    metadata: metadataHeaders(body, format),
  };
}

function rendered(
  body: object,
  format: Format,
  columns: readonly string[] | undefined,
  waiters: Waiters,
): Body | Promise<Body> {
  if (format === 'json' || !columns) return renderJson(body);
  const rows = renderRows(ROW_FORMATS[format], columns, body);
  return format === 'parquet' ? renderParquet(rows, columns, body, waiters) : rows;
}

/** Loads the Parquet writer on demand: most servers never need it. */
async function renderParquet(
  rows: Body,
  columns: readonly string[],
  body: object,
  waiters: Waiters,
): Promise<Body> {
  const { parquetOf } = await import('../formats/parquet-rows.ts');
  return parquetOf(rows, columns, otherMembers(body), waiters);
}

/** Whether a media type is compressed for clients that accept compression; Parquet already is. */
export function isCompressible(mediaType: string | null): boolean {
  return mediaType !== MEDIA_TYPES.parquet;
}

/** Compresses a response if worthwhile or, with `isAlways`, regardless of its length. */
export async function compressed(
  response: FinishedResponse,
  isAlways = false,
): Promise<FinishedResponse> {
  const { body, contentType, contentEncoding } = response;
  const isCompressed = contentEncoding !== null || !isCompressible(contentType);
  if (isCompressed || (!isAlways && body.length < MIN_COMPRESSED_BYTES)) return response;
  return { ...response, body: await gzipBody(body), contentEncoding: 'gzip' };
}

/** Decompresses a response for clients that accept no compression. */
export async function inflated(response: FinishedResponse): Promise<FinishedResponse> {
  if (response.contentEncoding === null) return response;
  return { ...response, body: await gunzipBody(response.body), contentEncoding: null };
}
