import type { oas31 } from 'zod-openapi';
import { MODE_LABELS } from '../../shards/modes.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { BOUNDS, boundsSchema, LIMITS } from '../bounds.ts';
import { acceptsParameters } from '../http/validation.ts';
import { bodyObject, integer, modeItem, number, oneOf } from './body-members.ts';
import { TYPE_ID } from './field-descriptions.ts';
import { listOf } from './list.ts';

const MODE_SCHEMA: oas31.SchemaObject = { type: 'string', enum: [...MODE_LABELS] };

const criterion = bodyObject(
  {
    type: integer(BOUNDS.typeId, TYPE_ID),
    mode: modeItem,
    max_minutes: number(BOUNDS.maxMinutes),
    nth: integer(BOUNDS.nth).default(1),
  },
  { error: ({ code }) => objectFault(code, 'a criterion', ['type', 'mode', 'max_minutes', 'nth']) },
);

/** Criteria that a block must all meet. */
export const allOfMember = listOf(criterion, LIMITS.criteria, {
  none: 'must be an array of criteria',
  empty: 'must not be empty',
  many: `must list at most ${LIMITS.criteria}`,
}).meta({
  description:
    `Up to ${LIMITS.criteria} criteria, all to be met: the n-th nearest POI of a type is within some ` +
    'minutes by a mode. A parent type is met by any of its leaves.',
  override: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        type: boundsSchema('integer', BOUNDS.typeId),
        mode: MODE_SCHEMA,
        max_minutes: boundsSchema('number', BOUNDS.maxMinutes),
        nth: { ...boundsSchema('integer', BOUNDS.nth), default: 1 },
      },
      required: ['type', 'mode', 'max_minutes'],
      additionalProperties: false,
    },
    minItems: 1,
    maxItems: LIMITS.criteria,
  },
});

const nearPoint = bodyObject(
  {
    lon: number(BOUNDS.longitude),
    lat: number(BOUNDS.latitude),
    mode: modeItem,
    direction: directionItem(),
    max_minutes: integer(BOUNDS.contour),
  },
  {
    error: ({ code }) =>
      objectFault(code, 'a point', ['lon', 'lat', 'mode', 'direction', 'max_minutes']),
  },
);

/** Points that a block must all be near. */
export const nearMember = listOf(nearPoint, LIMITS.nearPoints, {
  none: 'must be an array of points',
  empty: 'must not be empty: omit it',
  many: `must list at most ${LIMITS.nearPoints}`,
})
  .optional()
  .transform((points) => points ?? [])
  .meta({
    description:
      `Up to ${LIMITS.nearPoints} points, all to be near: from the block to the block of the point ` +
      '(`direction` `to`, the default) or back (`from`) it takes at most so many whole minutes.',
    override: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          lon: boundsSchema('number', BOUNDS.longitude),
          lat: boundsSchema('number', BOUNDS.latitude),
          mode: MODE_SCHEMA,
          direction: { type: 'string', enum: [...DIRECTIONS], default: 'to' },
          max_minutes: boundsSchema('integer', BOUNDS.contour),
        },
        required: ['lon', 'lat', 'mode', 'max_minutes'],
        additionalProperties: false,
      },
      minItems: 1,
      maxItems: LIMITS.nearPoints,
    },
  });

/** Returns the schema of a direction: towards a point, or away from it. */
export function directionItem() {
  return oneOf(DIRECTIONS)
    .default('to')
    .meta({ description: 'Towards the point, or away from it.' });
}

/** Returns the error message for a list item that is not the expected object. */
export function objectFault(code: string | undefined, what: string, members: readonly string[]) {
  return code === 'unrecognized_keys'
    ? `unknown member; ${what} ${acceptsParameters(members)}`
    : `must be an object: ${what} ${acceptsParameters(members)}`;
}
