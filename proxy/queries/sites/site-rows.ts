import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Minutes } from '../../../shards/units.ts';
import { SITES } from '../../formats/row-table.ts';
import type { Rows } from '../../formats/rows.ts';
import type { LocatedSite } from './locate-sites.ts';
import type { SiteMeasures } from './measure-sites.ts';

/**
 * Adds the lists of a response as one table, for formats that have no lists: a row for each site,
 * then for each candidate, in the order of `sites` and `gains`, then for each uncovered block. In
 * CSV, which has nothing but rows, the rows of `results` come first; other formats have these sums
 * beside their rows.
 */
export async function addSiteRows(
  rows: Rows,
  columns: readonly string[],
  sites: readonly LocatedSite[],
  candidates: readonly LocatedSite[],
  measures: SiteMeasures,
  waiters: Waiters,
): Promise<void> {
  const { format } = rows;
  if (format.name === 'csv') {
    for (const sums of measures.results) {
      rows.add(format.members({ list: 'area', ...sums }, columns) + format.end);
    }
  }
  for (const row of siteRows(sites, candidates, measures)) {
    const geometry = pointAt(row.lon, row.lat);
    rows.add(format.begin(geometry) + format.members({ ...row }, columns) + format.end);
    const pause = yieldIfOverdue(waiters);
    if (pause) await pause;
  }
}

function* siteRows(
  sites: readonly LocatedSite[],
  candidates: readonly LocatedSite[],
  measures: SiteMeasures,
) {
  for (const [i, { id, lon, lat, block }] of sites.entries()) {
    const { within, overlap } = measures.sites[i];
    yield { list: 'sites', id, lon, lat, block: block.geoid, within, overlap };
  }
  const choiceOf = new Map(
    measures.chosen.map(({ id, ...choice }, i) => [id, { rank: i + 1, ...choice }]),
  );
  for (const [i, { id, lon, lat, block }] of candidates.entries()) {
    const { gain } = measures.gains[i];
    const chosen = choiceOf.get(id);
    yield { list: 'candidates', id, lon, lat, block: block.geoid, gain, ...(chosen && { chosen }) };
  }
  for (const { lon, lat, block, count } of measures.uncovered) {
    yield { list: 'uncovered', lon, lat, block, count };
  }
}

/** Returns the columns of the table, for formats with columns. */
export function siteColumns(query: {
  readonly minutes: readonly Minutes[];
  readonly choose: number;
  readonly uncovered: number;
}): string[] {
  const byMinutes = (member: string) => query.minutes.map((minute) => `${member}.${minute}`);
  return [
    ...SITES.columns,
    'total',
    ...byMinutes('within'),
    'beyond',
    'no_data',
    ...byMinutes('overlap'),
    ...byMinutes('gain'),
    ...(query.choose > 0 ? ['chosen.rank', 'chosen.gain', 'chosen.total_within'] : []),
    ...(query.uncovered > 0 ? ['count'] : []),
  ];
}
