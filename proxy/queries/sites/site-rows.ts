import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Minutes } from '../../../shards/units.ts';
import { SITES } from '../../formats/row-table.ts';
import type { Rows } from '../../formats/rows.ts';
import { isPoint, numberOrNull } from '../origins/origin-block.ts';
import type { Site, SiteError, SiteList } from './locate-sites.ts';
import type { SiteMeasures } from './measure-sites.ts';

/** The lists of a response, and the sites and candidates as sent. */
interface SiteLists {
  readonly sent: Readonly<Record<SiteList, readonly Site[]>>;
  readonly errors: readonly SiteError[];
  readonly measures: SiteMeasures;
}

/**
 * Adds the lists of a response as one table, for formats that have no lists: a row for each site,
 * then for each candidate, in the order sent, also for those that are left out, with the reason;
 * then for each uncovered block. In CSV, which has nothing but rows, the rows of `results` come
 * first; other formats have these sums beside their rows.
 */
export async function addSiteRows(
  rows: Rows,
  columns: readonly string[],
  lists: SiteLists,
  waiters: Waiters,
): Promise<void> {
  const { format } = rows;
  if (format.name === 'csv') {
    for (const sums of lists.measures.results) {
      rows.add(format.members({ list: 'area', ...sums }, columns) + format.end);
    }
  }
  for (const row of siteRows(lists)) {
    const geometry = isPoint(row) ? pointAt(row.lon, row.lat) : undefined;
    rows.add(format.begin(geometry) + format.members({ ...row }, columns) + format.end);
    const pause = yieldIfOverdue(waiters);
    if (pause) await pause;
  }
}

function* siteRows({ sent, errors, measures }: SiteLists) {
  yield* rowsOfList('sites', sent.sites, measures.sites, errors);
  const choiceOf = new Map(
    measures.chosen.map(({ id, ...choice }, i) => [id, { rank: i + 1, ...choice }]),
  );
  const gains = measures.gains.map((one) => ({ ...one, chosen: choiceOf.get(one.id) }));
  yield* rowsOfList('candidates', sent.candidates, gains, errors);
  for (const { lon, lat, block, count } of measures.uncovered) {
    yield { list: 'uncovered', lon, lat, block, count };
  }
}

/** Yields a row for each site of a list as sent: its measures, or why it is left out. */
function* rowsOfList<M extends { readonly id: Site['id'] }>(
  list: SiteList,
  sent: readonly Site[],
  measured: readonly M[],
  errors: readonly SiteError[],
) {
  const measuresOf = new Map(measured.map((one) => [one.id, one]));
  const errorOf = new Map(errors.filter((one) => one.list === list).map((one) => [one.id, one]));
  for (const { id, lon, lat } of sent) {
    // Text sent as a coordinate is in the detail of the error.
    const place = { lon: numberOrNull(lon), lat: numberOrNull(lat) };
    const { type, detail } = errorOf.get(id) ?? {};
    yield { list, id, ...place, ...measuresOf.get(id), ...(type && { error: { type, detail } }) };
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
    'error.type',
    'error.detail',
  ];
}
