import { areaRows, siteColumns, siteRows } from '../../../../proxy/queries/sites/site-table.ts';
import { csvLine } from '../../../../shards/csv/csv-line.ts';
import type { SitesCoverage } from '../paid/sites-request.ts';
import { COUNTED_MINUTES } from '../state/map-state.ts';
import type { Site } from '../state/sites.ts';

/**
 * Measured sites as CSV, the same as the API returns: rows for the area, each site and each
 * candidate, also for those that are left out.
 */
export function sitesCsv(coverage: SitesCoverage, points: readonly Site[]): string {
  const candidates = points.filter(({ isCandidate }) => isCandidate);
  const sites = points.filter(({ isCandidate }) => !isCandidate);
  const { errors } = coverage;
  const lists = { sent: { sites, candidates }, errors, measures: { ...coverage, uncovered: [] } };
  const table = siteColumns({
    minutes: COUNTED_MINUTES,
    choose: candidates.length,
    uncovered: 0,
  });
  const rows = [...areaRows(lists), ...siteRows(lists)].map((row) => table.cellsOf(row));
  return [table.columns.map(({ name }) => name), ...rows].map(csvLine).join('');
}
