import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Endpoint } from '../endpoint.ts';
import { PROBLEMS, type ProblemSlug } from '../http/problem.ts';
import { problemDocument } from './schemas.ts';

const PROBE_PROBLEMS: readonly ProblemSlug[] = [
  'invalid-parameters',
  'rate-limited',
  'internal-error',
];
const FREE_PROBLEMS: readonly ProblemSlug[] = [...PROBE_PROBLEMS, 'store-unavailable'];
const KEYED_PROBLEMS: readonly ProblemSlug[] = [
  ...['invalid-parameters', 'missing-key', 'invalid-key', 'account-disabled'],
  ...['rate-limited', 'internal-error', 'debit-unavailable'],
] as ProblemSlug[];
const METERED_PROBLEMS: readonly ProblemSlug[] = [
  ...KEYED_PROBLEMS,
  'tokens-exhausted',
  'store-unavailable',
];

const POSTED_PROBLEMS: readonly ProblemSlug[] = [
  ...METERED_PROBLEMS,
  ...(['payload-too-large', 'unsupported-media-type', 'idempotency-conflict'] as const),
];

const DESCRIPTION = `For every US census block: how many minutes, on foot, by bike and by public transit, to the nearest amenity of each kind and to each single place. Times are routed from block centres and capped at 30 minutes: a missing row means "not within 30 minutes", never zero.

Metered routes cost one token a returned row, at least one a request. Send the \`ETag\` of an answer back as \`If-None-Match\`: when nothing has changed the answer is 304, and free.`;

/** The OpenAPI 3.1 document, from the schemas that validate. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  config: { readonly baseUrl: string; readonly version: string; readonly problemBase: string },
) {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    const method = endpoint.access === 'posted' ? 'post' : 'get';
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [method]: operation(endpoint, config.problemBase),
    };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Travel-Time Access Service',
      version: config.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.baseUrl }],
    tags: [
      { name: 'Blocks', description: 'Travel times from a census block.' },
      { name: 'Points', description: 'Travel times from the block a point lies in.' },
      { name: 'Places to go', description: 'Points of interest: search, detail, catchment.' },
      { name: 'Areas', description: 'Travel times and places of a whole area.' },
      { name: 'Isochrones', description: 'Contours of travel time, and tiles for maps.' },
      { name: 'Places', description: 'Census places: cities and towns. Free.' },
      { name: 'Catalogue', description: 'What there is: modes, types, versions, prices. Free.' },
      { name: 'Account', description: 'The account of a key.' },
      { name: 'Service', description: 'The state of the service.' },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `ta_live_…`. Never put it into a URL.',
        },
      },
    },
  });
}

function operation(endpoint: Endpoint, problemBase: string): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, access } = endpoint;
  const isPosted = access === 'posted';
  const isConditional = access === 'metered';
  const headers = z.object({
    ...(isConditional || isPosted ? METERED_HEADERS : COMMON_HEADERS),
    ...(isConditional && { ETag: etag }),
  });
  const answerHeaders = headers.extend({
    ...headersBesideRows(endpoint),
    ...(isPosted && { 'Idempotency-Replayed': replayed }),
  });
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: access === 'free' ? [] : [{ apiKey: [] }],
    requestParams: {
      ...(!isPosted && { path: endpoint.params, query: endpoint.query }),
      ...(isConditional && { header: z.object({ 'If-None-Match': ifNoneMatch }) }),
      ...(isPosted && { header: z.object({ 'Idempotency-Key': idempotencyKey }) }),
    },
    ...(isPosted && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: endpoint.body, example: endpoint.requestExample },
        },
      },
    }),
    responses: {
      200: { description: 'The answer.', headers: answerHeaders, content: contentOf(endpoint) },
      ...(isConditional &&
        endpoint.mayBeEmpty && { 204: { description: 'Nothing is there. Free.', headers } }),
      ...(isConditional && {
        304: { description: 'Nothing has changed since that ETag. Free.', headers },
      }),
      ...problemResponses(endpoint, problemBase),
      ...otherResponse(endpoint),
    },
  };
}

/** The media types of an answer: JSON, and for rows what they can be written as beside it. */
function contentOf(endpoint: Endpoint) {
  const json = { schema: endpoint.response, example: endpoint.example };
  const table = 'table' in endpoint ? endpoint.table : undefined;
  const isGeoJson = endpoint.access === 'free' && endpoint.isGeoJson === true;
  if ('mediaType' in endpoint && endpoint.mediaType) {
    return { [endpoint.mediaType]: { schema: endpoint.response } };
  }
  return {
    'application/json': json,
    ...(isGeoJson && { 'application/geo+json': json }),
    ...(table && {
      'text/csv': { schema: rowsAsText },
      'application/x-ndjson': { schema: rowsAsText },
    }),
    ...(table?.hasPoints && { 'application/geo+json': { schema: featureCollection } }),
  };
}

