import { z } from 'zod';
import { UNLINKED_REASONS } from '../../shards/blocks/block-index.ts';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { BASE_WINDOW } from '../../shards/services.ts';
import { noiseSchema } from '../../shards/weights/noise.ts';
import { MATCH_KINDS } from '../queries/addresses/address-match.ts';
import { TAKEN_FROM } from '../queries/addresses/find-addresses.ts';
import { LEG_KINDS } from '../queries/journeys/journey.ts';
import { SPREAD_PERCENTILES } from '../queries/journeys/window-trips.ts';
import { modeSchema } from '../queries/rows/row-columns.ts';

export const blockMetadata = z
  .object({
    geoid: z.string().regex(BLOCK_GEOID),
    population: z.int().min(0).nullable(),
    land_area_m2: z.number().min(0).nullable(),
  })
  .meta({ id: 'BlockMetadata' });

const position = z.array(z.number()).min(2).max(3);
const ring = z.array(position).min(4);

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

export const spread = z
  .object({
    departures: z.int().meta({ description: 'Departures of the window.' }),
    as_fast: z.int().min(0).meta({
      description: 'Departures that take no longer than the stored time.',
    }),
    minutes: z
      .object(Object.fromEntries(SPREAD_PERCENTILES.map((p) => [p, z.number().nullable()])))
      .meta({
        description:
          'Travel times of the window by percentile; null where too few departures are within reach.',
      }),
    routes: z.array(z.object({ routes: z.array(z.string()), departures: z.int().min(1) })).meta({
      description:
        'The lines of the fastest trips, in the order ridden, by how many departures use them; ' +
        'none for a walk.',
    }),
  })
  .meta({
    id: 'Spread',
    description: 'How the times of a trip by transit differ among the departures of the window.',
  });

export const explainedTrip = z
  .object({
    block: z.string(),
    to: z.union([z.string(), z.int()]),
    mode: modeSchema,
    departure: z.enum([BASE_WINDOW.name]),
    travel_time: z.number().nullable(),
    departs: z.string().nullable().meta({
      description: 'Local time at which the rider leaves, `HH:MM`; null for a trip without rides.',
    }),
    transfers: z.int().min(0).meta({ description: 'How often the rider changes vehicles.' }),
    legs: z.array(leg),
    spread: spread.optional(),
  })
  .meta({
    id: 'ExplainedTrip',
    description: 'A trip with its legs, whose minutes add up to its time.',
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
      mode: modeSchema,
      reason: z.enum(UNLINKED_REASONS).meta({ id: 'UnroutedReason' }),
    }),
  )
  .min(1)
  .optional()
  .meta({
    description:
      'Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed.',
  });

export const nameOfCounty = z.string().nullable().meta({
  description: 'Name of the county with its state; null if the release was built without names.',
});

export const statedTiming = {
  departure: z.string().optional().meta({
    description: 'The window of times by transit, where the release has a choice.',
  }),
  percentile: z.int().optional(),
};

export const noise = noiseSchema.meta({
  id: 'Noise',
  description: 'How a source changed its counts to protect people, and how far they are off.',
});

export const MATCH_MEMBERS = {
  label: z.string(),
  kind: z.enum(MATCH_KINDS),
  lat: z.number(),
  lon: z.number(),
  geoid: z.string().meta({
    description:
      'The GEOID of the block, or of a place or county itself; of a neighbourhood, that of a block in it.',
  }),
};

/** The match of an origin or site that was sent as an address. */
export const addressMatch = z
  .object({
    address: z.string().meta({ description: 'As sent.' }),
    ...MATCH_MEMBERS,
    confidence: z.number().min(TAKEN_FROM).max(1),
  })
  .meta({ id: 'AddressMatch', description: 'The match that was taken for an address.' });

/** Why an origin of a batch returns nothing. */
export const ORIGIN_FAULTS = [
  'block-not-found',
  'no-block-data',
  'point-not-covered',
  'address-not-found',
  'poi-not-found',
] as const;
export type OriginFault = (typeof ORIGIN_FAULTS)[number];

export const originError = z
  .object({
    type: z.enum(ORIGIN_FAULTS),
    detail: z.string(),
    geoid: z.string().nullable().optional(),
    origin_lat: z.number().nullable().optional(),
    origin_lon: z.number().nullable().optional(),
    address: z.string().optional(),
    dest_id: z.int().nullable().optional(),
    sent: z.string().optional(),
    from: z.string().nullable().optional(),
    to: z.string().nullable().optional(),
    mode: z.string().optional(),
    departs: z.string().optional(),
  })
  .meta({
    id: 'OriginError',
    description:
      'Why an origin of a batch has no rows. It is named as it was sent. A coordinate or id that ' +
      'is no number is null; the point or POI is then in `sent`, as JSON, shortened if it is long. A ' +
      'trip is named by the members that it was sent with.',
  });

const TRUNCATED_REASONS = ['insufficient-balance', 'row-budget'] as const;
export type TruncatedReason = (typeof TRUNCATED_REASONS)[number];

export const truncatedReason = z
  .enum(TRUNCATED_REASONS)
  .nullable()
  .meta({ id: 'TruncatedReason', description: 'Why origins were truncated; null if none were.' });
