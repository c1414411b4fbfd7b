import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { truncate } from '../../portal/http/problem.ts';
import {
  BLOCK_GEOID,
  COUNTY_FIPS,
  type Geoid,
  type GeoidNumber,
  isGeoid,
} from '../../shards/geoid.ts';
import { BOUNDS, boundsSchema, isWithin } from '../bounds.ts';
import { kindOf } from './list.ts';
import { named } from './named-parameter.ts';
import { anyNumberText, decimal, numberText } from './scalar-text.ts';

export const geoidParam = named(
  'BlockGeoid',
  z
    .custom<Geoid>((value) => typeof value === 'string' && isGeoid(value), {
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given once' : 'must be a census block GEOID: 15 digits',
    })
    .meta({
      description: 'Census block GEOID, 15 digits including leading zeros.',
      override: { type: 'string', pattern: BLOCK_GEOID.source },
    }),
);

export const toGeoidParam = named(
  'BlockOfTrip',
  geoidParam.optional().meta({
    description: 'Block where the trip ends, by GEOID; or send `dest_id`.',
    override: { type: 'string', pattern: BLOCK_GEOID.source },
  }),
);

/** A county's code, in a path or a body. */
export const countyFips = z
  .string()
  .regex(COUNTY_FIPS, { error: 'must be a county FIPS code: 5 digits' });

export const countyFipsParam = named(
  'CountyFips',
  countyFips.meta({ description: 'County FIPS code, 5 digits including leading zeros.' }),
);

const LAT = {
  description: 'Latitude, WGS84 degrees.',
  override: boundsSchema('number', BOUNDS.latitude),
};

const LON = {
  description: 'Longitude, WGS84 degrees.',
  override: boundsSchema('number', BOUNDS.longitude),
};

export const latParam = named('Lat', numberText(BOUNDS.latitude).meta(LAT));

export const lonParam = named('Lon', numberText(BOUNDS.longitude).meta(LON));

export const optionalLatParam = named('LatOfCircle', latParam.optional().meta(LAT));

export const optionalLonParam = named('LonOfCircle', lonParam.optional().meta(LON));

/** Any numbers: the route reports out-of-range values as a separate problem. */
export const anyLatParam = named('LatOfOrigin', anyNumberText.optional().meta(LAT));

export const anyLonParam = named('LonOfOrigin', anyNumberText.optional().meta(LON));

/** Accepts any text, since an unknown id is a 404. */
export const placeGeoidParam = named(
  'PlaceGeoid',
  z.string().meta({
    description: 'Census place GEOID, 7 digits including leading zeros.',
  }),
);

export const radiusParam = named(
  'RadiusOfCircle',
  numberText(BOUNDS.radius)
    .optional()
    .meta({
      description: `Metres around the point, at most ${BOUNDS.radius.max}.`,
      override: boundsSchema('number', BOUNDS.radius),
    }),
);

/** The document's schema of a block of a request. */
export const BLOCK_SCHEMA: oas31.SchemaObject = {
  anyOf: [{ type: 'string', pattern: BLOCK_GEOID.source }, boundsSchema('integer', BOUNDS.block)],
};

/**
 * Reads a block of a list: its GEOID as text, or as a number, which lacks a leading zero, in any
 * notation. Undefined for other values.
 */
export function blockNumber(value: unknown): GeoidNumber | undefined {
  const number = typeof value === 'string' ? decimal(value) : value;
  const isBlock = Number.isInteger(number) && isWithin(BOUNDS.block, number as number);
  return isBlock ? (number as GeoidNumber) : undefined;
}

/** Returns the error message for a value that is no block GEOID. */
export function blockFault(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const given = isScalar ? truncate(JSON.stringify(value)) : kindOf(value);
  return `must be a census block GEOID, 15 digits as text or a number, not ${given}`;
}

/** A block of a list, in a query or a body. */
export const blockItem = z.unknown().transform((value, context): GeoidNumber => {
  const number = blockNumber(value);
  if (number !== undefined) return number;
  context.addIssue({
    code: 'custom',
    params: { type: 'invalid_format' },
    message: blockFault(value),
  });
  return z.NEVER;
});
