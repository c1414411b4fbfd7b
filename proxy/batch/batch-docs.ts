import { z } from 'zod';
import type { QueryResult } from '../endpoint.ts';
import { REQUEST_LIMITS } from '../http/request-limits.ts';
import { PLANS } from '../plans.ts';
import { originError, truncatedReason } from '../schemas/schemas.ts';
import type { QueryContext } from '../services.ts';
import { type Batch, type BatchResult, runBatch } from './batch.ts';

export function batchRules(price: string): string {
  return (
    ` Send 1 to ${REQUEST_LIMITS.origins} origins; the batch counts as one request. Origins that ` +
    'cannot be resolved are listed in `errors`; the others still return rows, in the order of ' +
    'the request. Origins that the balance, `max_rows` or the row budget does not cover are ' +
    `listed in \`truncated\`, always whole; the first is always answered. ${price}; an ` +
    'origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which ' +
    'none can be resolved is free; one of origins without rows costs the minimum, one token.'
  );
}

export const BATCH_RULES = batchRules('One token per row');

export const BATCH_PROBLEMS = ['missing-origins', 'too-many-origins'] as const;

export const BATCH_MEMBERS = { errors: z.array(originError), truncated_reason: truncatedReason };

/**
 * Builds the response to a batch. Metadata of the origins goes into the member that `about` names,
 * if given.
 */
export async function batchResponse<O>(
  batch: Batch<O>,
  context: QueryContext,
  balance: number,
  about?: 'blocks' | 'origins',
): Promise<QueryResult> {
  const { isAnswered, tokens, ...result } = await runBatch(batch, balance, context);
  const body = bodyOf(result, about);
  return { body, tokens: isAnswered ? Math.max(PLANS.charges.minimum, tokens) : 0 };
}

/**
 * Rows come last: the undelivered share of a response cut short is refunded, so no client may hold
 * all rows before its end.
 */
function bodyOf(
  { about, results, ...rest }: Omit<BatchResult, 'isAnswered' | 'tokens'>,
  name: string | undefined,
): object {
  return { ...rest, ...(name !== undefined && { [name]: about }), results };
}
