import { z } from 'zod';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';

const MAX_LISTED = 100;

/** An empty list asks for nothing in particular: the same as none. */
export function allIfEmpty<T extends string | number>(values: T[]): T[] | undefined {
  const distinct = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
  return distinct.length === 0 ? undefined : distinct;
}

/** Members of request bodies. Arrays must be arrays; nothing is coerced. */
export const modeMember = z
  .array(z.enum(MODE_LABELS, { error: `must be one of ${MODE_LABELS.join(', ')}` }), {
    error: 'must be an array of mode labels',
  })
  .max(MAX_LISTED)
  .transform(allIfEmpty)
  .optional()
  .meta({
    description: 'Travel modes. Omitted: all modes of the release.',
    override: { type: 'array', items: { type: 'string', enum: [...MODE_LABELS] }, maxItems: 100 },
  });

export const typeMember = z
  .array(z.int().min(1).max(65_535), { error: 'must be an array of destination type ids' })
  .max(MAX_LISTED)
  .transform(allIfEmpty)
  .optional()
  .meta({
    description: 'Destination type ids; a parent stands for all its leaves. Omitted: all.',
    override: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      maxItems: 100,
    },
  });

export const destIdMember = z
  .array(z.int().min(0), { error: 'must be an array of dest_ids' })
  .max(MAX_LISTED)
  .transform(allIfEmpty)
  .optional()
  .meta({ description: 'Only these places.' });

export const maxMinutesMember = z
  .number()
  .gt(0)
  .max(30)
  .optional()
  .meta({ description: 'Only what is within so many minutes, at most 30.' });

/** What `include_missing` means, in queries and bodies. */
export const INCLUDE_MISSING =
  'Whether every block of the area has a row for each wanted type and mode: where there is no time, ' +
  '`travel_time` is null and `reason` says why. Charged like any row.';

export const includeMissingMember = z
  .boolean()
  .default(false)
  .meta({ description: INCLUDE_MISSING });

export const limitMember = z
  .int()
  .min(1)
  .max(1000)
  .default(100)
  .meta({ description: 'Rows a page, 1 to 1000.' });

export const cursorMember = z
  .string()
  .max(512)
  .optional()
  .meta({ description: '`next_cursor` of the page before, with the same other members.' });

export const geoidItem = z
  .custom<Geoid>((value) => typeof value === 'string' && isGeoid(value), {
    error: 'must be a census block GEOID: a string of 15 digits',
  })
  .meta({ override: { type: 'string', pattern: '^\\d{15}$' } });

export const pointItem = z.strictObject({
  lon: z.number().min(-180).max(180),
  lat: z.number().min(-90).max(90),
});
