import type { Turns } from '../shards/concurrency/turns.ts';
import { BinaryBody, type QueryResult } from './endpoint.ts';
import { ColumnRows } from './formats/column-rows.ts';
import type { RowMembers } from './formats/columns.ts';
import { type Format, MEDIA_TYPES } from './formats/negotiate.ts';
import { metadataHeaders } from './formats/row-metadata.ts';
import { byteText, TextRows } from './formats/rows.ts';
import { Body } from './http/body.ts';
import { gunzipBody, gzipBody, MIN_COMPRESSED_BYTES } from './http/content-encoding.ts';
import type { FinishedResponse } from './metering/response-cache.ts';

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

export async function inflated(response: FinishedResponse): Promise<FinishedResponse> {
  if (response.contentEncoding === null) return response;
  return { ...response, body: await gunzipBody(response.body), contentEncoding: null };
}

export function rendered(body: object, turns: Turns): Body | Promise<Body> {
  const rows = Object.values(body).find(
    (value) => value instanceof TextRows || value instanceof ColumnRows,
  );
  if (rows instanceof ColumnRows) return rows.file(metadataOf(otherMembers(body)), turns);
  return rows === undefined || rows.format.name === 'json'
    ? renderJson(body)
    : renderRows(body, rows);
}

function renderJson(body: object): Body {
  let rows: TextRows | undefined;
  let before = '';
  let text = '';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (value instanceof TextRows) {
      rows = value;
      before = `${text}[`;
      text = ']';
    } else {
      text += JSON.stringify(value);
    }
  }
  if (rows === undefined) return Body.of(Buffer.from(`${text || '{'}}`));
  return rows.between(byteText(before), byteText(`${text}}`));
}

/**
 * Renders the rows of a body. For a batch or an area, also renders the other members, as far as the
 * format can express them; for other responses, headers have all of these members.
 */
function renderRows(body: object, rows: TextRows): Body {
  const { format, columns } = rows;
  const others = 'truncated' in body || 'area' in body ? otherMembers(body) : undefined;
  return rows.between(byteText(format.before(columns, others)), byteText(format.after(others)));
}

function otherMembers(body: object): RowMembers {
  const isRows = (value: unknown) => value instanceof TextRows || value instanceof ColumnRows;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isRows(value)));
}

/** The other members as JSON, for the key-value metadata of a Parquet file. */
function metadataOf(others: RowMembers): Record<string, string> {
  const known = Object.entries(others).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
}
