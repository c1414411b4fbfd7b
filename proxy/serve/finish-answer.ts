import { Body } from '../../portal/http/body.ts';
import { unzipped, WORTH_COMPRESSING, zipped } from '../../portal/http/content-coding.ts';
import { type Answer, BinaryBody } from '../endpoint.ts';
import { headersBesideRows } from '../formats/beside-rows.ts';
import { type Format, MEDIA_TYPES } from '../formats/negotiate.ts';
import { renderJson, renderRows } from '../formats/render.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import type { RowTable } from '../formats/row-table.ts';
import type { FinishedAnswer } from '../metering/answer-cache.ts';

/** Writes an answer as it will be sent, but for compression. */
export function finishAnswer(
  { body, tokens, columns }: Answer,
  format: Format,
  table: RowTable | undefined,
): FinishedAnswer {
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
    beside: headersBesideRows(body, format),
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
