import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { truncate } from '../../portal/http/problem.ts';
import { REQUEST_LIMITS } from '../../portal/http/request-limits.ts';
import { BOUNDS, boundsSchema } from '../bounds.ts';
import { integer, POINT_SCHEMA, pointItem } from '../schemas/body-members.ts';
import { listOf } from '../schemas/list.ts';
import { checkOrigins } from './batch.ts';

const LIMITS = REQUEST_LIMITS.origins;
/** Longer than any GEOID, so that truncating a malformed one keeps it malformed. */
const MAX_QUOTED_GEOID = 40;

/**
 * Block origins as sent: a malformed GEOID matches no block and fails alone. A number, as
 * spreadsheets store GEOIDs, is interpreted by its digits.
 */
export const blockOrigins = originList(
  'origins',
  z
    .union([z.string(), z.number()], {
      error: 'must be a census block GEOID: a string of 15 digits',
    })
    .transform((given) => truncate(String(given), MAX_QUOTED_GEOID)),
  { type: 'string', description: 'Census block GEOID, 15 digits including leading zeros.' },
  'Blocks',
  ' A malformed or unknown one fails alone and is listed in `errors`.',
);

export type Point = z.output<typeof pointItem>;
export const pointOrigins = originList('origins', pointItem, POINT_SCHEMA, 'Points');

/** Block origins or point origins, depending on the first item. */
export const blockOrPointOrigins = z
  .unknown()
  .transform((given, context) => {
    const isPoints = Array.isArray(given) && typeof given[0] === 'object';
    const parsed = isPoints ? pointOrigins.safeParse(given) : blockOrigins.safeParse(given);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({
    description: `Blocks by GEOID, or points; 1 to ${LIMITS}. A malformed or unknown GEOID fails alone and is listed in \`errors\`.`,
    override: {
      type: 'array',
      items: { oneOf: [{ type: 'string' }, POINT_SCHEMA] },
      minItems: 1,
      maxItems: LIMITS,
    },
  });

export const poiOrigins = originList(
  'dest_ids',
  integer(BOUNDS.destId),
  boundsSchema('integer', BOUNDS.destId),
  'POIs',
  ' An unknown one fails alone and is listed in `errors`.',
);

/**
 * A list of origins. A wrong length is a problem of its own, checked before anything else; an
 * absent list counts as empty.
 */
function originList<T extends z.ZodType>(
  name: string,
  item: T,
  items: oas31.SchemaObject,
  kind: string,
  more = '',
) {
  const none = `must be an array of 1 to ${LIMITS} origins`;
  return z
    .unknown()
    .transform((value): unknown =>
      value === undefined || Array.isArray(value) ? checkOrigins(value, name) : value,
    )
    .pipe(listOf(item, LIMITS, { none, many: none }))
    .meta({
      description: `${kind}, 1 to ${LIMITS}.${more}`,
      override: { type: 'array', items, minItems: 1, maxItems: LIMITS },
    });
}
