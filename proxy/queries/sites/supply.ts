import { z } from 'zod';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import { type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import { linkModeOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes } from '../../../shards/units.ts';
import type { QueryResult } from '../../endpoint.ts';
import { allColumns, Columns, NO_COLUMNS } from '../../formats/columns.ts';
import { invalidMember } from '../../http/problem.ts';
import { tokensExhausted } from '../../metering/charges.ts';
import { PLANS } from '../../plans.ts';
import type { QueryContext } from '../../services.ts';
import type { AddressMatch } from '../addresses/address-match.ts';
import { type Area, areaFactsOf } from '../areas/area.ts';
import {
  type AreaKind,
  AVERAGED,
  areaGeoid,
  areasOfBlocks,
  BLOCK_OR_AREA,
} from '../areas/areas-of-blocks.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { statedTiming } from '../modes-and-types.ts';
import type { Decay } from '../opportunities/decay.ts';
import { rowSchema } from '../rows/row-columns.ts';
import type { LocatedSites, SiteError, SiteSource } from './locate-sites.ts';
import { blocksReached, type Reaching, reachesOf } from './site-reach.ts';
import { locateQuery, NO_SITES, priceOfMany, sourceFacts } from './sites.ts';
import { readWeight, WeightedArea } from './weighted-area.ts';

/** Ratios are of a capacity to this many of the weight. */
export const PER = 1_000;

/** The supply of sites with a capacity, and the blocks that a request lists. */
export interface SupplyQuery extends Omit<Reaching, 'release'> {
  readonly sites: SiteSource;
  /** Null for all blocks within reach of any site. */
  readonly area: Area | null;
  /** Null for a row per block. */
  readonly by: AreaKind | null;
  readonly weight: string;
  /** The least sum of the weight of which an average is stated. */
  readonly least: number;
  /** Size of a catchment. */
  readonly minutes: Minutes;
  /** As sent, and as a function; null for `step`. */
  readonly decay: { readonly text: string; readonly of: Decay | null };
}

export interface LocatedSupply extends SupplyQuery {
  /** The blocks of the area; null for all within reach. */
  readonly parts: readonly CountyBlocks[] | null;
  readonly located: LocatedSites;
}

export async function locateSupply(release: Release, query: SupplyQuery): Promise<LocatedSupply> {
  const { parts, located } = await locateQuery(release, { ...query, candidates: NO_SITES });
  return { ...query, parts, located: located.sites };
}

/**
 * The price of the sites, to which a token a row is added; undefined until they are located, as a
 * price that follows from the request would be stated to an account that cannot pay it.
 */
export function priceOfSupply(query: SupplyQuery | LocatedSupply): number | undefined {
  return 'located' in query ? priceOfMany(query.located.located.length) : undefined;
}

/** A site, its demand, and its capacity per `PER` of the demand; null without any demand. */
interface SuppliedSite {
  readonly id: string | number;
  readonly block: Geoid;
  readonly match?: AddressMatch;
  readonly capacity: number;
  readonly demand: number;
  readonly ratio: number | null;
}

interface SupplyRow {
  readonly geoid: string;
  readonly supply: number;
  /** The weight of all blocks, and of those that the average leaves out; absent for blocks. */
  readonly total?: number;
  readonly no_data?: number;
}

const ROW = new Columns<SupplyRow>({
  ...BLOCK_OR_AREA.members,
  supply: {
    type: 'double',
    schema: z
      .number()
      .min(0)
      .meta({
        description: `Capacity per ${PER} of the weight, to six significant digits; with \`by\`, the average.`,
      }),
  },
});

export const supplyRow = rowSchema(ROW, AVERAGED).meta({
  id: 'SupplyRow',
  description: 'The sum of the ratios of the sites within reach of a block, or its average.',
});

interface TableRow extends Partial<SuppliedSite>, Partial<SupplyRow> {
  readonly list: string;
  readonly error?: SiteError;
}

/** Sites and rows as one table, for formats that have no lists. */
const TABLE = new Columns<TableRow>({
  list: { type: 'string' },
  id: { type: 'string' },
  block: { type: 'string' },
  capacity: { type: 'double' },
  demand: { type: 'double' },
  ratio: { type: 'double' },
  geoid: { type: 'string' },
  supply: { type: 'double' },
});
const ERROR = new Columns<TableRow>({ error: { type: { type: 'string', detail: 'string' } } });

/**
 * Computes supply by two-step floating catchment areas (Luo and Wang, 2003); with a decay by
 * enhanced ones (E2SFCA; Luo and Qi, 2009), whose weights here are those of each minute.
 */
export async function querySupply(
  release: Release,
  { format, config }: Pick<QueryContext, 'format' | 'config'>,
  query: LocatedSupply,
  balance: number,
): Promise<QueryResult> {
  const { located, errors, all } = query.located;
  const reaching = { release, mode: query.mode, direction: query.direction };
  const price = priceOfMany(located.length);
  const requirePaid = (rows: number) => {
    if (price + rows * PLANS.charges.row > balance) throw tokensExhausted(balance);
  };
  /** Refuses blocks whose rows cannot be paid for or sent, before anything is computed. */
  const requireRows = async (parts: readonly CountyBlocks[]) => {
    if (query.by !== null) return;
    const rows = await linkedBlocks(query, parts, release);
    requirePaid(rows);
    if (rows <= config.batchRowBudget) return;
    const msg = `${rows} blocks are more than the ${config.batchRowBudget} rows of a response: send a smaller area, or by`;
    throw invalidMember('area', msg, 'too_big');
  };
  if (query.parts) await requireRows(query.parts);
  const reached = await blocksReached(located, query.minutes, reaching);
  const parts = query.parts ?? reached;
  if (!query.parts) await requireRows(reached);
  // Demand is that of all blocks within reach, whether or not they are in the area.
  const demand = new WeightedArea(reached, await readWeight(reached, query.weight, reaching));
  const { sites, supply } = await supplyOf(query, demand, reaching);
  const rows = await rowsOf(query, parts, demand, supply, release);
  requirePaid(rows.length);
  const assumed = located.filter(({ capacity }) => capacity === undefined).length;
  const body = {
    area: await areaFactsOf(release, parts, [query.weight]),
    ...sourceFacts(query.sites, query.located, parts),
    formula: {
      ...formulaOf(query, assumed),
      ...statedTiming(release, [release.services[query.mode].mode]),
    },
    errors,
    precision: 'block',
  };
  const tokens = price + rows.length * PLANS.charges.row;
  const averaged = query.by === null ? NO_COLUMNS : AVERAGED;
  if (format.name === 'json') {
    const results = format.rows(allColumns([ROW, averaged]));
    const add = results.of(ROW, averaged);
    for (const row of rows) {
      add(row, row);
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
    }
    return { body: { ...body, sites, results }, tokens };
  }
  const table = format.rows(allColumns([TABLE, averaged, ERROR]));
  const addTo = table.of(TABLE, averaged, ERROR);
  const add = (row: TableRow) => addTo(row, row, row);
  const suppliedOf = new Map(sites.map((site) => [site.id, site]));
  const errorOf = new Map(errors.map((error) => [error.id, error]));
  for (const { id } of all) {
    const error = errorOf.get(id);
    add({ list: 'sites', id, ...suppliedOf.get(id), ...(error && { error }) });
  }
  for (const row of rows) {
    add({ list: query.by ?? 'blocks', ...row });
    const pause = release.turns.yieldIfOverdue();
    if (pause) await pause;
  }
  return { body: { ...body, rows: table }, tokens };
}

/** Both steps in one pass, as the demand of a site does not depend on other sites. */
async function supplyOf(
  { located: { located }, minutes, decay }: LocatedSupply,
  demand: WeightedArea,
  reaching: Reaching,
): Promise<{ sites: SuppliedSite[]; supply: Float64Array }> {
  const { counts } = demand.weight;
  const supply = new Float64Array(demand.count);
  const sites: SuppliedSite[] = [];
  const weightAt = Array.from({ length: minutes + 1 }, (_, minute) => decay.of?.(minute) ?? 1);
  let next = 0;
  for await (const reach of reachesOf(located, demand, reaching)) {
    const { id, block, match, capacity = 1 } = located[next++];
    let sum = 0;
    for (let i = 0; i < reach.positions.length; i++) {
      if (reach.minutes[i] > minutes) continue;
      sum += counts[reach.positions[i]] * weightAt[reach.minutes[i]];
    }
    // A ratio is of the demand that is stated, which may be rounded to 0.
    const demanded = Math.round(1_000 * sum) / 1_000;
    const ratio = demanded > 0 ? (PER * capacity) / sum : null;
    for (let i = 0; ratio !== null && i < reach.positions.length; i++) {
      if (reach.minutes[i] > minutes) continue;
      supply[reach.positions[i]] += ratio * weightAt[reach.minutes[i]];
    }
    const rounded = ratio === null ? null : significant(ratio);
    const place = { id, block: block.geoid, ...(match && { match }) };
    sites.push({ ...place, capacity, demand: demanded, ratio: rounded });
  }
  return { sites, supply };
}

/** The number of blocks that the mode could be routed from, which have a row each. */
async function linkedBlocks(
  { mode }: SupplyQuery,
  parts: readonly CountyBlocks[],
  { services, turns }: Release,
): Promise<number> {
  const street = linkModeOf(services[mode].mode);
  let linked = 0;
  for (const { index, ordinals } of parts) {
    for (const block of ordinals) if (index.isLinked(block, street)) linked++;
    await turns.yieldIfOverdue();
  }
  return linked;
}

/** The rows of blocks, or of the areas that they are in, by GEOID. */
async function rowsOf(
  { by, weight, least, mode }: SupplyQuery,
  parts: readonly CountyBlocks[],
  { geoids }: WeightedArea,
  supply: Float64Array,
  release: Release,
): Promise<SupplyRow[]> {
  const street = linkModeOf(release.services[mode].mode);
  const rows: SupplyRow[] = [];
  const areas = new Map<number, { sum: number; known: number; total: number }>();
  let at = 0;
  for (const { county, index, ordinals } of parts) {
    const weights = by && (await release.weightCounts(county, weight));
    const areaOf = by && (await areasOfBlocks(release, county, index, by));
    for (const block of ordinals) {
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
      const geoid = index.geoids[block];
      while (at < geoids.length && geoids[at] < geoid) at++;
      const isLinked = index.isLinked(block, street);
      const value = geoids[at] === geoid ? supply[at] : 0;
      if (!weights || !areaOf) {
        if (isLinked) rows.push({ geoid: geoidFromNumber(geoid), supply: significant(value) });
        continue;
      }
      const id = areaOf(block);
      if (id === 0 || weights[block] === 0) continue;
      const area = getOrInsertComputed(areas, id, () => ({ sum: 0, known: 0, total: 0 }));
      area.total += weights[block];
      if (!isLinked) continue;
      area.sum += value * weights[block];
      area.known += weights[block];
    }
  }
  if (by === null) return rows;
  return [...areas]
    .filter(([, { known }]) => known > 0 && known >= least)
    .sort(([a], [b]) => a - b)
    .map(([id, { sum, known, total }]) => ({
      geoid: areaGeoid(id, by),
      supply: significant(sum / known),
      total,
      no_data: total - known,
    }));
}

function significant(value: number): number {
  return Number(value.toPrecision(6));
}

/** The formula in words; `assumed`: number of sites without a capacity. */
function formulaOf({ minutes, decay, weight, direction }: SupplyQuery, assumed: number) {
  const f = decay.of ? decay.text : '1';
  const t = direction === 'to' ? 't(block, site)' : 't(site, block)';
  return {
    method: decay.of ? 'E2SFCA (Luo and Qi, 2009)' : '2SFCA (Luo and Wang, 2003)',
    ratio: `${PER} * capacity / demand; demand = sum over blocks of ${weight} * f(${t})`,
    supply: `sum over sites of ratio * f(${t})`,
    f: `${f} up to ${minutes} minutes, 0 beyond`,
    per: PER,
    minutes,
    decay: decay.text,
    capacity_assumed: assumed,
  };
}
