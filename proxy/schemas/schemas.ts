import { z } from 'zod';
import { UNLINKED_REASONS } from '../../shards/blocks/block-index.ts';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { BOUNDS } from '../bounds.ts';
import { MISSING_REASONS } from '../queries/areas/block-rows.ts';

const MAX_MINUTES = BOUNDS.maxMinutes.max;

const tenthsOfMinutes = z
  .number()
  .min(1)
  .max(MAX_MINUTES)
  .meta({
    description: `Minutes, one decimal. POIs more than ${MAX_MINUTES} minutes away have no row.`,
    example: 12.3,
  });

export const modeLabel = z.enum(MODE_LABELS).meta({ id: 'Mode', description: 'Travel mode.' });

const address = z
  .object({
    street: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    zip: z.string().nullable(),
  })
  .meta({ id: 'Address' });

export const blockMetadata = z
  .object({
    geoid: z.string().regex(BLOCK_GEOID),
    population: z.int().min(0).nullable(),
    land_area_m2: z.number().min(0).nullable(),
  })
  .meta({ id: 'BlockMetadata' });

/** The labels of rows that `names` adds. */
const destTypeLabel = z
  .string()
  .optional()
  .meta({ description: 'With `names`: the label of the type.' });
const poiName = z.string().optional().meta({ description: 'With `names`: the name of the POI.' });

const nthOfRow = z
  .int()
  .min(BOUNDS.nth.min)
  .max(BOUNDS.nth.max)
  .optional()
  .meta({ description: 'With `nth`: the time is to the n-th nearest POI of the type.' });
const countOfRow = z.int().min(0).optional().meta({
  description: 'With `count_within`: the number of POIs of the type within so many minutes.',
});

export const categoryTime = z
  .object({
    dest_type_id: z.int(),
    dest_type: destTypeLabel,
    mode: modeLabel,
    travel_time: tenthsOfMinutes,
    nth: nthOfRow,
    count: countOfRow,
  })
  .meta({ id: 'CategoryTime', description: 'Minutes to the nearest POI of a type, by one mode.' });

export const poiTime = z
  .object({
    dest_id: z.int(),
    dest_types: z
      .array(z.string())
      .optional()
      .meta({ description: 'With `names`: the labels of the types of the POI.' }),
    mode: modeLabel,
    travel_time: tenthsOfMinutes,
    name: z.string(),
    lon: z.number(),
    lat: z.number(),
    address,
  })
  .meta({ id: 'PoiTime', description: 'Minutes to one POI, by one mode.' });

export const poiResult = z
  .object({ dest_id: z.int(), name: z.string(), lat: z.number(), lon: z.number(), address })
  .meta({ id: 'PoiSearchResult' });

export const poiDetail = z
  .object({
    dest_id: z.int(),
    name: z.string(),
    lat: z.number(),
    lon: z.number(),
    address,
    type_ids: z.array(z.int()),
    attrs: z.object({ brand: z.string().optional() }),
  })
  .meta({ id: 'PoiDetail' });

export const catchmentRow = z
  .object({
    dest_id: z.int(),
    name: poiName,
    geoid: z.string().regex(BLOCK_GEOID),
    mode: modeLabel,
    travel_time: tenthsOfMinutes,
  })
  .meta({ id: 'CatchmentRow', description: 'Minutes from a block to one POI, by one mode.' });

export const arealRow = z
  .object({
    geoid: z.string().regex(BLOCK_GEOID),
    dest_type_id: z.int(),
    dest_type: destTypeLabel,
    mode_id: z.int(),
    mode: modeLabel,
    travel_time: tenthsOfMinutes.nullable().meta({
      description: 'Minutes, one decimal; null only in rows added by `include_missing`.',
    }),
    nth: nthOfRow,
    count: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .meta({
        description:
          'With `count_within`: the number of POIs of the type within so many minutes; null where ' +
          '`reason` is `no-data`.',
      }),
    reason: z.enum(MISSING_REASONS).optional().meta({
      description:
        'Only where `travel_time` is null: too far, or the mode could not be routed from the block.',
    }),
    population: z.int().min(0).nullable().optional(),
  })
  .meta({
    id: 'ArealBlockResult',
    description: 'Minutes from a block of an area to the nearest POI of a type, by one mode.',
  });

const sum = z.number().min(0);
const sumsByMinutes = z.record(z.string().regex(/^\d+$/), sum).meta({
  description: 'Sums by minutes, cumulative.',
});

const byMinutes = (description: string) =>
  z
    .record(z.string().regex(/^\d+$/), z.number().min(0).nullable())
    .optional()
    .meta({
      description: `With \`by\`: ${description} To four decimals; null where undefined.`,
    });

/** The sums of an area or a site, which add up to `total`. */
const parts = {
  total: sum,
  within: sumsByMinutes,
  beyond: sum,
  no_data: sum.meta({ description: 'Where the mode could not be routed from the block.' }),
};

export const areaFacts = z
  .object({ blocks: z.int().min(0), land_area_m2: z.number().min(0) })
  .meta({ id: 'AreaFacts', description: 'The blocks of an area, and their land area.' });

