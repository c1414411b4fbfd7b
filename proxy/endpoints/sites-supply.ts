import { z } from 'zod';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { BOUNDS } from '../bounds.ts';
import { postEndpoint } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { members, optional, required, withDefault } from '../fields/field.ts';
import { integer } from '../fields/kinds.ts';
import { ACCESS, AREA_ACCESS, directionLabel } from '../fields/opportunities.ts';
import { modeLabel, WINDOW, weightName } from '../fields/rows.ts';
import { supplySites } from '../fields/sites.ts';
import { invalidMember } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import { checkAreaKind } from '../queries/areas/areas-of-blocks.ts';
import { leastAveraged } from '../queries/areas/group-measures.ts';
import { requestedWeights } from '../queries/block-weights.ts';
import { modePosition } from '../queries/modes-and-types.ts';
import { decayOf } from '../queries/opportunities/decay.ts';
import { checkDirection } from '../queries/origins/near-points.ts';
import { NO_SITES, refuseMisplaced } from '../queries/sites/sites.ts';
import {
  type LocatedSupply,
  locateSupply,
  PER,
  priceOfSupply,
  querySupply,
  type SupplyQuery,
  supplyRow,
} from '../queries/sites/supply.ts';
import { areaFacts, siteErrors, siteId, sitesFrom } from '../schemas/coverage-schemas.ts';
import { addressMatch, statedTiming } from '../schemas/schemas.ts';
import { isNone, sourceOfSites } from './sites-coverage.ts';

/** The sizes of catchments where none is sent: with `step`, and with another decay. */
const DEFAULT_MINUTES = { step: 30, decay: 60 };

export const sitesSupply = postEndpoint({
  access: 'posted',
  path: '/v1/sites/supply',
  operationId: 'measureSupply',
  summary: 'Capacity of your sites per 1,000 people at each block, given all who compete for it',
  description:
    'Two-step floating catchment areas (2SFCA; Luo and Wang, 2003). The `ratio` of a site is its ' +
    `\`capacity\` per ${PER} of its \`demand\`: the weight of all blocks of the release within ` +
    '`minutes`, in the area or not. The `supply` of a block is the sum of the ratios of the sites ' +
    'within `minutes` of it. With a `decay`, both sums are weighted by time (E2SFCA; Luo and Qi, ' +
    '2009). `formula` states what was computed. Sites without a capacity, and the POIs of a type, ' +
    'count as 1 each; `capacity_assumed` says how many. A site without demand has the ratio null, ' +
    'and supplies nothing. `results`: a row per block of the area, or per tract, place or county ' +
    'of its blocks, averaged by the weight; without `area`, per block that any site reaches. A ' +
    'block that the mode could not be routed from has no row, and counts in no average: rows of ' +
    'averages state the weight of all their blocks (`total`), and of those left out (`no_data`). In CSV, ' +
    'NDJSON and Parquet, sites (`list`: `sites`) come before the rows. One token a site that has a ' +
    `block to route from, at least ${PLANS.charges.sites_minimum}, and one a row.`,
  tag: 'Coverage',
  body: members({
    sites: supplySites,
    area,
    by: AREA_ACCESS.by,
    mode: required(modeLabel),
    ...WINDOW,
    direction: withDefault(directionLabel, 'to', {
      description: 'Towards the site, or away from it.',
    }),
    weight: optional(
      { json: weightName },
      { description: 'The demand, by block; `/v1/meta/weights` lists weights. Omitted: `people`.' },
    ),
    minutes: optional(integer(BOUNDS.contour), {
      description: `Size of the catchments. Omitted: ${DEFAULT_MINUTES.step}, or ${DEFAULT_MINUTES.decay} with a \`decay\`.`,
    }),
    decay: ACCESS.decay,
    small: AREA_ACCESS.small,
  }),
  requestExample: (marks) => ({
    sites: [{ id: 'here', ...marks.point, capacity: 4 }],
    area: smallArea(marks),
    by: 'county',
    mode: marks.mode,
    minutes: 10,
  }),
  rows: { geometry: null },
  responseDescription: 'The sites, and the supply of blocks or areas.',
  response: z.object({
    area: areaFacts,
    sites_from: sitesFrom.optional(),
    formula: z
      .object({
        method: z.string(),
        ratio: z.string(),
        supply: z.string(),
        f: z.string(),
        per: z.int(),
        minutes: z.int(),
        decay: z.string(),
        ...statedTiming,
        capacity_assumed: z.int().min(0),
      })
      .meta({
        description: 'The definitions of what was computed, and how many sites have no capacity.',
      }),
    errors: siteErrors,
    precision: z.literal('block'),
    sites: z.array(
      z.object({
        id: siteId,
        block: z.string().regex(BLOCK_GEOID),
        match: addressMatch.optional(),
        capacity: z.number().min(0),
        demand: z.number().min(0),
        ratio: z.number().min(0).nullable(),
      }),
    ),
    results: z.array(supplyRow),
  }),
  problems: [...AREA_PROBLEMS, 'point-not-covered', 'direction-not-available'],

  async resolve(release, body): Promise<SupplyQuery> {
    const { sites, mode, direction, by = null, decay: text } = body;
    const asked = body.weight === undefined ? undefined : [body.weight];
    if (isNone(sites)) throw invalidMember('sites', 'send at least one site', 'too_small');
    if (by && !body.area)
      throw invalidMember('by', 'averages are of the blocks of an area: send one', 'missing');
    checkAreaKind([release], by, 'body');
    const area = body.area ? await requestedArea(body.area, release.turns) : null;
    const decay = decayOf(text) ?? null;
    const minutes = body.minutes ?? (decay ? DEFAULT_MINUTES.decay : DEFAULT_MINUTES.step);
    const source = await sourceOfSites(release, sites, area, minutes);
    refuseMisplaced(release, { sites: source, candidates: NO_SITES });
    checkDirection(release, direction);
    const [weight] = requestedWeights(release, asked, 'body');
    return {
      sites: source,
      area,
      by,
      mode: modePosition(release, mode, 'body'),
      direction,
      weight,
      least: leastAveraged(weight, body.small),
      minutes,
      decay: { text, of: decay },
    };
  },

  locate: locateSupply,
  price: priceOfSupply,
  leastPrice: PLANS.charges.sites_minimum,
  respond: (release, query: LocatedSupply, context, balance) =>
    querySupply(release, context, query, balance),
});
