import type { Turns } from '../shards/concurrency/turns.ts';
import { BinaryBody, type QueryResult } from './endpoint.ts';
import { type Format, MEDIA_TYPES } from './formats/negotiate.ts';
import { rendered } from './formats/render.ts';
import { metadataHeaders } from './formats/row-metadata.ts';
import { Body } from './http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from './http/content-encoding.ts';
import type { FinishedResponse } from './metering/response-cache.ts';

/** A response without content. */
export const WITHOUT_CONTENT: FinishedResponse = {
  body: Body.NONE,
  contentType: null,
  contentEncoding: null,
  tokens: 0,
  metadata: {},
};

/** Renders a response as it will be sent, except for compression. */
export async function finishResponse(
  { body, tokens }: QueryResult,
  format: Format,
  turns: Turns,
): Promise<FinishedResponse> {
  if (body === null) {
    return { ...WITHOUT_CONTENT, tokens };
  }
  if (body instanceof BinaryBody) {
    const { bytes, contentType, contentEncoding } = body;
    return { body: Body.of(bytes), contentType, contentEncoding, tokens, metadata: {} };
  }
  return {
    body: await rendered(body, turns),
    contentType: MEDIA_TYPES[format],
    contentEncoding: null,
    tokens,
    metadata: metadataHeaders(body, format),
  };
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