export const coverageRow = z
  .object({
    dest_type_id: z.int(),
    dest_type: destTypeLabel,
    mode: modeLabel,
    weight: z.string(),
    nth: z.int(),
    ...parts,
    share: byMinutes(
      'Parts of those whose time is known (`total` − `no_data`) within the minutes.',
    ),
    ratio: byMinutes('The shares, each divided by that of `weight`.'),
    gini: z
      .number()
      .min(0)
      .nullable()
      .optional()
      .meta({
        description:
          'With `by`: Gini coefficient of the minutes, from 0 (equal) towards 1, over those whose ' +
          'time is known; those beyond count as at 30 minutes, so it is a lower bound.',
      }),
  })
  .meta({
    id: 'CoverageRow',
    description:
      'Sums of a weight over the blocks of an area, by minutes to the n-th nearest POI of a type.',
  });

const basketSums = z
  .object({
    all_of: z.array(
      z.object({ type: z.int(), mode: modeLabel, max_minutes: z.number(), nth: z.int() }),
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

export const matchedBlock = z
  .object({ geoid: z.string().regex(BLOCK_GEOID), population: z.int().min(0).nullable() })
  .meta({ id: 'MatchedBlock' });

const siteId = z.union([z.string(), z.int()]).meta({ description: 'As sent.' });
const placedSite = { id: siteId, block: z.string().regex(BLOCK_GEOID) };

export const siteCoverageRow = z.object({ mode: modeLabel, weight: z.string(), ...parts }).meta({
  id: 'SiteCoverageRow',
  description: 'Sums of a weight over the blocks of an area, by minutes to the nearest site.',
});

/** Members of a response about sites, other than its rows. */
export const siteResults = {
  sites: z.array(
    z.object({
      ...placedSite,
      within: sumsByMinutes,
      overlap: sumsByMinutes.meta({
        description: 'The part of `within` that another site covers too.',
      }),
    }),
  ),
  gains: z.array(z.object({ ...placedSite, gain: sumsByMinutes })),
  chosen: z.array(z.object({ id: siteId, gain: sum, total_within: sum })),
  uncovered: z.array(z.object({ block: z.string().regex(BLOCK_GEOID), count: sum })),
  errors: z.array(
    z.object({
      id: siteId,
      list: z.enum(['sites', 'candidates']).meta({ description: 'The list that it is from.' }),
      type: z.enum(['point-not-covered', 'no-block-data']),
      detail: z.string(),
    }),
  ),
  precision: z.literal('block'),
};

export const opportunityCount = z
  .object({
    of: z.string().meta({ description: 'A weight, or `type:ID`.' }),
    mode: modeLabel,
    minutes: z.int().optional().meta({ description: 'Absent with a `decay` other than `step`.' }),
    count: z.number().meta({ description: 'How many are within reach; with a decay, their sum.' }),
  })
  .meta({
    id: 'OpportunityCount',
    description: 'A count of opportunities within reach of a block, by one mode.',
  });

const position = z.array(z.number()).min(2).max(3);
const ring = z.array(position).min(4);

/** A GeoJSON Polygon or MultiPolygon. */
export const geometry = z
  .union([
    z.object({ type: z.literal('Polygon'), coordinates: z.array(ring) }),
    z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(z.array(ring)) }),
  ])
  .meta({ id: 'Geometry', description: 'A GeoJSON Polygon or MultiPolygon, WGS84.' });

/** Why an origin of a batch returns nothing. */
export const ORIGIN_FAULTS = [
  'block-not-found',
  'no-block-data',
  'point-not-covered',
  'poi-not-found',
] as const;
export type OriginFault = (typeof ORIGIN_FAULTS)[number];

export const originError = z
  .object({
    type: z.enum(ORIGIN_FAULTS),
    detail: z.string(),
    geoid: z.string().optional(),
    origin_lat: z.number().optional(),
    origin_lon: z.number().optional(),
    dest_id: z.int().optional(),
  })
  .meta({ id: 'OriginError', description: 'Why an origin of a batch has no rows.' });

const TRUNCATED_REASONS = ['insufficient-balance', 'row-budget'] as const;
export type TruncatedReason = (typeof TRUNCATED_REASONS)[number];

export const truncatedReason = z
  .enum(TRUNCATED_REASONS)
  .nullable()
  .meta({ id: 'TruncatedReason', description: 'Why origins were truncated; null if none were.' });

export const nextCursor = z.string().nullable().meta({
  description: 'Pass it as `cursor` to get the next page; null on the last page.',
});

export const nextCursorIfPaged = nextCursor
  .optional()
  .meta({ description: 'Present only if `limit` or `cursor` was sent; null on the last page.' });

export const unrouted = z
  .array(
    z.object({
      mode: modeLabel,
      reason: z.enum(UNLINKED_REASONS).meta({ id: 'UnroutedReason' }),
    }),
  )
  .min(1)
  .optional()
  .meta({
    description:
      'Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed.',
  });
