import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { MODE_LABELS } from '../../shards/modes.ts';
import {
  BOUNDS,
  type Bounds,
  boundsSchema,
  DEFAULT_LIMIT,
  isWithin,
  LIMITS,
  rangeFault,
} from '../bounds.ts';
import { truncate } from '../http/problem.ts';
import { acceptsParameters, missing, withoutNulls } from '../http/validation.ts';
import type { SentValue } from '../queries/origins/origin-block.ts';
import {
  DEST_ID,
  FIELD_DESCRIPTIONS,
  type ListDescription,
  TYPE_ID,
} from './field-descriptions.ts';
import { distinct, listOf, singleFault } from './list.ts';
import { BLOCK_SCHEMA, blockItem } from './location-parameters.ts';
import { decimal } from './scalar-text.ts';
import { WEIGHT_SCHEMA, weightName } from './weight-name.ts';

/** Error messages for empty lists, by what omitting the list requests. */
const EMPTY = {
  all: 'must not be empty: omit it to request all',
  nearest: 'must not be empty: omit it for the nearest only',
  people: 'must not be empty: omit it for people',
  none: 'must not be empty: omit it',
} as const;

const UNBOUNDED = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** A single mode. */
export const modeItem = oneOf(MODE_LABELS);

/** Members of request bodies. Arrays must be arrays; nothing is coerced. */
export const modeMember = list(
  modeItem,
  { type: 'string', enum: [...MODE_LABELS] },
  'mode labels',
  FIELD_DESCRIPTIONS.mode,
);

export const typeMember = list(
  integer(BOUNDS.typeId, TYPE_ID),
  boundsSchema('integer', BOUNDS.typeId),
  'destination type ids',
  FIELD_DESCRIPTIONS.type,
);

export const nthMember = list(
  integer(BOUNDS.nth),
  boundsSchema('integer', BOUNDS.nth),
  'whole numbers',
  FIELD_DESCRIPTIONS.nth,
  { empty: EMPTY.nearest },
);

export const oneNthMember = integer(BOUNDS.nth)
  .default(1)
  .meta({ description: FIELD_DESCRIPTIONS.oneNth });

export const weightMember = weights(FIELD_DESCRIPTIONS.weight, LIMITS.weightsListed, EMPTY.people);
export const byMember = weights(FIELD_DESCRIPTIONS.by, LIMITS.groupsListed, EMPTY.none);

/** Returns the schema of weights, which keep the order sent: that of the rows. */
function weights({ what, more }: ListDescription, most: number, empty: string) {
  const faults = { none: 'must be an array of weights', empty, many: `must list at most ${most}` };
  return listOf(weightName, most, faults)
    .transform((names) => [...new Set(names)])
    .optional()
    .meta({
      description: `${what}.${more}`,
      override: { type: 'array', items: WEIGHT_SCHEMA, minItems: 1, maxItems: most },
    });
}

export const countWithinMember = integer(BOUNDS.countWithin)
  .optional()
  .meta({ description: FIELD_DESCRIPTIONS.countWithin });

export const destIdMember = list(
  integer(BOUNDS.destId, DEST_ID),
  boundsSchema('integer', BOUNDS.destId),
  'dest_ids',
  FIELD_DESCRIPTIONS.destId,
);

/** Blocks by GEOID, as text or numbers. */
export const blockMember = list(blockItem, BLOCK_SCHEMA, 'block GEOIDs', FIELD_DESCRIPTIONS.block, {
  most: LIMITS.blocksListed,
});

export const maxMinutesMember = number(BOUNDS.maxMinutes)
  .optional()
  .meta({ description: FIELD_DESCRIPTIONS.maxMinutes });

export const includeMissingMember = flag(FIELD_DESCRIPTIONS.includeMissing);
export const includePopulationMember = flag(FIELD_DESCRIPTIONS.includePopulation);
export const namesMember = flag(FIELD_DESCRIPTIONS.names);

function flag(description: string) {
  const error = ({ input }: { readonly input?: unknown }) =>
    singleFault('must be true or false', input);
  return z.boolean({ error }).default(false).meta({ description });
}

/**
 * The row limit of a batch. Its upper bound is configured: the route checks it, and the document
 * states it in `MaxRows`.
 */
export const maxRowsMember = integer(UNBOUNDED)
  .meta({ override: { $ref: '#/components/schemas/MaxRows' } })
  .optional();

export const radiusMember = number(BOUNDS.radius)
  .optional()
  .meta({ description: `Metres around the centre, at most ${BOUNDS.radius.max}.` });

