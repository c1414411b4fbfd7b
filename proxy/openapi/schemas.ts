import { z } from 'zod';
import { MODE_LABELS } from '../../shards/modes.ts';

const tenthsOfMinutes = z.number().min(1).max(30).meta({
  description: 'Minutes, one decimal. Over 30 is not reached: there is no row.',
  example: 12.3,
});

export const modeLabel = z.enum(MODE_LABELS).meta({ id: 'Mode', description: 'Travel mode.' });

export const address = z
  .object({
    street: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    zip: z.string().nullable(),
  })
  .meta({ id: 'Address' });

export const blockMetadata = z
  .object({
    geoid: z.string().regex(/^\d{15}$/),
    population: z.int().min(0).nullable(),
    land_area_m2: z.number().min(0).nullable(),
  })
  .meta({ id: 'BlockMetadata' });

export const categoryTime = z
  .object({ dest_type_id: z.int(), mode: modeLabel, travel_time: tenthsOfMinutes })
  .meta({ id: 'CategoryTime', description: 'Minutes to the nearest place of a type, by a mode.' });

export const poiTime = z
  .object({
    dest_id: z.int(),
    mode: modeLabel,
    travel_time: tenthsOfMinutes,
    name: z.string(),
    lon: z.number(),
    lat: z.number(),
    address,
  })
  .meta({ id: 'PoiTime', description: 'Minutes to one place, by a mode.' });

export const nextCursor = z.string().nullable().meta({
  description: 'Pass as `cursor` for the next page; null on the last.',
});

export const problemDocument = z
  .looseObject({
    type: z.url().meta({ description: 'Its last path segment is the stable slug.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    errors: z
      .array(
        z.object({
          loc: z.array(z.union([z.string(), z.int()])),
          msg: z.string(),
          type: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem.' });
