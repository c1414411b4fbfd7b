import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Minutes } from '../../../shards/units.ts';
import { SITES } from '../../formats/row-table.ts';
import type { Rows } from '../../formats/rows.ts';
import type { LocatedSite } from './site-coverage.ts';

/** Sums by minutes, as in a response. */
export type SumsByMinutes = Readonly<Record<string, number>>;

/** The lists of a response about sites. */
export interface SiteLists {
  readonly sites: readonly { readonly within: SumsByMinutes }[];
  readonly gains: readonly { readonly gain: SumsByMinutes }[];
  readonly chosen: readonly {
    readonly id: LocatedSite['id'];
    readonly gain: number;
    readonly total_within: number;
  }[];
}

/**
 * The lists of a response as one table, for formats that have no lists: a row for each site, then
 * for each candidate, in the order of `sites` and `gains`.
 */
export function addSiteRows(
  rows: Rows,
  columns: readonly string[],
  sites: readonly LocatedSite[],
  candidates: readonly LocatedSite[],
  lists: SiteLists,
): void {
  const { format } = rows;
  const add = ({ id, lon, lat, block }: LocatedSite, list: string, measures: object) => {
    const row = { list, id, lon, lat, block: block.geoid, ...measures };
    rows.add(format.begin(pointAt(lon, lat)) + format.members(row, columns) + format.end);
  };
  for (const [i, site] of sites.entries()) {
    add(site, 'sites', { within: lists.sites[i].within });
  }
  const choiceOf = new Map(
    lists.chosen.map(({ id, ...choice }, i) => [id, { rank: i + 1, ...choice }]),
  );
  for (const [i, site] of candidates.entries()) {
    const chosen = choiceOf.get(site.id);
    add(site, 'candidates', { gain: lists.gains[i].gain, ...(chosen && { chosen }) });
  }
}

/** The columns of the table, in formats that have them. */
export function siteColumns(minutes: readonly Minutes[], isChoosing: boolean): string[] {
  return [
    ...SITES.columns,
    ...minutes.map((minute) => `within.${minute}`),
    ...minutes.map((minute) => `gain.${minute}`),
    ...(isChoosing ? ['chosen.rank', 'chosen.gain', 'chosen.total_within'] : []),
  ];
}
