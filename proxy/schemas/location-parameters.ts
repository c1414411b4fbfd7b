import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import {
  BLOCK_GEOID,
  COUNTY_FIPS,
  type Geoid,
  type GeoidNumber,
  geoidToNumber,
  isGeoid,
} from '../../shards/geoid.ts';
import { BOUNDS, boundsSchema, isWithin } from '../bounds.ts';
import { truncate } from '../http/problem.ts';
import { kindOf } from './list.ts';
import { named } from './named-parameter.ts';
import { anyNumberText, decimal, hintOn, numberText } from './scalar-text.ts';

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

/**
 * The document's schema of a block of a body. Numbers are accepted too, but a choice of types would
 * make clients of code generators with types of their own.
 */
export const BLOCK_SCHEMA: oas31.SchemaObject = { type: 'string', pattern: BLOCK_GEOID.source };

/**
 * Reads a block of a body: its GEOID as text of 15 digits, or as a number, which lacks a leading
 * zero. Undefined for other values.
 */
export function blockNumber(value: unknown): GeoidNumber | undefined {
  if (typeof value === 'string') return isGeoid(value) ? geoidToNumber(value) : undefined;
  const isBlock = Number.isInteger(value) && isWithin(BOUNDS.block, value as number);
  return isBlock ? (value as GeoidNumber) : undefined;
}

/** Returns the error message for a value that is no block GEOID. */
export function blockFault(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const given = isScalar ? truncate(JSON.stringify(value)) : kindOf(value);
  return `must be a census block GEOID, 15 digits as text or a number, not ${given}`;
}

/** A block of a list in a body. */
export const blockItem = blockOf(blockNumber, blockFault);

/** A block of a query, where text and numbers are alike: a number in any notation. */
export const blockText = blockOf(
  (text) => blockNumber(typeof text === 'string' ? decimal(text) : undefined),
  (text) => `${blockFault(text)}${typeof text === 'string' ? hintOn(text) : ''}`,
);

function blockOf(
  read: (value: unknown) => GeoidNumber | undefined,
  faultOf: (value: unknown) => string,
) {
  return z.unknown().transform((value, context): GeoidNumber => {
    const number = read(value);
    if (number !== undefined) return number;
    const params = { type: 'invalid_format' };
    context.addIssue({ code: 'custom', params, message: faultOf(value) });
    return z.NEVER;
  });
}
