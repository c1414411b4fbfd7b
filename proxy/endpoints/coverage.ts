import { z } from 'zod';
import type { Release } from '../../shards/release/release.ts';
import { BOUNDS } from '../bounds.ts';
import { meteredEndpoint, postEndpoint, type QueryResult } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { allOfIfAny } from '../fields/criteria.ts';
import { members, parameters } from '../fields/field.ts';
import { countyOfPath, placeGeoid } from '../fields/locations.ts';
import { by, destType, mode, names, oneNth, small, WINDOW, weight } from '../fields/rows.ts';
import { allColumns } from '../formats/columns.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { PLANS } from '../plans.ts';
import { type Area, areaFactsOf, findCounty, someBlocksOfArea } from '../queries/areas/area.ts';
import {
  BasketSums,
  type Criterion,
  type CriterionParams,
  criteriaBits,
  requestedCriteria,
} from '../queries/areas/basket.ts';
import {
  type CoverageQuery,
  CoverageSums,
  coverageObjects,
  coverageParts,
  coverageRow,
  requestedCoverage,
} from '../queries/areas/coverage.ts';
import type { CountyBlocks } from '../queries/areas/drawn-blocks.ts';
import { locatePlace } from '../queries/areas/places.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { areaFacts, basket } from '../schemas/coverage-schemas.ts';
import type { QueryContext } from '../services.ts';

const SUMS =
  'For each type, mode and weight: the sum over the blocks of the area that are within 5, 10, … ' +
  `${BOUNDS.maxMinutes.max} minutes of the \`nth\` nearest POI (cumulative), beyond, and \`no_data\`, ` +
  'where the mode could not be routed from the block. `total` is always `within["30"]` + `beyond` ' +
  '+ `no_data`. Ordered by type id, mode id, then weight as sent. With `by`, groups such as ' +
  '`hispanic` or `workers_low_wage` have rows after that of `weight`, and all rows the `share` ' +
  'within the minutes, its `ratio` to that of `weight`, and the `gini` of the minutes (twice the ' +
  'area between their Lorenz curve and the diagonal). ' +
  `One token a row, at least ${PLANS.charges.area_minimum}.`;

const RESPONSE = z.object({ area: areaFacts, results: z.array(coverageRow), basket });

interface ResolvedCoverage extends ResolvedQuery {
  readonly area: Area;
  readonly query: CoverageQuery;
}

const SUMMED = {
  mode,
  ...WINDOW,
  type: destType,
  weight,
  by,
  small,
  nth: oneNth,
  names,
};
const SUMS_OF_AREA = {
  query: parameters(SUMMED),
  rows: { geometry: null },
  response: RESPONSE,
  price: ({ query }: ResolvedCoverage) => priceOf(query, null),
  respond: async (release: Release, { area, query }: ResolvedCoverage, context: QueryContext) =>
    sumsOf(release, context, await someBlocksOfArea(release, area), query, null),
};

const placeCoverage = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/coverage',
  operationId: 'getPlaceCoverage',
  summary: 'People of a city or town by minutes to the nearest POI of each type',
  description: `The area is the blocks whose centre is in the place. ${SUMS}`,
  tag: 'Coverage',
  params: parameters({ geoid: placeGeoid }),
  ...SUMS_OF_AREA,
  responseDescription: 'The sums of the place.',
  problems: ['place-not-found'],

  async resolve(release, { params: { geoid }, query: asked }): Promise<ResolvedCoverage> {
    const { place, state } = await locatePlace(release, geoid);
    const { query, resolved } = requestedCoverage(release, asked);
    const counties = place.counties.map((fips) => release.county(fips)!);
    return {
      canonical: canonicalRequest('place-coverage', { geoid, ...resolved }),
      dependsOn: [
        state.objects.places,
        ...counties.flatMap((county) => coverageObjects(release, county, query)),
      ],
      area: { kind: 'places', geoids: [geoid] },
      query,
    };
  },
});

