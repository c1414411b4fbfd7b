import { z } from 'zod';

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
