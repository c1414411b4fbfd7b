import { PLANS } from '../../../../../proxy/plans.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Area, DataOf, Mode, ParamsOf } from '../../../../client/src/index.ts';
import { timingOf } from '../../catalogue/windows.ts';
import type { Criterion } from '../../measures/basket.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { Choice } from '../../state/choice.ts';

export type Coverage = DataOf<'measureCoverage'>;

/** Members that name the window and percentile of a basket, as `timingOf`. */
export function timesOf({ basket, timing }: Choice): Partial<Timing> {
  return timingOf(
    basket.map(({ mode }) => mode),
    timing,
  );
}

export function basketRequest(
  area: Area,
  criteria: readonly Criterion[],
  times: Partial<Timing>,
): PaidRequest<Coverage> {
  const { row, basket, area_minimum } = PLANS.charges;
  const price = Math.max(row + basket, area_minimum);
  return paidCall('measureCoverage', basketBody(area, criteria, times), price);
}

/**
 * The body of `basketRequest`. One row is shown beside the basket, that of the first criterion;
 * without type and mode, the rows of all would be charged.
 */
export function basketBody(
  area: Area,
  criteria: readonly Criterion[],
  times: Partial<Timing>,
): ParamsOf<'measureCoverage'> {
  const [first] = criteria;
  return {
    area,
    mode: [first.mode as Mode],
    type: [first.type],
    ...times,
    all_of: criteria.map(({ type, mode, minutes }) => ({
      type,
      mode: mode as Mode,
      max_minutes: minutes,
    })),
  };
}
