import type { Turns } from '../../shards/concurrency/turns.ts';
import { boundsText, isWithin } from '../bounds.ts';
import type { RowColumn } from '../formats/columns.ts';
import type { FoundRows, Rows } from '../formats/rows.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { REQUEST_LIMITS } from '../http/request-limits.ts';
import { tokensExhausted } from '../metering/charges.ts';
import { ORIGIN_FAULTS, type OriginFault, type TruncatedReason } from '../schemas/schemas.ts';
import type { ProxyServices, QueryContext } from '../services.ts';

/** Batches are not paged: an origin returns all its rows. */
export const NO_LIMIT = Number.POSITIVE_INFINITY;
/** Origins processed concurrently, so that their reads overlap. */
const WIDTH = 16;

/** The result of one origin: its rows, rendered once they are paid for, and its metadata. */
export interface OriginResult {
  readonly rows: FoundRows;
  /** An entry of the metadata list: a block's metadata, or a point's block. */
  readonly about?: object;
}

export interface OriginError {
  readonly type: OriginFault;
  readonly detail: string;
}

export type OriginOutcome = OriginResult | OriginError;

export interface Batch<O> {
  readonly origins: readonly O[];
  /** Stops further origins when exceeded. */
  readonly rowBudget: number;
  readonly turns: Turns;
  readonly columns: readonly RowColumn[];
  readonly rowPrice: number;
  identify(origin: O): object;
  /** Names an origin in `truncated`; null for a malformed one, which is an error all the same. */
  shorten(origin: O): unknown;
  respond(origin: O): Promise<OriginOutcome>;
}

export interface BatchResult {
  readonly results: Rows;
  readonly tokens: number;
  /** Whether any origin could be resolved: an answer without rows costs the minimum, too. */
  readonly isAnswered: boolean;
  readonly about: readonly object[];
  readonly errors: readonly object[];
  readonly truncated: readonly unknown[];
  readonly truncated_reason: TruncatedReason | null;
}

/**
 * Processes whole origins in request order while the balance and the row budget allow; the first
 * that does not fit, and all after it, are `truncated`. The first origin with rows is returned
 * regardless of the row budget, so that resending `truncated` always terminates; if the balance
 * does not cover it, the request fails with `tokens-exhausted`.
 */
export async function runBatch<O>(
  batch: Batch<O>,
  balance: number,
  { format }: Pick<QueryContext, 'format'>,
): Promise<BatchResult> {
  const results = format.rows(batch.columns);
  const about: object[] = [];
  const errors: object[] = [];
  const truncated: unknown[] = [];
  let truncated_reason: TruncatedReason | null = null;
  const { origins, rowBudget, rowPrice, turns } = batch;
  let count = 0;
  let isAnswered = false;
  for (let first = 0; first < origins.length && truncated_reason === null; first += WIDTH) {
    const outcomes = await Promise.all(
      origins.slice(first, first + WIDTH).map((origin) => batch.respond(origin)),
    );
    // Origins without rows take time, too.
    await turns.yieldIfOverdue();
    const paid: OriginResult[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if ('type' in outcome) {
        errors.push({ ...outcome, ...batch.identify(origins[first + i]) });
        continue;
      }
      const rows = count + outcome.rows.count;
      const isPayable = rows * rowPrice <= balance;
      if (!isAnswered && !isPayable) throw tokensExhausted(balance);
      if (!isPayable || (isAnswered && rows > rowBudget)) {
        for (const origin of origins.slice(first + i)) {
          const short = batch.shorten(origin);
          if (short !== null) truncated.push(short);
          else errors.push({ ...(await batch.respond(origin)), ...batch.identify(origin) });
        }
        truncated_reason = isPayable ? 'row-budget' : 'insufficient-balance';
        break;
      }
      isAnswered = true;
      count = rows;
      paid.push(outcome);
    }
    await Promise.all(paid.map(({ rows }) => rows.prepare?.()));
    for (const { rows, about: own } of paid) {
      await rows.addTo(results);
      if (own) about.push(own);
      await turns.yieldIfOverdue();
    }
  }
  const tokens = count * rowPrice;
  return { results, tokens, isAnswered, about, errors, truncated, truncated_reason };
}

/** Converts a not-found problem to an entry of `errors`; rethrows anything else. */
export function originError(error: unknown): OriginError {
  const type = error instanceof Problem && ORIGIN_FAULTS.find((fault) => fault === error.slug);
  if (type) return { type, detail: error.message };
  throw error;
}

/** Row limit of a batch: `max_rows` if sent, capped by the service's limit. */
export function rowBudgetOf(
  { max_rows: own }: { readonly max_rows?: number | undefined },
  { config: { batchRowBudget } }: Pick<ProxyServices, 'config'>,
): number {
  const bounds = { min: 1, max: batchRowBudget };
  if (own === undefined || isWithin(bounds, own)) return own ?? batchRowBudget;
  throw invalidParameter(['body', 'max_rows'], `must be ${boundsText(bounds)}`, 'out_of_range');
}

/** Checks the number of origins: `missing-origins`, `too-many-origins`. */
export function checkOrigins<T>(origins: readonly T[] | undefined, name: string): readonly T[] {
  if (!origins || origins.length === 0) {
    throw new Problem(
      'missing-origins',
      `${name} must list 1 to ${REQUEST_LIMITS.origins} origins`,
    );
  }
  if (origins.length <= REQUEST_LIMITS.origins) return origins;
  throw new Problem(
    'too-many-origins',
    `${name} lists more than ${REQUEST_LIMITS.origins} origins; split the request`,
  );
}
