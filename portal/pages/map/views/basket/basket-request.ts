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
  const { type, mode } = basketBody(area, criteria, times);
  const price = Math.max(row * type!.length * mode!.length + basket, area_minimum);
  return paidCall('measureCoverage', basketBody(area, criteria, times), price);
}

/** The body of `basketRequest`; the rows of each type and mode are charged beside the basket. */
export function basketBody(
  area: Area,
  criteria: readonly Criterion[],
  times: Partial<Timing>,
): ParamsOf<'measureCoverage'> {
  return {
    area,
    mode: [...new Set(criteria.map(({ mode }) => mode as Mode))],
    type: [...new Set(criteria.map(({ type }) => type))],
    ...times,
    all_of: criteria.map(({ type, mode, minutes }) => ({
      type,
      mode: mode as Mode,
      max_minutes: minutes,
    })),
  };
}
