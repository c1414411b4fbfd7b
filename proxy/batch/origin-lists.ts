import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import type { GeoidNumber } from '../../shards/geoid.ts';
import type { DestId } from '../../shards/units.ts';
import { BOUNDS, boundsSchema } from '../bounds.ts';
import { REQUEST_LIMITS } from '../http/request-limits.ts';
import type { SentPoint } from '../queries/origins/origin-block.ts';
import {
  POINT_FAULTS,
  POINT_SCHEMA,
  sentCoordinate,
  sentOrigin,
  sentValue,
} from '../schemas/body-members.ts';
import { listOf } from '../schemas/list.ts';
import { blockNumber } from '../schemas/location-parameters.ts';
import { checkOrigins } from './batch.ts';

const LIMITS = REQUEST_LIMITS.origins;
const FAILS_ALONE = ' A malformed or unknown one fails alone and is listed in `errors`.';

/** A block as sent: a number if it is one of a block, or else text, which need not be a GEOID. */
export type SentBlock = GeoidNumber | string | null;

/**
 * Block origins. A number, as spreadsheets store GEOIDs, may lack a leading zero; what is neither
 * text nor a number matches no block, and fails alone.
 */
export const blockOrigins = originList(
  'origins',
  z.unknown().transform((given): SentBlock => {
    const block = typeof given === 'number' ? blockNumber(given) : undefined;
    if (block !== undefined) return block;
    return given === null ? null : String(sentValue(given));
  }),
  { type: 'string', description: 'Census block GEOID, 15 digits including leading zeros.' },
  'Blocks',
);

/** A point as sent. */
export interface Point extends SentPoint {
  /** The JSON of an origin that is no object with two numbers, shortened. */
  readonly sent?: string;
}

const point = z.strictObject({ lon: sentCoordinate, lat: sentCoordinate }, POINT_FAULTS);

/** Point origins; one without coordinates fails alone, as do coordinates out of range. */
export const pointOrigins = originList(
  'origins',
  z.unknown().transform((given, context): Point => {
    const parsed = point.safeParse(isObject(given) ? given : {});
    if (parsed.success) {
      const { data } = parsed;
      const isSound = Number.isFinite(data.lon) && Number.isFinite(data.lat);
      return isSound ? data : { ...data, sent: sentOrigin(given) };
    }
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  }),
  POINT_SCHEMA,
  'Points',
);

/** Block origins or point origins, depending on the first item that is either. */
export const blockOrPointOrigins = z
  .unknown()
  .transform((given, context) => {
    const items: unknown[] = Array.isArray(given) ? given : [];
    const wellFormed = items.find((item) => isPoint(item) || isGeoid(item));
    const isPoints = isObject(wellFormed ?? items.find(isObject));
    const parsed = isPoints ? pointOrigins.safeParse(given) : blockOrigins.safeParse(given);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({
    description: `Blocks by GEOID, or points; 1 to ${LIMITS}.${FAILS_ALONE}`,
    override: {
      type: 'array',
      items: { oneOf: [{ type: 'string' }, POINT_SCHEMA] },
      minItems: 1,
      maxItems: LIMITS,
    },
  });

/** A POI by its id, or the shortened JSON of what was sent in place of an id. */
export type PoiOrigin = DestId | { readonly sent: string };

/** POI origins; what is no integer fails alone. */
export const poiOrigins = originList(
  'dest_ids',
  z
    .unknown()
    .transform(
      (given): PoiOrigin =>
        Number.isSafeInteger(given) ? (given as DestId) : { sent: sentOrigin(given) },
    ),
  boundsSchema('integer', BOUNDS.destId),
  'POIs',
);

function isPoint(value: unknown): boolean {
  return isObject(value) && 'lon' in value && 'lat' in value;
}

function isGeoid(value: unknown): boolean {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && /^\d{14,15}$/.test(`${value}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A list of origins. A wrong length is a problem of its own, checked before anything else; an
 * absent list counts as empty.
 */
function originList<T extends z.ZodType>(
  name: string,
  item: T,
  items: oas31.SchemaObject,
  kind: string,
) {
  const none = `must be an array of 1 to ${LIMITS} origins`;
  return z
    .unknown()
    .transform((value): unknown =>
      value === undefined || Array.isArray(value) ? checkOrigins(value, name) : value,
    )
    .pipe(listOf(item, LIMITS, { none, many: none }))
    .meta({
      description: `${kind}, 1 to ${LIMITS}.${FAILS_ALONE}`,
      override: { type: 'array', items, minItems: 1, maxItems: LIMITS },
    });
}
