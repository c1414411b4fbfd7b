import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import {
  BLOCK_GEOID,
  COUNTY_FIPS,
  countyOf,
  type Geoid,
  type GeoidNumber,
  geoidToNumber,
  isGeoid,
} from '../../shards/geoid.ts';
import { BOUNDS, type Bounds, boundsSchema, isOnEarth, isWithin, LIMITS } from '../bounds.ts';
import { truncate } from '../http/problem.ts';
import { acceptsParameters } from '../http/validation.ts';
import { TAKEN_FROM } from '../queries/addresses/find-addresses.ts';
import type { SentPlace } from '../queries/addresses/locate-sent.ts';
import type { SentValue } from '../queries/origins/origin-block.ts';
import { exactObjectOf, type ObjectFaults, objectOf } from './compounds.ts';
import { jsonSchemaOf, type Kind, optional, required, withSchema } from './field.ts';
import { decimal, hintOn, kindOf, number, phrase, UNBOUNDED } from './kinds.ts';

export const blockGeoid = {
  text: z
    .custom<Geoid>((value) => typeof value === 'string' && isGeoid(value), {
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given once' : 'must be a census block GEOID: 15 digits',
    })
    .meta({ override: { type: 'string', pattern: BLOCK_GEOID.source } }),
};

export const GEOID_WORDS = 'Census block GEOID, 15 digits including leading zeros.';

export const geoid = required(blockGeoid, {
  id: 'BlockGeoid',
  description: GEOID_WORDS,
  example: ({ block }) => block,
});

export const countyFips = z
  .string()
  .regex(COUNTY_FIPS, { error: 'must be a county FIPS code: 5 digits' });

export const countyOfPath = required(
  { text: countyFips },
  {
    id: 'CountyFips',
    description: 'County FIPS code, 5 digits including leading zeros.',
    example: ({ block }) => countyOf(block),
  },
);

/** A place; any text is accepted, since an unknown id is a 404. */
export const placeGeoid = required(
  { text: z.string() },
  {
    id: 'PlaceGeoid',
    description: 'Census place GEOID, 7 digits including leading zeros.',
    example: ({ place }) => place?.geoid,
  },
);

const latitude = number(BOUNDS.latitude);
const longitude = number(BOUNDS.longitude);
const LAT = 'Latitude, WGS84 degrees.';
const LON = 'Longitude, WGS84 degrees.';
const ADDRESS = `An address, intersection or GEOID in place of coordinates, found as \`GET /v1/addresses\` does: taken from a confidence of ${TAKEN_FROM} on, else an error.`;

export const lat = required(latitude, {
  id: 'Lat',
  description: LAT,
  example: ({ point }) => point.lat,
});
export const lon = required(longitude, {
  id: 'Lon',
  description: LON,
  example: ({ point }) => point.lon,
});

export const CENTRE = {
  lat: optional(latitude, { id: 'LatOfCircle', description: LAT }),
  lon: optional(longitude, { id: 'LonOfCircle', description: LON }),
};

/** Any numbers: the route reports out-of-range values as a separate problem. */
const anyNumber = number(UNBOUNDED);
export const ORIGIN = {
  lon: optional(withSchema(anyNumber, boundsSchema('number', BOUNDS.longitude)), {
    id: 'LonOfOrigin',
    description: LON,
  }),
  lat: optional(withSchema(anyNumber, boundsSchema('number', BOUNDS.latitude)), {
    id: 'LatOfOrigin',
    description: LAT,
  }),
};

export const radius = optional(number(BOUNDS.radius), {
  id: 'RadiusOfCircle',
  description: {
    text: `Metres around the point, at most ${BOUNDS.radius.max}.`,
    json: `Metres around the centre, at most ${BOUNDS.radius.max}.`,
  },
});

export const nearPoint = {
  text: phrase((text) => text)
    .text.transform((text, context) => {
      const numbers = text.split(',').map((part) => decimal(part.trim()));
      const [lon, lat] = numbers;
      if (numbers.length === 2 && lon !== undefined && lat !== undefined && isOnEarth(lon, lat)) {
        return { lon, lat };
      }
      const message = 'must be lon,lat: a longitude and a latitude in degrees, in this order';
      context.addIssue({ code: 'custom', params: { type: 'invalid_point' }, message });
      return z.NEVER;
    })
    .meta({ override: { type: 'string' } }),
};

export const POINT = { lon: longitude.json, lat: latitude.json };

