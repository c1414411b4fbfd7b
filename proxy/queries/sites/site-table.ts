import type { Degrees, Minutes } from '../../../shards/units.ts';
import { Columns, type RowMembers } from '../../formats/columns.ts';
import { MATCH_COLUMNS } from '../addresses/address-match.ts';

/** A site or candidate as sent; a coordinate that is no number is null. */
export interface SentSite {
  readonly id: string | number;
  readonly lon: Degrees | null;
  readonly lat: Degrees | null;
}

/** A row of the table; it lacks the members that its list does not have. */
interface SiteRow extends RowMembers, Partial<SentSite> {
  readonly list: 'area' | 'sites' | 'candidates' | 'uncovered';
}

/** Facts about one of the sites and candidates, which its id names. */
interface OfSite extends Pick<SentSite, 'id'> {
  /** The match that was taken for an address. */
  readonly match?: Omit<SentSite, 'id'>;
}

interface SiteLists {
  readonly sent: Readonly<Record<'sites' | 'candidates', readonly SentSite[]>>;
  readonly errors: readonly (OfSite & { list: string; type: string; detail: string })[];
  readonly measures: {
    readonly results: readonly object[];
    readonly sites: readonly OfSite[];
    readonly gains: readonly OfSite[];
    readonly chosen: readonly OfSite[];
    readonly uncovered: readonly object[];
  };
}

/** Yields the rows of the sums of the area, for formats that have nothing but rows. */
export function* areaRows({ measures }: Pick<SiteLists, 'measures'>): Generator<SiteRow> {
  for (const sums of measures.results) yield { list: 'area', ...sums };
}

/**
 * Yields the lists of a response as one table, for formats that have no lists: a row for each site,
 * then for each candidate, in the order sent, also for those that are left out, with the reason;
 * then for each uncovered block.
 */
export function* siteRows({ sent, errors, measures }: SiteLists): Generator<SiteRow> {
  yield* rowsOfList('sites', sent.sites, measures.sites, errors);
  const choiceOf = new Map(
    measures.chosen.map(({ id, ...choice }, i) => [id, { rank: i + 1, ...choice }]),
  );
  const gains = measures.gains.map((one) => ({ ...one, chosen: choiceOf.get(one.id) }));
  yield* rowsOfList('candidates', sent.candidates, gains, errors);
  for (const block of measures.uncovered) yield { list: 'uncovered', ...block };
}

function* rowsOfList(
  list: 'sites' | 'candidates',
  sent: readonly SentSite[],
  measured: readonly OfSite[],
  errors: SiteLists['errors'],
): Generator<SiteRow> {
  const measuresOf = new Map(measured.map((one) => [one.id, one]));
  const errorOf = new Map(errors.filter((one) => one.list === list).map((one) => [one.id, one]));
  for (const { id, lon, lat } of sent) {
    const fault = errorOf.get(id);
    const error = fault && { type: fault.type, detail: fault.detail };
    const measures = measuresOf.get(id);
    const at = measures?.match ?? { lon, lat };
    yield { list, id, lon: at.lon, lat: at.lat, ...measures, error };
  }
}

/** The members of each list in JSON, all of which are columns of the table. */
export const SITE_LISTS = {
  results: ['mode', 'weight', 'total', 'within', 'beyond', 'no_data'],
  sites: ['id', 'block', 'within', 'overlap', 'match'],
  gains: ['id', 'block', 'gain', 'match'],
  uncovered: ['block', 'lon', 'lat', 'count'],
} as const satisfies Readonly<Record<string, readonly SiteMember[]>>;

export type SiteMember = keyof ReturnType<typeof membersOf>;

function membersOf(minutes: readonly Minutes[]) {
  const sums = Object.fromEntries(minutes.map((minute) => [String(minute), 'double' as const]));
  const choice = { rank: 'double', gain: 'double', total_within: 'double' } as const;
  return {
    list: { type: 'string' },
    id: { type: 'string' },
    lon: { type: 'double' },
    lat: { type: 'double' },
    block: { type: 'string' },
    match: { type: MATCH_COLUMNS },
    mode: { type: 'string' },
    weight: { type: 'string' },
    total: { type: 'double' },
    within: { type: sums },
    beyond: { type: 'double' },
    no_data: { type: 'double' },
    overlap: { type: sums },
    gain: { type: sums },
    chosen: { type: choice },
    count: { type: 'double' },
    error: { type: { type: 'string', detail: 'string' } },
  } as const;
}

export function siteColumns({
  minutes,
  choose,
  uncovered,
  hasAddresses,
}: {
  readonly minutes: readonly Minutes[];
  readonly choose: number;
  readonly uncovered: number;
  readonly hasAddresses: boolean;
}): Columns<SiteRow> {
  const { match, chosen, count, error, ...always } = membersOf(minutes);
  return new Columns<SiteRow>({
    ...always,
    ...(hasAddresses && { match }),
    ...(choose > 0 && { chosen }),
    ...(uncovered > 0 && { count }),
    error,
  });
}
