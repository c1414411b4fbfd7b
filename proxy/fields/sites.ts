import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { withCommas } from '../../shards/number-words.ts';
import { BOUNDS, DEFAULT_MINUTES, LIMITS } from '../bounds.ts';
import { MAX_VALUES } from '../http/json-body.ts';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { missing, withoutNulls } from '../http/validation.ts';
import type { Site } from '../queries/sites/locate-sites.ts';
import { area, areaItem } from './area.ts';
import { levels, listOf, objectOf } from './compounds.ts';
import { jsonSchemaOf, optional, required, withDefault } from './field.ts';
import { integer, number } from './kinds.ts';
import { sentPlaceOf, sentPlaceSchema } from './locations.ts';
import { MAX_CSV_LENGTH, parseSites, type SitesMember } from './parse-sites.ts';
import { typeName } from './rows.ts';

const ID_FAULT = `must be text of 1 to ${LIMITS.nameLength} characters, or a whole number`;

const id = z
  .custom<string | number>(
    (id) =>
      Number.isSafeInteger(id) ||
      (typeof id === 'string' && id.length >= 1 && id.length <= LIMITS.nameLength),
    { error: ({ input }) => (input === undefined ? missing(ID_FAULT) : ID_FAULT) },
  )
  .meta({
    override: {
      anyOf: [{ type: 'string', minLength: 1, maxLength: LIMITS.nameLength }, { type: 'integer' }],
    },
  });

/** A site that cannot be placed fails alone. */
const site = sentPlaceOf('a site', { id });

const capacity = optional(number(BOUNDS.capacity), {
  description: 'Capacity of the site in any unit: doctors, beds, places. Omitted: 1.',
}).json;
const siteWithCapacity = z.preprocess(
  (value) => withoutNulls({ capacity }, value),
  sentPlaceOf('a site', { id, capacity }),
);

const FORMS = 'must be an array of sites, CSV text, a FeatureCollection or';

/** The POIs of a type as sites: in an area of their own, or near that of the request. */
const poiSites = objectOf(
  'sites of a type',
  { type: typeName.json, area: area.json },
  {
    none: `${FORMS} an object with a type`,
    unknown: 'unknown member; sites of a type have type and area',
  },
);

/** Schemas of what each member takes in place of points. */
const OTHERS = { sites: poiSites, candidates: areaItem };
type Others<M extends SitesMember> = z.output<(typeof OTHERS)[M]>;

/** Points as sent; or what stands for the points of others. */
export type SentSites<M extends SitesMember> = readonly Site[] | Others<M>;

const SITES_FAULTS = { none: `${FORMS} an object with a type` };
const siteList = {
  sites: listOf(site, LIMITS.sites, SITES_FAULTS),
  candidates: listOf(site, LIMITS.sites, { none: `${FORMS} an area` }),
};

