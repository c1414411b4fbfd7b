import { z } from 'zod';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { originError, truncatedReason } from '../openapi/schemas.ts';
import type { Services } from '../services.ts';
import { answerBatch, type Batch, type BatchResult } from './batch.ts';

/** What the descriptions of all batches end with. */
export const BATCH_RULES =
  ' 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in ' +
  '`errors`, the others still give rows, in the order of the request. Origins that the balance or ' +
  'the row budget does not cover are in `truncated`, whole. One token a row, at least one.';

export const BATCH_PROBLEMS = ['missing-origins', 'too-many-origins'] as const;

/** Members that the answers of all batches have, and what they are when all went well. */
export const BATCH_MEMBERS = { errors: z.array(originError), truncated_reason: truncatedReason };
export const ALL_WELL = { errors: [], truncated: [], truncated_reason: null };

/** Members by which rows and errors name an origin that is a point. */
export const ORIGIN_POINT = { origin_lat: z.number(), origin_lon: z.number() };

/** Answers a batch; what is said of its origins goes into a member, if it is named. */
export async function answerNamed<O>(
  batch: Batch<O>,
  { config }: Services,
  balance: number,
  about?: 'blocks' | 'origins',
): Promise<Answer> {
  const result = await answerBatch(batch, balance, config.batchRowBudget);
  return rowsAnswer(bodyOf(result, about), result.results.length);
}

function bodyOf({ about, ...rest }: BatchResult, name: string | undefined): object {
  return name === undefined ? rest : { ...rest, [name]: about };
}
