import { PLANS } from '../../../../../proxy/plans.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Area, DataOf, Mode } from '../../../../client/src/index.ts';
import { count, percent } from '../../../formats.ts';
import { type AreaBlocks, bodyOf } from '../../blocks/area-blocks.ts';
import type { Weight } from '../../catalogue/weights.ts';
import { Paid } from '../../paid/paid.tsx';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import { SumsTable } from '../../panels/sums-table.tsx';
import { MarginNote } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';

/** Groups of one request, at most. */
const MAX_GROUPS = 12;
const MINUTES = 15;
const WHOLES = ['people', 'workers'];

/** The share of each group of people in an area that is near a POI, for tokens. */
export function GroupsPanel({ area }: { readonly area: AreaBlocks }) {
  const { catalogue, choice } = useMap();
  const { mode, times, type } = choice;
  const groups = catalogue.weights
    .filter(({ weight, unit }) => WHOLES.includes(unit) && !WHOLES.includes(weight))
    .toSorted((a, b) => WHOLES.indexOf(a.unit) - WHOLES.indexOf(b.unit))
    .slice(0, MAX_GROUPS);
  // A parent has rows of each of its leaves.
  if (groups.length === 0 || type.leaves.length > 1) return null;
  const request = groupsRequest(bodyOf(area), { mode: [mode], ...times }, type.id, groups);
  return (
    <Paid request={request} label={`By group in ${area.name}`}>
      {({ area: { margin }, results }) => (
        <>
          <SumsTable
            caption={`Within ${MINUTES} minutes in ${area.name}, by group`}
            heads={['Group', 'Number', `Within ${MINUTES} min`]}
            rows={results.map(({ weight, total, share }) => ({
              key: weight,
              name: catalogue.weights.find((one) => one.weight === weight)?.label ?? weight,
              figures: [count(total), shareText(share)],
            }))}
          />
          <MarginNote margin={margin} />
          <NoiseNote groups={groups} />
        </>
      )}
    </Paid>
  );
}

function shareText(share: unknown): string {
  const within = (share as Readonly<Record<string, number | null>> | undefined)?.[MINUTES];
  return within == null ? '' : percent(within);
}

/** Says how reliable the release calls the counts of small groups. */
function NoiseNote({ groups }: { readonly groups: readonly Weight[] }) {
  const errors = groups.flatMap(({ noise }) => noise?.typical_error ?? []);
  const ofGroups = errors.find(({ counts }) => counts.startsWith('groups'));
  return ofGroups ? (
    <p class="quiet">
      {ofGroups.counts}: {ofGroups.error}. {ofGroups.source}
    </p>
  ) : null;
}

function groupsRequest(
  area: Area,
  times: { readonly mode: readonly Mode[] } & Partial<Timing>,
  type: number,
  groups: readonly Weight[],
): PaidRequest<DataOf<'measureCoverage'>> {
  const by = groups.map(({ weight }) => weight);
  const body = { area, ...times, type: [type], by };
  const { row, area_minimum } = PLANS.charges;
  return paidCall('measureCoverage', body, Math.max(area_minimum, (1 + by.length) * row));
}
