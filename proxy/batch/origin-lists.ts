import { z } from 'zod';
import type { GeoidNumber } from '../../shards/geoid.ts';
import type { DestId } from '../../shards/units.ts';
import { BOUNDS, boundsSchema } from '../bounds.ts';
import { listOf } from '../fields/compounds.ts';
import { required } from '../fields/field.ts';
import { isObject } from '../fields/kinds.ts';
import {
  blockNumber,
  GEOID_WORDS,
  sentOrigin,
  sentPlaceOf,
  sentPlaceSchema,
  sentValue,
} from '../fields/locations.ts';
import { Problem } from '../http/problem.ts';
import { REQUEST_LIMITS } from '../http/request-limits.ts';
import { acceptsParameters } from '../http/validation.ts';
import type { SentPlace } from '../queries/addresses/locate-sent.ts';
import { checkOrigins } from './batch.ts';

const LIMITS = REQUEST_LIMITS.origins;
const FAILS_ALONE = ' A malformed or unknown one fails alone and is listed in `errors`.';

/** A block as sent: a number if it is one of a block, or else text, which need not be a GEOID. */
export type SentBlock = GeoidNumber | string | null;

/**
 * A block. A number, as spreadsheets store GEOIDs, may lack a leading zero; what is neither text
 * nor a number matches no block, and fails alone.
 */
export const sentBlock = z
  .unknown()
  .transform((given): SentBlock => {
    const block = typeof given === 'number' ? blockNumber(given) : undefined;
    if (block !== undefined) return block;
    return given === undefined || given === null ? null : String(sentValue(given));
  })
  .meta({ override: { type: 'string', description: GEOID_WORDS } });

export const blockOrigins = originList('origins', sentBlock, 'Blocks');

export interface Point extends SentPlace {
  /** The JSON of an origin that is no address and no object with two numbers, shortened. */
  readonly sent?: string;
}

const point = sentPlaceOf(
  'a point',
  {},
  {
    none: 'must be an object with lon and lat, or an address',
    unknown: `unknown member; a point ${acceptsParameters(['lon', 'lat', 'address'])}`,
  },
);
const POINT_SCHEMA = sentPlaceSchema();

/** Points and addresses as origins; one without a place, or one out of range, fails alone. */
export const pointOrigins = originList(
  'origins',
  z
    .unknown()
    .transform((given, context): Point => {
      const parsed = point.safeParse(isObject(given) ? given : {});
      if (parsed.success) {
        const { data } = parsed;
        const isPoint = Number.isFinite(data.lon) && Number.isFinite(data.lat);
        const isSound = isPoint || data.address !== undefined;
        return isSound ? data : { ...data, sent: sentOrigin(given) };
      }
      for (const issue of parsed.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    })
    .meta({ override: POINT_SCHEMA }),
  'Points, or addresses',
);

/** Block origins or point origins, depending on the first item that is either. */
export const blockOrPointOrigins = required(
  {
    json: z
      .unknown()
      .transform((given, context) => {
        const items: unknown[] = Array.isArray(given) ? given : [];
        const wellFormed = items.find((item) => isPoint(item) || isGeoid(item));
        const isPoints = isObject(wellFormed ?? items.find(isObject));
        const { json } = isPoints ? pointOrigins : blockOrigins;
        const parsed = json.safeParse(given);
        if (parsed.success) return parsed.data;
        for (const issue of parsed.error.issues) context.addIssue({ ...issue });
        return z.NEVER;
      })
      .meta({
        override: {
          type: 'array',
          items: { oneOf: [{ type: 'string' }, POINT_SCHEMA] },
          minItems: 1,
          maxItems: LIMITS,
        },
      }),
  },
  { description: `Blocks by GEOID, or points and addresses; 1 to ${LIMITS}.${FAILS_ALONE}` },
);

/** A POI by its id, or the shortened JSON of what was sent in place of an id. */
export type PoiOrigin = DestId | { readonly sent: string };

/** A POI; what is no integer fails alone. */
export const sentPoi = z
  .unknown()
  .transform(
    (given): PoiOrigin =>
      Number.isSafeInteger(given) ? (given as DestId) : { sent: sentOrigin(given) },
  )
  .meta({ override: boundsSchema('integer', BOUNDS.destId) });

/** Returns the id that was sent; throws `poi-not-found` for what is no id. */
export function destIdOf(poi: PoiOrigin): DestId {
  if (typeof poi === 'number') return poi;
  throw new Problem(
    'poi-not-found',
    `${poi.sent} is not a dest_id: a number as in the rows of POIs`,
  );
}

export const poiOrigins = originList('dest_ids', sentPoi, 'POIs');

function isPoint(value: unknown): boolean {
  return isObject(value) && (('lon' in value && 'lat' in value) || 'address' in value);
}

function isGeoid(value: unknown): boolean {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && /^\d{14,15}$/.test(`${value}`);
}

/**
 * A list of origins. A wrong length is a problem of its own, checked before anything else; an
 * absent list counts as empty.
 */
export function originList<T extends z.ZodType>(name: string, item: T, kind: string) {
  const none = `must be an array of 1 to ${LIMITS} origins`;
  const origins = listOf(item, LIMITS, { none, empty: none, many: none });
  const json = z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? checkOrigins(value, name) : value),
    origins,
  );
  return required({ json }, { description: `${kind}, 1 to ${LIMITS}.${FAILS_ALONE}` });
}
