import { z } from 'zod';
import { BLOCK_GEOID, COUNTY_FIPS } from '../../shards/geoid.ts';
import { SUMS, sum, sumsByMinutes } from '../queries/areas/coverage.ts';
import { modeSchema, rowSchema } from '../queries/rows/row-columns.ts';
import { SITE_FAULTS } from '../queries/sites/locate-sites.ts';
import { SITE_LISTS, type SiteMember } from '../queries/sites/site-table.ts';
import { addressMatch } from './schemas.ts';

export const areaFacts = z
  .object({
    blocks: z.int().min(0),
    land_area_m2: z.number().min(0),
    margin: z.record(z.string(), z.int().min(0).nullable()).meta({
      description:
        'By weight: the noise of the census changed the sum over the blocks, or over any part of ' +
        'them, by no more in 90 of 100 cases; of access, the largest count of the rows. Null ' +
        'where no measure of the error is published.',
    }),
  })
  .meta({
    id: 'AreaFacts',
    description: 'The blocks of an area, their land area, and the margin of counts.',
  });

export const sitesArea = areaFacts
  .extend({ counties: z.array(z.string().regex(COUNTY_FIPS)) })
  .meta({
    id: 'SitesArea',
    description:
      'The blocks that were counted, their land area, the margin of counts, and the counties they lie in.',
  });

export const sitesFrom = z
  .object({
    kind: z.enum(['area', 'near']),
    counties: z.array(z.string().regex(COUNTY_FIPS)),
    outside: z.int().min(0),
  })
  .meta({
    id: 'SitesFrom',
    description:
      'For sites of a type: whether they are the POIs in an `area` of their own, or those `near` ' +
      'the area that was counted; the counties they lie in; how many lie outside what was counted.',
  });

const basketSums = z
  .object({
    all_of: z.array(
      z.object({ type: z.int(), mode: modeSchema, max_minutes: z.number(), nth: z.int() }),
    ),
    total: sum,
    with_all: sum,
    met: z.array(sum).meta({ description: 'By the number of criteria met, from none to all.' }),
    missing_only: z
      .array(sum)
      .meta({ description: 'By criterion: where all others are met but this one is not.' }),
    no_data: sum,
  })
  .meta({ id: 'Basket', description: 'Sums over an area by the criteria that its blocks meet.' });
export const basket = basketSums.nullable();

export const siteId = z.union([z.string(), z.int()]).meta({ description: 'As sent.' });
const siteFault = { type: z.enum(SITE_FAULTS), detail: z.string() };

/** The schema of each column of the table of sites. */
const SITE_MEMBERS: Readonly<Record<SiteMember, z.ZodType>> = {
  list: z.enum(['area', 'sites', 'candidates', 'uncovered']),
  id: siteId,
  lon: z.number(),
  lat: z.number(),
  block: z.string().regex(BLOCK_GEOID),
  match: addressMatch.optional(),
  mode: modeSchema,
  weight: z.string(),
  ...(rowSchema(SUMS).shape as Record<'total' | 'within' | 'beyond' | 'no_data', z.ZodType>),
  overlap: sumsByMinutes.meta({
    description: 'The part of `within` that another site covers too.',
  }),
  gain: sumsByMinutes,
  chosen: z.object({ rank: z.int(), gain: sum, total_within: sum }),
  count: sum,
  error: z.object(siteFault),
};

/** The schema of the items of a list in JSON, which are rows of the table without other columns. */
function itemOf(list: keyof typeof SITE_LISTS) {
  return z.object(Object.fromEntries(SITE_LISTS[list].map((name) => [name, SITE_MEMBERS[name]])));
}

export const siteCoverageRow = itemOf('results').meta({
  id: 'SiteCoverageRow',
  description: 'Sums of a weight over the blocks of an area, by minutes to the nearest site.',
});

export const siteErrors = z.array(
  z.object({
    id: siteId,
    list: z.enum(['sites', 'candidates']).meta({ description: 'The list that it is from.' }),
    ...siteFault,
  }),
);

/** Members of a response about sites, other than its rows. */
export const siteResults = {
  sites: z.array(itemOf('sites')),
  gains: z.array(itemOf('gains')),
  chosen: z.array(z.object({ id: siteId, gain: sum, total_within: sum })),
  uncovered: z.array(itemOf('uncovered')),
  errors: siteErrors,
  precision: z.literal('block'),
};

/** A row of the table of sites, which has the members of its list. */
export const siteRow = z
  .object({ ...SITE_MEMBERS, lon: z.number().nullable(), lat: z.number().nullable() })
  .partial()
  .required({ list: true });