export const limitMember = integer(BOUNDS.limit)
  .default(DEFAULT_LIMIT)
  .meta({ description: FIELD_DESCRIPTIONS.limit });

export const cursorMember = z
  .string({ error: 'must be text' })
  .max(LIMITS.cursorLength, { error: 'is too long' })
  .optional()
  .meta({
    description:
      '`next_cursor` of the previous page, with the same other members. Null: the first page.',
    override: { type: ['string', 'null'], maxLength: LIMITS.cursorLength },
  });

/** An object within a body: as in the body itself, null means that an optional member is absent. */
export function bodyObject<Shape extends z.ZodRawShape>(
  shape: Shape,
  faults: z.core.$ZodObjectParams,
) {
  return z.preprocess((value) => withoutNulls(shape, value), z.strictObject(shape, faults));
}

/** Longer than any id or number, so that truncating a malformed one keeps it malformed. */
const MAX_VALUE = 40;
/** Longer than a point whose coordinates are text. */
const MAX_ORIGIN = 100;

/** Shortens a value as sent, to name it in errors. */
export function sentValue(given: unknown): SentValue {
  if (given === undefined || given === null || typeof given === 'number') return given;
  return truncate(typeof given === 'string' ? given : jsonOf(given), MAX_VALUE);
}

/** Returns the shortened JSON of an origin as sent, to name it in errors. */
export function sentOrigin(given: unknown): string {
  return truncate(jsonOf(given), MAX_ORIGIN);
}

/** Renders a value that was parsed from JSON. A number that overflowed is text: it has no JSON. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part !== 'number' || Number.isFinite(part) ? part : String(part),
  );
}

/** A coordinate of a point that fails alone if it is malformed. */
export const sentCoordinate = z.unknown().optional().transform(sentValue);

/** Error messages of a point; unknown members are rejected with the list of known ones. */
export const POINT_FAULTS: z.core.$ZodObjectParams = {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? `unknown member; a point ${acceptsParameters(['lon', 'lat'])}`
      : 'must be an object with lon and lat',
};

export const pointItem = z.strictObject(
  { lon: number(BOUNDS.longitude), lat: number(BOUNDS.latitude) },
  POINT_FAULTS,
);
/** A point as the document describes it. */
export const POINT_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  properties: {
    lon: boundsSchema('number', BOUNDS.longitude),
    lat: boundsSchema('number', BOUNDS.latitude),
  },
  required: ['lon', 'lat'],
  additionalProperties: false,
};

function list<V extends string | number>(
  item: z.ZodType<V>,
  items: oas31.SchemaObject,
  kind: string,
  { what, more }: ListDescription,
  { most = LIMITS.listed, empty = EMPTY.all }: { most?: number; empty?: string } = {},
) {
  const none = `must be an array of ${kind}`;
  return listOf(item, most, { none, empty, many: `must list at most ${most}` })
    .transform((values): V[] => distinct(values))
    .optional()
    .meta({
      description: `${what}.${more}`,
      override: { type: 'array', items, minItems: 1, maxItems: most },
    });
}

/** One of several texts. */
export function oneOf<const L extends string>(labels: readonly L[]) {
  const fault = `must be one of ${labels.join(', ')}`;
  return z.enum(labels, {
    error: ({ input }) => (input === undefined ? missing(fault) : singleFault(fault, input)),
  });
}

/** A JSON number within bounds. */
export function number(bounds: Bounds) {
  return bounded(bounds, 'number', 'a number', Number.isFinite);
}

/** A whole JSON number within bounds, in any notation; errors name its `kind`. */
export function integer(bounds: Bounds, kind = 'a whole number') {
  return bounded(bounds, 'integer', kind, Number.isInteger);
}

/** Whether a value is a number that was sent as text. */
function isQuoted(value: unknown): boolean {
  return typeof value === 'string' && decimal(value) !== undefined;
}

function bounded(
  bounds: Bounds,
  type: 'number' | 'integer',
  kind: string,
  isOfKind: (value: number) => boolean,
) {
  return z
    .unknown()
    .transform((value, context): number => {
      const isOf = typeof value === 'number' && (isOfKind(value) || !Number.isFinite(value));
      if (isOf && isWithin(bounds, value)) return value;
      const fault = `must be ${kind}`;
      context.addIssue({
        code: 'custom',
        params: { type: isOf ? 'out_of_range' : 'invalid_type' },
        message: isOf
          ? rangeFault(bounds, value)
          : value === undefined
            ? missing(fault)
            : singleFault(isQuoted(value) ? `${fault}: leave out the quotes` : fault, value),
      });
      return z.NEVER;
    })
    .meta({ override: boundsSchema(type, bounds) });
}
