import { csvLine } from '../../../../shards/csv/csv-line.ts';
import type { SitesCoverage } from '../paid/sites-request.ts';
import { COUNTED_MINUTES } from '../state/map-state.ts';
import type { Site } from '../state/sites.ts';

/**
 * Measured sites as CSV, the same as the API returns: rows for the area, each site and each
 * candidate.
 */
export function sitesCsv(
  { results, sites, gains, chosen }: SitesCoverage,
  points: readonly Site[],
): string {
  const pointOf = new Map(points.map((one) => [one.id, one]));
  const placed = (list: string, { id, block }: { id: string | number; block: string }) => {
    const { lat, lon } = pointOf.get(String(id))!;
    return { list, id, lon, lat, block };
  };
  const choiceOf = new Map(
    chosen.map(({ id, gain, total_within }, i) => [
      id,
      { chosen_rank: i + 1, chosen_gain: gain, chosen_total_within: total_within },
    ]),
  );
  const rows: Readonly<Record<string, unknown>>[] = [
    ...results.map(({ within, ...sums }) => ({
      list: 'area',
      ...sums,
      ...byMinutes('within', within),
    })),
    ...sites.map((one) => ({
      ...placed('sites', one),
      ...byMinutes('within', one.within),
      ...byMinutes('overlap', one.overlap),
    })),
    ...gains.map((one) => ({
      ...placed('candidates', one),
      ...byMinutes('gain', one.gain),
      ...choiceOf.get(one.id),
    })),
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
