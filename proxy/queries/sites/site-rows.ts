import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Minutes } from '../../../shards/units.ts';
import { SITES } from '../../formats/row-table.ts';
import type { Rows } from '../../formats/rows.ts';
import type { LocatedSite } from './locate-sites.ts';
import type { UncoveredBlock } from './uncovered-blocks.ts';

/** Sums by minutes, as in a response. */
export type SumsByMinutes = Readonly<Record<string, number>>;

/** The lists of a response about sites. */
export interface SiteLists {
  readonly sites: readonly { readonly within: SumsByMinutes; readonly overlap: SumsByMinutes }[];
  readonly gains: readonly { readonly gain: SumsByMinutes }[];
  readonly chosen: readonly {
    readonly id: LocatedSite['id'];
    readonly gain: number;
    readonly total_within: number;
  }[];
  readonly gaps: readonly UncoveredBlock[];
}

/**
 * The lists of a response as one table, for formats that have no lists: a row for each site, then
 * for each candidate, in the order of `sites` and `gains`, then for each uncovered block.
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
    const { within, overlap } = lists.sites[i];
    add(site, 'sites', { within, overlap });
  }
  const choiceOf = new Map(
    lists.chosen.map(({ id, ...choice }, i) => [id, { rank: i + 1, ...choice }]),
  );
  for (const [i, site] of candidates.entries()) {
    const chosen = choiceOf.get(site.id);
    add(site, 'candidates', { gain: lists.gains[i].gain, ...(chosen && { chosen }) });
  }
  for (const { lon, lat, block, count } of lists.gaps) {
    const row = { list: 'uncovered', lon, lat, block, count };
    rows.add(format.begin(pointAt(lon, lat)) + format.members(row, columns) + format.end);
  }
}

/** The columns of the table, in formats that have them. */
export function siteColumns(query: {
  readonly minutes: readonly Minutes[];
  readonly choose: number;
  readonly uncovered: number;
}): string[] {
  const sums = ['within', 'overlap', 'gain'];
  return [
    ...SITES.columns,
    ...sums.flatMap((member) => query.minutes.map((minute) => `${member}.${minute}`)),
    ...(query.choose > 0 ? ['chosen.rank', 'chosen.gain', 'chosen.total_within'] : []),
    ...(query.uncovered > 0 ? ['count'] : []),
  ];
}
