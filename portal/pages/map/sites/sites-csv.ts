import { csvLine } from '../../../../shards/csv/csv-line.ts';
import type { SitesCoverage } from '../paid/sites-request.ts';
import { COUNTED_MINUTES } from '../state/map-state.ts';
import type { Site } from '../state/sites.ts';

/**
 * Measured sites as CSV, the same as the API returns: rows for the area, each site and each
 * candidate, also for those that are left out.
 */
export function sitesCsv(
  { results, sites, gains, chosen, errors }: SitesCoverage,
  points: readonly Site[],
): string {
  const choiceOf = new Map(
    chosen.map(({ id, gain, total_within }, i) => [
      id,
      { chosen_rank: i + 1, chosen_gain: gain, chosen_total_within: total_within },
    ]),
  );
  /** Columns of the measures of sites and candidates, by id, or of the reason for their absence. */
  const measuresOf = new Map<string | number, object>([
    ...sites.map(
      ({ id, block, within, overlap }) =>
        [id, { block, ...byMinutes('within', within), ...byMinutes('overlap', overlap) }] as const,
    ),
    ...gains.map(
      ({ id, block, gain }) =>
        [id, { block, ...byMinutes('gain', gain), ...choiceOf.get(id) }] as const,
    ),
    ...errors.map(
      ({ id, type, detail }) => [id, { error_type: type, error_detail: detail }] as const,
    ),
  ]);
  const listOf = (list: string, members: readonly Site[]) =>
    members.map(({ id, lon, lat }) => ({ list, id, lon, lat, ...measuresOf.get(id) }));
  const rows: Readonly<Record<string, unknown>>[] = [
    ...results.map(({ within, ...sums }) => ({
      list: 'area',
      ...sums,
      ...byMinutes('within', within),
    })),
    ...listOf(
      'sites',
      points.filter(({ isCandidate }) => !isCandidate),
    ),
    ...listOf(
      'candidates',
      points.filter(({ isCandidate }) => isCandidate),
    ),
  ];
  const columns = [
    ...PLACE,
    'mode',
    'weight',
    'total',
    ...columnsOf('within'),
    'beyond',
    'no_data',
    ...columnsOf('overlap'),
    ...columnsOf('gain'),
    ...(points.some(({ isCandidate }) => isCandidate) ? CHOICE : []),
    'error_type',
    'error_detail',
  ];
  const lines = rows.map((row) => columns.map((column) => row[column]));
  return [columns, ...lines].map(csvLine).join('');
}

const PLACE = ['list', 'id', 'lon', 'lat', 'block'];
const CHOICE = ['chosen_rank', 'chosen_gain', 'chosen_total_within'];

function columnsOf(member: string): string[] {
  return COUNTED_MINUTES.map((minutes) => `${member}_${minutes}`);
}

function byMinutes(member: string, sums: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    COUNTED_MINUTES.map((minutes) => [`${member}_${minutes}`, sums[minutes]]),
  );
}
