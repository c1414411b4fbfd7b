import {
  Body,
  gunzipBody,
  gzipBody,
  MIN_COMPRESSED_BYTES,
} from '../../portal/http/content-encoding.ts';
import { BinaryBody, type QueryResult } from '../endpoint.ts';
import { type Format, MEDIA_TYPES } from '../formats/negotiate.ts';
import { renderJson, renderRows } from '../formats/render.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import { metadataHeaders } from '../formats/row-metadata.ts';
import type { RowTable } from '../formats/row-table.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';

/** Writes an answer as it will be sent, but for compression. */
export function finishResponse(
  { body, tokens, columns }: QueryResult,
  format: Format,
  table: RowTable | undefined,
): FinishedResponse {
  if (body === null) {
    return { body: Body.NONE, contentType: null, contentEncoding: null, tokens, beside: {} };
  }
  if (body instanceof BinaryBody) {
    const { bytes, contentType, contentEncoding } = body;
    return { body: Body.of(bytes), contentType, contentEncoding, tokens, beside: {} };
  }
  return {
    body:
      format === 'json' || !table
        ? renderJson(body)
        : renderRows(ROW_FORMATS[format], columns ?? table.columns, body),
    contentType: MEDIA_TYPES[format],
    contentEncoding: null,
    tokens,
    beside: metadataHeaders(body, format),
  };
}

/** The answer compressed, where that is worth it. */
export async function compressed(response: FinishedResponse): Promise<FinishedResponse> {
  if (response.contentEncoding !== null || response.body.length < MIN_COMPRESSED_BYTES)
    return response;
  return { ...response, body: await gzipBody(response.body), contentEncoding: 'gzip' };
}

/** The answer as it is for those who take no compression. */
export async function inflated(response: FinishedResponse): Promise<FinishedResponse> {
  if (response.contentEncoding === null) return response;
  return { ...response, body: await gunzipBody(response.body), contentEncoding: null };
}