export const point = {
  json: objectOf('a point', POINT, {
    none: 'must be an object with lon and lat',
    unknown: `unknown member; a point ${acceptsParameters(['lon', 'lat'])}`,
  }),
};

/** Longer than any id or number, so that truncating a malformed one keeps it malformed. */
const MAX_VALUE = 40;
/** Longer than a point whose coordinates are text. */
const MAX_ORIGIN = 100;

export function sentValue(given: unknown): SentValue {
  if (given === undefined || given === null || typeof given === 'number') return given;
  return truncate(typeof given === 'string' ? given : jsonOf(given), MAX_VALUE);
}

export function sentOrigin(given: unknown): string {
  return truncate(jsonOf(given), MAX_ORIGIN);
}

/** Renders a value that was parsed from JSON. A number that overflowed is text: it has no JSON. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part !== 'number' || Number.isFinite(part) ? part : String(part),
  );
}

/** The members of a point that fails alone if a coordinate is malformed or absent. */
const SENT_POINT = {
  lat: sentCoordinate(BOUNDS.latitude),
  lon: sentCoordinate(BOUNDS.longitude),
};

/** An address; none of what is no text, and too long if it was, so that it fails alone. */
const sentAddress = z
  .unknown()
  .optional()
  .transform((given) => {
    if (given === undefined || given === null) return undefined;
    return typeof given === 'string' ? given.slice(0, LIMITS.nameLength + 1) : '';
  })
  .meta({ override: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength } });

/**
 * A point or an address in a body, with further members; errors name `what` it is. It fails alone
 * if it is malformed, but not if it is both, of which one would be ignored.
 */
export function sentPlaceOf<Shape extends z.ZodRawShape>(
  what: string,
  more: Shape,
  faults?: ObjectFaults,
) {
  const place = exactObjectOf(what, { ...more, ...SENT_POINT, address: sentAddress }, faults);
  const isBoth = ({ address, lat, lon }: SentPlace) =>
    address !== undefined && (lat ?? lon ?? null) !== null;
  return place.refine((sent) => !isBoth(sent as SentPlace), {
    error: 'has an address and coordinates: send one of them',
    params: { type: 'conflict' },
  });
}

/**
 * The schema of a point or an address with further members: those in `more` are required, others
 * are not. A choice of two objects, since each lacks what the other must have.
 */
export function sentPlaceSchema(
  more: Readonly<Record<string, oas31.SchemaObject>> = {},
  others: Readonly<Record<string, oas31.SchemaObject>> = {},
): oas31.SchemaObject {
  const objectWith = (members: Readonly<Record<string, oas31.SchemaObject>>) => ({
    type: 'object' as const,
    properties: { ...more, ...others, ...members },
    required: [...Object.keys(more), ...Object.keys(members)],
    additionalProperties: false,
  });
  const { lat, lon } = SENT_POINT;
  const address = { ...jsonSchemaOf(sentAddress), description: ADDRESS };
  return {
    anyOf: [
      objectWith({ lat: jsonSchemaOf(lat), lon: jsonSchemaOf(lon) }),
      objectWith({ address }),
    ],
  };
}

function sentCoordinate(bounds: Bounds) {
  const override = boundsSchema('number', bounds);
  return z.unknown().optional().transform(sentValue).meta({ override });
}

/**
 * Reads a block of a body: its GEOID as text of 15 digits, or as a number, which lacks a leading
 * zero. Undefined for other values.
 */
export function blockNumber(value: unknown): GeoidNumber | undefined {
  if (typeof value === 'string') return isGeoid(value) ? geoidToNumber(value) : undefined;
  const isBlock = Number.isInteger(value) && isWithin(BOUNDS.block, value as number);
  return isBlock ? (value as GeoidNumber) : undefined;
}

export function blockFault(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const given = isScalar ? truncate(JSON.stringify(value)) : kindOf(value);
  return `must be a census block GEOID, 15 digits as text or a number, not ${given}`;
}

/**
 * A block of a list. In a query, text and numbers are alike: a number in any notation. In a body
 * numbers are accepted too, but a choice of types would make clients of code generators with types
 * of their own.
 */
export const block: Kind<GeoidNumber> = {
  text: blockOf(
    (text) => blockNumber(typeof text === 'string' ? decimal(text) : undefined),
    (text) => `${blockFault(text)}${typeof text === 'string' ? hintOn(text) : ''}`,
  ).meta({ override: boundsSchema('integer', BOUNDS.block) }),
  json: blockOf(blockNumber, blockFault).meta({
    override: { type: 'string', pattern: BLOCK_GEOID.source },
  }),
};

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
