import { z } from 'zod';
import { MODE_LABELS } from '../../shards/modes.ts';
import { takes } from '../http/parse-input.ts';
import { distinct, listOf } from './list.ts';
import { type Bounds, inWords, isWithin } from './scalar-text.ts';

const MAX_LISTED = 100;
const MAX_BLOCKS = 1_000;
const EMPTY = 'must not be empty: leave it out to ask for all';

/** Members of request bodies. Arrays must be arrays; nothing is coerced. */
export const modeMember = list(
  z.enum(MODE_LABELS, { error: `must be one of ${MODE_LABELS.join(', ')}` }),
  { type: 'string', enum: [...MODE_LABELS] },
  'mode labels',
  'Travel modes. Omitted: all modes of the release.',
);

export const typeMember = list(
  integer(1, 65_535),
  { type: 'integer', minimum: 1, maximum: 65_535 },
  'destination type ids',
  'Destination type ids; a parent stands for all its leaves. Omitted: all.',
);

export const destIdMember = list(
  integer(0, Number.MAX_SAFE_INTEGER),
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  'dest_ids',
  'Only these places.',
);

/** Blocks as integers, as the catchment routes take them. */
export const blockMember = list(
  integer(0, 999_999_999_999_999),
  { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
  'integers',
  'Only these blocks, GEOIDs as integers.',
  MAX_BLOCKS,
);

export const maxMinutesMember = number({ over: 0, max: 30 })
  .optional()
  .meta({ description: 'Only what is within so many minutes, at most 30.' });

/** What `include_missing` means, in queries and bodies. */
export const INCLUDE_MISSING =
  'Whether every block of the area has a row for each wanted type and mode: where there is no time, ' +
  '`travel_time` is null and `reason` says why. Charged like any row.';

export const includeMissingMember = z
  .boolean({ error: 'must be true or false' })
  .default(false)
  .meta({ description: INCLUDE_MISSING });

export const radiusMember = number({ over: 0, max: 50_000 })
  .optional()
  .meta({ description: 'Metres around the centre, at most 50000.' });

export const limitMember = integer(1, 1000)
  .default(100)
  .meta({ description: 'Rows a page, 1 to 1000.' });

export const includePopulationMember = z
  .boolean({ error: 'must be true or false' })
  .default(false)
  .meta({ description: 'Whether rows carry the population of their block.' });

export const cursorMember = z
  .string({ error: 'must be text' })
  .max(512, { error: 'is too long' })
  .nullish()
  // What the page before said, to whoever asks until there is no more: null is the first page.
  .transform((cursor) => cursor ?? undefined)
  .meta({
    description: '`next_cursor` of the page before, with the same other members. Null: none.',
    override: { type: ['string', 'null'], maxLength: 512 },
  });

/** A point; what it must not have is told with what it takes. */
export const pointItem = z.strictObject(
  { lon: number({ min: -180, max: 180 }), lat: number({ min: -90, max: 90 }) },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `unknown member; a point ${takes(['lon', 'lat'])}`
        : 'must be an object of lon and lat',
  },
);
/** A point as the document describes it. */
export const POINT_SCHEMA = {
  type: 'object',
  properties: {
    lon: { type: 'number', minimum: -180, maximum: 180 },
    lat: { type: 'number', minimum: -90, maximum: 90 },
  },
  required: ['lon', 'lat'],
  additionalProperties: false,
} as const;

function list<V extends string | number>(
  item: z.ZodType<V>,
  items: Readonly<Record<string, unknown>>,
  kind: string,
  description: string,
  most = MAX_LISTED,
) {
  const none = `must be an array of ${kind}`;
  return listOf(item, most, { none, empty: EMPTY, many: `must list at most ${most}` })
    .transform((values): V[] => distinct(values))
    .optional()
    .meta({ description, override: { type: 'array', items, minItems: 1, maxItems: most } });
}

/** A number of JSON within bounds. */
function number(bounds: Bounds) {
  return bounded(bounds, 'number', 'a number', Number.isFinite);
}

/** A whole number of JSON within bounds, however it is written. */
export function integer(min: number, max: number) {
  return bounded({ min, max }, 'integer', 'a whole number', Number.isInteger);
}

function bounded(
  bounds: Bounds,
  type: 'number' | 'integer',
  kind: string,
  isOfKind: (value: number) => boolean,
) {
  const least = 'over' in bounds ? { exclusiveMinimum: bounds.over } : { minimum: bounds.min };
  return z
    .unknown()
    .transform((value, context): number => {
      const isOf = typeof value === 'number' && (isOfKind(value) || !Number.isFinite(value));
      if (isOf && isWithin(bounds, value)) return value;
      const missing = value === undefined ? 'is missing: it ' : '';
      context.addIssue({
        code: 'custom',
        params: { type: isOf ? 'out_of_range' : 'invalid_type' },
        message: isOf ? `must be ${inWords(bounds)}` : `${missing}must be ${kind}`,
      });
      return z.NEVER;
    })
    .meta({ override: { type, ...least, maximum: bounds.max } });
}