const rowsAsText = z.string().meta({
  id: 'RowsAsText',
  description:
    'The rows alone. CSV has a header line; members of nested objects are joined by an underscore, and a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet runs it. Of what JSON says beside the rows, headers say where the next page begins, which block a point lies in, which modes could not be routed, and how many origins of a batch gave nothing.',
});

const featureCollection = z
  .looseObject({ type: z.literal('FeatureCollection'), features: z.array(z.looseObject({})) })
  .meta({ id: 'RowsAsGeoJson', description: 'The rows as points of a GeoJSON FeatureCollection.' });

const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'Send the same key with a repeated request: within 24 hours it is charged once and answered again.',
  example: 'c0f1a9d2-batch-7',
});

function otherResponse(endpoint: Endpoint) {
  if (endpoint.access !== 'free' || endpoint.otherStatus === undefined) return {};
  const content = { 'application/json': { schema: endpoint.response } };
  const headers = z.object(COMMON_HEADERS);
  return { [endpoint.otherStatus]: { description: 'It is not so.', headers, content } };
}

const ifNoneMatch = z.string().optional().meta({
  description: 'The `ETag` of an earlier answer: 304, and free, if it still holds.',
  example: '"Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"',
});
const replayed = z
  .literal('true')
  .optional()
  .meta({ description: 'The answer was given, and charged for, before.' });
const etag = z.string().meta({ description: 'Hash of what decides the answer.' });

const COMMON_HEADERS = {
  'X-Request-Id': z.string().meta({ description: 'Name it when you report a fault.' }),
};
const METERED_HEADERS = {
  ...COMMON_HEADERS,
  'X-Tokens-Charged': z.int().meta({ description: 'What this answer cost.' }),
  'X-Tokens-Remaining': z.int().meta({ description: 'The balance after it.' }),
  RateLimit: z
    .string()
    .meta({ description: 'What is left of the window: `"default";r=299;t=60`.' }),
  'RateLimit-Policy': z.string().meta({ description: 'The window: `"default";q=300;w=60`.' }),
};

/** Headers that repeat members beside the rows, for the formats that have rows alone. */
const BESIDE_ROWS: Readonly<Record<string, z.ZodRawShape>> = {
  next_cursor: {
    'X-Next-Cursor': z.string().optional().meta({ description: '`next_cursor`, if not null.' }),
  },
  resolved_block: { 'X-Resolved-Block': z.string().meta({ description: '`resolved_block`.' }) },
  errors: { 'X-Batch-Errors': z.int().meta({ description: 'How many `errors` there are.' }) },
  truncated: {
    'X-Batch-Truncated': z.int().meta({ description: 'How many origins are `truncated`.' }),
  },
  unrouted: {
    'X-Unrouted': z
      .string()
      .optional()
      .meta({ description: '`unrouted`, if any: `walk=no-street-near, transit=no-street-near`.' }),
  },
  truncated_reason: {
    'X-Truncated-Reason': z
      .string()
      .optional()
      .meta({ description: '`truncated_reason`, if not null.' }),
  },
};

function headersBesideRows({ response }: Endpoint): z.ZodRawShape {
  const members = response instanceof z.ZodObject ? Object.keys(response.shape) : [];
  return Object.assign({}, ...members.map((member) => BESIDE_ROWS[member]));
}

function problemsOfAccess(endpoint: Endpoint): readonly ProblemSlug[] {
  if (endpoint.access === 'metered') return METERED_PROBLEMS;
  if (endpoint.access === 'posted') return POSTED_PROBLEMS;
  if (endpoint.access === 'keyed') return KEYED_PROBLEMS;
  return endpoint.cache === 'never' ? PROBE_PROBLEMS : FREE_PROBLEMS;
}

/** Headers of a problem's status, beside those of every answer. */
const PROBLEM_HEADERS: Readonly<Record<number, z.ZodRawShape>> = {
  401: { 'WWW-Authenticate': z.string().meta({ description: 'The scheme: `Bearer`.' }) },
  429: { 'Retry-After': z.int().meta({ description: 'Seconds to wait.' }) },
  503: { 'Retry-After': z.int().meta({ description: 'Seconds to wait.' }) },
};

/** One response a status, with an example of each slug that it may be. */
function problemResponses(endpoint: Endpoint, problemBase: string) {
  const slugs = [...new Set([...problemsOfAccess(endpoint), ...endpoint.problems])];
  const byStatus = new Map<number, ProblemSlug[]>();
  for (const slug of slugs) {
    const { status } = PROBLEMS[slug];
    byStatus.set(status, [...(byStatus.get(status) ?? []), slug]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of.map((slug) => `\`${slug}\`: ${PROBLEMS[slug].title}`).join('. '),
        headers: z.object({ ...COMMON_HEADERS, ...PROBLEM_HEADERS[status] }),
        content: {
          'application/problem+json': {
            schema: problemDocument,
            examples: Object.fromEntries(
              of.map((slug) => [
                slug,
                { value: { type: `${problemBase}/${slug}`, title: PROBLEMS[slug].title, status } },
              ]),
            ),
          },
        },
      },
    ]),
  );
}
