import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { withCommas } from '../../shards/number-words.ts';
import { BOUNDS, boundsSchema, DEFAULT_MINUTES, LIMITS } from '../bounds.ts';
import { MAX_VALUES } from '../http/json-body.ts';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { missing } from '../http/validation.ts';
import type { Site } from '../queries/sites/locate-sites.ts';
import { integer, sentCoordinate } from './body-members.ts';
import { objectFault } from './criteria.ts';
import { listOf } from './list.ts';
import { MAX_CSV_LENGTH, parseSites, type SitesMember } from './parse-sites.ts';

const ID_FAULT = `must be text of 1 to ${LIMITS.nameLength} characters, or a whole number`;

const site = z.strictObject(
  {
    id: z.custom<string | number>(
      (id) =>
        Number.isSafeInteger(id) ||
        (typeof id === 'string' && id.length >= 1 && id.length <= LIMITS.nameLength),
      { error: ({ input }) => (input === undefined ? missing(ID_FAULT) : ID_FAULT) },
    ),
    // A site that cannot be placed fails alone.
    lon: sentCoordinate,
    lat: sentCoordinate,
  },
  { error: ({ code }) => objectFault(code, 'a site', ['id', 'lat', 'lon']) },
);

const siteList = listOf(site, LIMITS.sites, {
  none: 'must be an array of sites, CSV text or a FeatureCollection',
  many: `must list at most ${LIMITS.sites}`,
});

const SITE_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  properties: {
    id: {
      anyOf: [{ type: 'string', minLength: 1, maxLength: LIMITS.nameLength }, { type: 'integer' }],
    },
    lon: boundsSchema('number', BOUNDS.longitude),
    lat: boundsSchema('number', BOUNDS.latitude),
  },
  required: ['id', 'lon', 'lat'],
  additionalProperties: false,
};

const FEATURE_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  properties: {
    type: { type: 'string', const: 'Feature' },
    geometry: {
      type: 'object',
      properties: {
        type: { type: 'string', const: 'Point' },
        coordinates: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 },
      },
      required: ['type', 'coordinates'],
    },
  },
  required: ['type', 'geometry'],
  additionalProperties: true,
};

const CSV_SCHEMA: oas31.SchemaObject = {
  type: 'string',
  maxLength: MAX_CSV_LENGTH,
  description:
    'CSV with the columns `id`, `lat` and `lon`, between commas, semicolons or tabs. A column ' +
    '`candidate`, `yes` or `no`, must fit the member; others are ignored.',
};

const GEOJSON_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  description:
    'GeoJSON points, with an `id` each or a property of this name. A body has at most ' +
    `${withCommas(MAX_VALUES)} values, names and properties included.`,
  properties: {
    type: { type: 'string', const: 'FeatureCollection' },
    features: { type: 'array', items: FEATURE_SCHEMA, maxItems: LIMITS.sites },
  },
  required: ['type', 'features'],
};

const LIST_SCHEMA: oas31.SchemaObject = {
  type: 'array',
  items: SITE_SCHEMA,
  maxItems: LIMITS.sites,
};

/**
 * The document's schema of sites and candidates, which both members refer to. It is a condition
 * with the meaning of `anyOf`: from a choice that includes a list, code generators for Java, Go and
 * Rust make clients that do not compile; from a condition, a member of any type.
 */
export const SITES_SCHEMA = {
  description: `Up to ${LIMITS.sites} points, each with an \`id\` of its own: a list, CSV or GeoJSON.`,
  if: LIST_SCHEMA,
  else: { anyOf: [CSV_SCHEMA, GEOJSON_SCHEMA] },
};

/** Returns the schema of the caller's own points, each with a unique id: a list, CSV or GeoJSON. */
function sites(member: SitesMember, description: string) {
  return z
    .unknown()
    .transform((value, context): Site[] => {
      const parsed = parseSites(value, member);
      if ('faults' in parsed) {
        for (const { path, msg, type } of parsed.faults) {
          context.addIssue({ code: 'custom', params: { type }, message: msg, path: [...path] });
        }
        return z.NEVER;
      }
      const { data, error } = siteList.safeParse(parsed.list);
      for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
      const { lines } = parsed;
      return data?.map((one, i) => (lines ? { ...one, line: lines[i] } : one)) ?? z.NEVER;
    })
    .superRefine((list, context) => {
      // A number and its digits are the same id, since text formats do not distinguish them.
      const seen = new Map<string, number>();
      let repeated = 0;
      for (const [i, { id }] of list.entries()) {
        const first = seen.get(String(id));
        if (first === undefined) {
          seen.set(String(id), i);
          continue;
        }
        const message = `is also the id of item ${first}: each needs one of its own`;
        const params = { type: 'duplicate' };
        context.addIssue({ code: 'custom', params, message, path: [i, 'id'] });
        if (++repeated === MAX_COUNTED_FAULTS) break;
      }
    })
    .meta({ description, override: { $ref: '#/components/schemas/Sites' } });
}

export const sitesMember = sites('sites', 'Sites that are there.');
export const candidatesMember = sites('candidates', 'Sites that might be added.').optional();

export const chooseMember = integer(BOUNDS.choose)
  .optional()
  .meta({ description: `How many candidates to choose, at most ${BOUNDS.choose.max}.` });

export const uncoveredMember = integer(BOUNDS.uncovered)
  .optional()
  .meta({
    description: `How many blocks that no site covers to list, at most ${BOUNDS.uncovered.max}.`,
  });

const MINUTES_FAULT = `must be 1 to ${LIMITS.minutesListed} whole minutes from ${BOUNDS.contour.min} to ${BOUNDS.contour.max}, ascending`;

/** Ascending minutes. */
export const siteMinutesMember = listOf(integer(BOUNDS.contour), LIMITS.minutesListed, {
  none: MINUTES_FAULT,
  empty: MINUTES_FAULT,
  many: MINUTES_FAULT,
})
  .refine((list) => list.every((minute, i) => i === 0 || minute > list[i - 1]), {
    error: MINUTES_FAULT,
  })
  .optional()
  .transform((list) => list ?? DEFAULT_MINUTES)
  .meta({
    description: `Minutes to sum within, up to ${LIMITS.minutesListed}, ascending.`,
    override: {
      type: 'array',
      items: boundsSchema('integer', BOUNDS.contour),
      minItems: 1,
      maxItems: LIMITS.minutesListed,
      default: [...DEFAULT_MINUTES],
    },
  });
