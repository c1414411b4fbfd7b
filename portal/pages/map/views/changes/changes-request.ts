import { PLANS } from '../../../../../proxy/plans.ts';
import type { Area, DataOf, ParamsOf } from '../../../../client/src/index.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { Choice } from '../../state/choice.ts';
import type { MapState } from '../../state/map-state.ts';

/** Requests the exact changes of an area. */
export function changesRequest(
  body: ParamsOf<'measureChanges'>,
  { type }: Choice,
): PaidRequest<DataOf<'measureChanges'>> {
  const { changes, row } = PLANS.charges;
  return paidCall('measureChanges', body, changes + type.leaves.length * row);
}

/** The body of the request; null unless two releases are chosen. */
export function changesBody(
  area: Area,
  { before, after }: MapState,
  { mode, timing, type }: Choice,
): ParamsOf<'measureChanges'> | null {
  if (before === null || after === null) return null;
  const times = { mode: [mode], ...timingOf([mode], timing) };
  return { from: before, to: after, area, ...times, type: [type.id] };
}
