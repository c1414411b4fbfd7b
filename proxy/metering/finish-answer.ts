import { type Answer, BinaryBody } from '../endpoint.ts';
import { headersBesideRows } from '../formats/beside-rows.ts';
import { type Format, MEDIA_TYPES } from '../formats/negotiate.ts';
import { render } from '../formats/render.ts';
import type { RowTable } from '../formats/row-table.ts';
import { unzipped, WORTH_COMPRESSING, zipped } from '../http/content-coding.ts';
import type { FinishedAnswer } from './answer-cache.ts';

const NOTHING = Buffer.alloc(0);

/** Writes an answer as it will be sent, but for compression. */
export async function finishAnswer(
  { body, tokens, columns }: Answer,
  format: Format,
  table: RowTable | undefined,
): Promise<FinishedAnswer> {
  const common = { tokens, beside: {}, contentEncoding: null };
  if (body === null) return { ...common, body: NOTHING, contentType: null };
  if (body instanceof BinaryBody) {
    const { bytes, contentType, contentEncoding } = body;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { ...common, body: buffer, contentType, contentEncoding };
  }
  return {
    ...common,
    body: await render(format, table && columns ? { ...table, columns } : table, body),
    contentType: MEDIA_TYPES[format],
    beside: headersBesideRows(body),
  };
}

/** The answer compressed, where that is worth it. */
export async function compressed(answer: FinishedAnswer): Promise<FinishedAnswer> {
  if (answer.contentEncoding !== null || answer.body.length < WORTH_COMPRESSING) return answer;
  return { ...answer, body: await zipped(answer.body), contentEncoding: 'gzip' };
}

/** The answer as it is for those who take no compression. */
export async function inflated(answer: FinishedAnswer): Promise<FinishedAnswer> {
  if (answer.contentEncoding === null) return answer;
  return { ...answer, body: await unzipped(answer.body), contentEncoding: null };
}