const countyCoverage = meteredEndpoint({
  access: 'metered',
  path: '/v1/counties/{fips}/coverage',
  operationId: 'getCountyCoverage',
  summary: 'People of a county by minutes to the nearest POI of each type',
  description: `The area is all blocks of the county. ${SUMS}`,
  tag: 'Coverage',
  params: parameters({ fips: countyOfPath }),
  ...SUMS_OF_AREA,
  responseDescription: 'The sums of the county.',
  problems: ['county-not-found'],

  resolve(release, { params: { fips }, query: asked }): ResolvedCoverage {
    const county = findCounty(release, fips);
    const { query, resolved } = requestedCoverage(release, asked);
    return {
      canonical: canonicalRequest('county-coverage', { fips, ...resolved }),
      dependsOn: coverageObjects(release, county, query),
      area: { kind: 'counties', fips: [fips] },
      query,
    };
  },
});

interface RequestedBasket {
  readonly all_of: readonly CriterionParams[];
  readonly criteria: readonly Criterion[];
}

const postCoverage = postEndpoint({
  access: 'posted',
  path: '/v1/coverage',
  operationId: 'measureCoverage',
  summary: 'People of any area by minutes to the nearest POIs, and who has all of a basket',
  description:
    `${SUMS} With \`all_of\`, a basket of up to 8 criteria, \`basket\` says how much of the first ` +
    'weight is at blocks that meet all of them, by the number met (`met[i]`: exactly `i`), and at ' +
    'those that miss only one (`missing_only[j]`: criterion `j`). A block counts in `no_data` if ' +
    'a criterion is not known and none fails. A parent type is met by any of its leaves. ' +
    `${PLANS.charges.basket} tokens a basket, beside those of the rows.`,
  tag: 'Coverage',
  body: members({
    area,
    ...SUMMED,
    all_of: allOfIfAny,
  }),
  requestExample: (marks) => ({
    area: smallArea(marks),
    mode: [marks.mode],
    type: [marks.type],
    all_of: [{ type: marks.type, mode: marks.mode, max_minutes: marks.maxMinutes }],
  }),
  rows: { geometry: null },
  responseDescription: 'The sums of the area.',
  response: RESPONSE,
  problems: [...AREA_PROBLEMS, 'point-not-covered'],

  async resolve(release, { area, all_of, ...asked }) {
    const { query } = requestedCoverage(release, asked, 'body');
    const criteria = all_of && requestedCriteria(release, all_of);
    const basket = criteria
      ? { criteria, all_of: all_of.map((one, i) => ({ ...one, type: criteria[i].type })) }
      : null;
    return { area: await requestedArea(area, release.turns), query, basket };
  },

  locate: async (release, resolved) => ({
    ...resolved,
    parts: await someBlocksOfArea(release, resolved.area),
  }),
  price: ({ query, basket }) => priceOf(query, basket),
  respond: (release, { parts, query, basket }, context) =>
    sumsOf(release, context, parts, query, basket),
});

function priceOf({ types, modes, weights }: CoverageQuery, basket: RequestedBasket | null): number {
  const { row, basket: price, area_minimum } = PLANS.charges;
  const rows = types.length * modes.length * weights.length;
  return Math.max(area_minimum, rows * row + (basket ? price : 0));
}

async function sumsOf(
  release: Release,
  { format }: QueryContext,
  parts: readonly CountyBlocks[],
  query: CoverageQuery,
  basket: RequestedBasket | null,
): Promise<QueryResult> {
  const sums = new CoverageSums(release, query);
  const basketSums = basket && new BasketSums(basket.criteria.length);
  for (const part of parts) {
    await sums.add(part);
    if (!basket || !basketSums) continue;
    const bits = await criteriaBits(release, part, basket.criteria);
    basketSums.add(part.ordinals, bits, await release.weightCounts(part.county, query.weights[0]));
  }
  const results = format.rows(allColumns(coverageParts(query)));
  await sums.addTo(results);
  const body = {
    area: await areaFactsOf(release, parts, query.weights),
    results,
    basket: basket && basketSums ? basketSums.result(basket.all_of) : null,
  };
  return { body, tokens: priceOf(query, basket) };
}

export const coverage = [placeCoverage, countyCoverage, postCoverage];
