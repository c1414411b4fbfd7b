import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { withCommas } from '../../shards/number-words.ts';
import { BOUNDS, DEFAULT_MINUTES, LIMITS } from '../bounds.ts';
import { MAX_VALUES } from '../http/json-body.ts';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { missing } from '../http/validation.ts';
import type { Site } from '../queries/sites/locate-sites.ts';
import { exactObjectOf, levels, listOf } from './compounds.ts';
import { jsonSchemaOf, optional, required, withDefault } from './field.ts';
import { integer } from './kinds.ts';
import { SENT_POINT } from './locations.ts';
import { MAX_CSV_LENGTH, parseSites, type SitesMember } from './parse-sites.ts';

const ID_FAULT = `must be text of 1 to ${LIMITS.nameLength} characters, or a whole number`;

const site = exactObjectOf('a site', {
  id: z
    .custom<string | number>(
      (id) =>
        Number.isSafeInteger(id) ||
        (typeof id === 'string' && id.length >= 1 && id.length <= LIMITS.nameLength),
      { error: ({ input }) => (input === undefined ? missing(ID_FAULT) : ID_FAULT) },
    )
    .meta({
      override: {
        anyOf: [
          { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
          { type: 'integer' },
        ],
      },
    }),
  // A site that cannot be placed fails alone.
  ...SENT_POINT,
}).meta({ override: { required: ['id', 'lat', 'lon'] } });

const siteList = listOf(site, LIMITS.sites, {
  none: 'must be an array of sites, CSV text or a FeatureCollection',
});

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

/**
 * The document's schema of sites and candidates, which both members refer to. It is a condition
 * with the meaning of `anyOf`: from a choice that includes a list, code generators for Java, Go and
 * Rust make clients that do not compile; from a condition, a member of any type.
 */
export const SITES_SCHEMA = {
  description: `Up to ${LIMITS.sites} points, each with an \`id\` of its own: a list, CSV or GeoJSON.`,
  if: jsonSchemaOf(siteList),
  else: { anyOf: [CSV_SCHEMA, GEOJSON_SCHEMA] },
};

/** The caller's own points, each with a unique id: a list, CSV or GeoJSON. */
function ownSites(member: SitesMember) {
  const json = z
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
    });
  return { json: json.meta({ override: { $ref: '#/components/schemas/Sites' } }) };
}

export const sites = required(ownSites('sites'), { description: 'Sites that are there.' });
export const candidates = optional(ownSites('candidates'), {
  description: 'Sites that might be added.',
});

export const choose = optional(integer(BOUNDS.choose), {
  description: `How many candidates to choose, at most ${BOUNDS.choose.max}.`,
});

export const uncovered = optional(integer(BOUNDS.uncovered), {
  description: `How many blocks that no site covers to list, at most ${BOUNDS.uncovered.max}.`,
});

export const minutes = withDefault(
  levels(BOUNDS.contour, LIMITS.minutesListed),
  [...DEFAULT_MINUTES],
  { description: `Minutes to sum within, up to ${LIMITS.minutesListed}, ascending.` },
);
