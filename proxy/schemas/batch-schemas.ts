import { z } from 'zod';

/** Why an origin of a batch returns nothing. */
export const ORIGIN_FAULTS = [
  'block-not-found',
  'no-block-data',
  'point-not-covered',
  'poi-not-found',
] as const;
export type OriginFault = (typeof ORIGIN_FAULTS)[number];

const sentNumber = z
  .union([z.number(), z.string()])
  .nullable()
  .optional()
  .meta({ override: { type: ['number', 'string', 'null'] } });

export const originError = z
  .object({
    type: z.enum(ORIGIN_FAULTS),
    detail: z.string(),
    geoid: z.string().nullable().optional(),
    origin_lat: sentNumber,
    origin_lon: sentNumber,
    dest_id: z
      .union([z.number(), z.string()])
      .nullable()
      .optional()
      .meta({ override: { type: ['integer', 'string', 'null'] } }),
  })
  .meta({
    id: 'OriginError',
    description:
      'Why an origin of a batch has no rows. It is named as it was sent, also if it is malformed; ' +
      'long text, lists and objects are shortened to text.',
  });

const TRUNCATED_REASONS = ['insufficient-balance', 'row-budget'] as const;
export type TruncatedReason = (typeof TRUNCATED_REASONS)[number];

export const truncatedReason = z
  .enum(TRUNCATED_REASONS)
  .nullable()
  .meta({ id: 'TruncatedReason', description: 'Why origins were truncated; null if none were.' });
