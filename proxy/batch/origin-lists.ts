import { z } from 'zod';
import { shortened } from '../http/problem.ts';
import { integer, POINT_SCHEMA, pointItem } from '../openapi/body-members.ts';
import { listOf } from '../openapi/list.ts';
import { checkOrigins, MAX_ORIGINS } from './batch.ts';

/** Longer than any GEOID, so that a malformed one stays malformed. */
const MAX_QUOTED_GEOID = 40;

/**
 * Blocks as they are sent: one that is no GEOID is in no release, and fails alone. A number, as tables
 * hold GEOIDs where nobody has said that they are text, is read by its digits.
 */
export const blockOrigins = originList(
  'origins',
  z
    .union([z.string(), z.number()], {
      error: 'must be a census block GEOID: a string of 15 digits',
    })
    .transform((given) => shortened(String(given), MAX_QUOTED_GEOID)),
  { type: 'string', description: 'Census block GEOID, 15 digits; leading zeros count.' },
  'Blocks, 1 to 250. One that is malformed or not known is in `errors`, alone.',
);

export const pointOrigins = originList('origins', pointItem, POINT_SCHEMA, 'Points, 1 to 250.');

export const poiOrigins = originList(
  'dest_ids',
  integer(0, Number.MAX_SAFE_INTEGER),
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  'Places to go, 1 to 250. One that is not known is in `errors`, alone.',
);

/** A list whose length is a problem of its own, and told before anything else. */
function originList<T extends z.ZodType>(
  name: string,
  item: T,
  items: Readonly<Record<string, unknown>>,
  description: string,
) {
  const none = `must be an array of ${MAX_ORIGINS} at most`;
  return z
    .unknown()
    .transform((value) => (Array.isArray(value) ? checkOrigins(value, name) : value))
    .pipe(listOf(item, MAX_ORIGINS, { none, many: none }))
    .optional()
    .meta({
      description,
      override: { type: 'array', items, minItems: 1, maxItems: MAX_ORIGINS },
    });
}
