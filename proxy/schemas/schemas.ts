import { z } from 'zod';
import { UNLINKED_REASONS } from '../../shards/blocks/block-index.ts';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { BOUNDS } from '../bounds.ts';
import { MISSING_REASONS } from '../queries/areas/block-rows.ts';
import { LEG_KINDS } from '../queries/journeys/legs.ts';

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

/** Label of the type of a row, added by `names`. */
export const destTypeLabel = z
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

export const matchedBlock = z
  .object({ geoid: z.string().regex(BLOCK_GEOID), population: z.int().min(0).nullable() })
  .meta({ id: 'MatchedBlock' });

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

export const leg = z
  .object({
    kind: z.enum(LEG_KINDS),
    minutes: z.number().min(0),
    route: z.string().optional().meta({ description: 'The line of a ride by transit.' }),
    from_stop: z.string().optional().meta({ description: 'Where the leg begins, if at a stop.' }),
    to_stop: z.string().optional().meta({ description: 'Where the leg ends, if at a stop.' }),
  })
  .meta({
    id: 'Leg',
    description:
      'A part of a trip. A `wait` is the time at a stop until the vehicle leaves: at the first stop ' +
      'at least a minute. A `transfer` is the way from one vehicle to the stop of the next, with ' +
      'the minimum time for changing.',
  });

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