const FEATURE_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  properties: {
    type: { type: 'string', const: 'Feature' },
    geometry: {
      type: ['object', 'null'],
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

function listSchema(items: oas31.SchemaObject): oas31.SchemaObject {
  return { type: 'array', items, maxItems: LIMITS.sites };
}

const CSV_SCHEMA: oas31.SchemaObject = {
  type: 'string',
  maxLength: MAX_CSV_LENGTH,
  description:
    'CSV with the columns `id`, `lat` and `lon`, between commas, semicolons or tabs. A column ' +
    '`candidate`, `yes` or `no`, must fit the member; `address` counts where a line has no ' +
    'coordinates; others are ignored.',
};

const GEOJSON_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  description:
    'GeoJSON points, with an `id` each or a property of this name; a feature without a geometry ' +
    'may have an `address`. A body has at most ' +
    `${withCommas(MAX_VALUES)} values, names and properties included.`,
  properties: {
    type: { type: 'string', const: 'FeatureCollection' },
    features: { type: 'array', items: FEATURE_SCHEMA, maxItems: LIMITS.sites },
  },
  required: ['type', 'features'],
};

const AREA_SCHEMA: oas31.ReferenceObject = { $ref: '#/components/schemas/Area' };

const POIS_SCHEMA: oas31.SchemaObject = {
  type: 'object',
  description:
    'The POIs of a type in the area; if it is absent, those within the last of `minutes` of a block of the area of the request.',
  properties: {
    type: {
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      description: 'A destination type by id or label.',
    },
    area: AREA_SCHEMA,
  },
  required: ['type'],
};

/**
 * The document's schemas of sites and candidates: conditions with the meaning of `anyOf`. From a
 * choice or a list of types that includes a list, openapi-generator makes clients for Java that do
 * not compile; from a condition, a member of any type.
 */
export const SITES_SCHEMAS = {
  Sites: sitesSchema('or the POIs of a type', POIS_SCHEMA),
  Candidates: sitesSchema('or an area, each of whose blocks is one', AREA_SCHEMA),
  SupplySites: sitesSchema('or the POIs of a type, which count as 1 each', POIS_SCHEMA, {
    capacity: jsonSchemaOf(capacity),
  }),
};

function sitesSchema(
  others: string,
  schema: oas31.SchemaObject | oas31.ReferenceObject,
  more: Readonly<Record<string, oas31.SchemaObject>> = {},
) {
  return {
    description: `Up to ${LIMITS.sites} points or addresses, each with an \`id\` of its own${Object.keys(
      more,
    )
      .map((name) => ` and, if wanted, a \`${name}\``)
      .join('')}, as a list, CSV or GeoJSON; ${others}.`,
    if: listSchema(sentPlaceSchema({ id: jsonSchemaOf(id) }, more)),
    else: { anyOf: [CSV_SCHEMA, GEOJSON_SCHEMA, schema] },
  };
}

/** The caller's own points, each with a unique id: a list, CSV or GeoJSON; or others' points. */
function ownSites<M extends SitesMember>(
  member: M,
  component: keyof typeof SITES_SCHEMAS,
  points: z.ZodType<readonly Site[]> = siteList[member],
) {
  const hasCapacity = component === 'SupplySites';
  const json = z.unknown().transform((value, context): SentSites<M> => {
    const fail = (issues: readonly z.core.$ZodIssue[]) => {
      for (const issue of issues) context.addIssue({ ...issue });
      return z.NEVER;
    };
    const parsed = parseSites(value, member, hasCapacity);
    if ('faults' in parsed) {
      for (const { path, msg, type } of parsed.faults) {
        context.addIssue({ code: 'custom', params: { type }, message: msg, path: [...path] });
      }
      return z.NEVER;
    }
    const { list, lines } = parsed;
    if (typeof list === 'object' && list !== null && !Array.isArray(list)) {
      const { data, error } = OTHERS[member].safeParse(list);
      return error ? fail(error.issues) : (data as Others<M>);
    }
    const { data, error } = points.safeParse(list);
    if (error) return fail(error.issues);
    refuseRepeated(data, context);
    return data.map((one, i) => (lines ? { ...one, line: lines[i] } : one));
  });
  return { json: json.meta({ override: { $ref: `#/components/schemas/${component}` } }) };
}

function refuseRepeated(list: readonly Site[], context: z.core.$RefinementCtx): void {
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
    context.addIssue({ code: 'custom', params: { type: 'duplicate' }, message, path: [i, 'id'] });
    if (++repeated === MAX_COUNTED_FAULTS) break;
  }
}

export const sites = required(ownSites('sites', 'Sites'), { description: 'Sites that are there.' });
export const supplySites = required(
  ownSites(
    'sites',
    'SupplySites',
    listOf(siteWithCapacity, LIMITS.sites, SITES_FAULTS) as unknown as z.ZodType<readonly Site[]>,
  ),
  { description: 'Sites with what each can serve.' },
);
export const candidates = optional(ownSites('candidates', 'Candidates'), {
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
