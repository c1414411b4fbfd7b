import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Endpoint } from '../endpoint.ts';
import { PROBLEMS, type ProblemSlug } from '../http/problem.ts';
import { problemDocument } from './schemas.ts';

const PROBE_PROBLEMS: readonly ProblemSlug[] = ['invalid-parameters', 'internal-error'];
const FREE_PROBLEMS: readonly ProblemSlug[] = [
  ...PROBE_PROBLEMS,
  'rate-limited',
  'store-unavailable',
];
const KEYED_PROBLEMS: readonly ProblemSlug[] = [
  ...['invalid-parameters', 'missing-key', 'invalid-key', 'account-disabled'],
  ...['rate-limited', 'internal-error', 'debit-unavailable'],
] as ProblemSlug[];
const METERED_PROBLEMS: readonly ProblemSlug[] = [
  ...KEYED_PROBLEMS,
  'tokens-exhausted',
  'store-unavailable',
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
    paths[endpoint.path] = { get: operation(endpoint, config.problemBase) };
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
  const { operationId, summary, description, tag, params, query } = endpoint;
  const hasHeaders = endpoint.access === 'metered';
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: endpoint.access === 'free' ? [] : [{ apiKey: [] }],
    requestParams: {
      path: params,
      query,
      ...(hasHeaders ? { header: z.object({ 'If-None-Match': ifNoneMatch }) } : {}),
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: z.object(hasHeaders ? METERED_HEADERS : COMMON_HEADERS),
        content: {
          'application/json': { schema: endpoint.response, example: endpoint.example },
        },
      },
      ...(hasHeaders
        ? {
            304: {
              description: 'Nothing has changed since that ETag. Free.',
              headers: z.object(METERED_HEADERS),
            },
          }
        : {}),
      ...problemResponses(endpoint, problemBase),
      ...otherResponse(endpoint),
    },
  };
}

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
const etag = z.string().meta({ description: 'Hash of what decides the answer.' });

const COMMON_HEADERS = {
  'X-Request-Id': z.string().meta({ description: 'Name it when you report a fault.' }),
};
const METERED_HEADERS = {
  ...COMMON_HEADERS,
  ETag: etag,
  'X-Tokens-Charged': z.int().meta({ description: 'What this answer cost.' }),
  'X-Tokens-Remaining': z.int().meta({ description: 'The balance after it.' }),
  RateLimit: z
    .string()
    .meta({ description: 'What is left of the window: `"default";r=299;t=60`.' }),
  'RateLimit-Policy': z.string().meta({ description: 'The window: `"default";q=300;w=60`.' }),
};

function problemsOfAccess(endpoint: Endpoint): readonly ProblemSlug[] {
  if (endpoint.access === 'metered') return METERED_PROBLEMS;
  if (endpoint.access === 'keyed') return KEYED_PROBLEMS;
  return endpoint.rateLimited ? FREE_PROBLEMS : PROBE_PROBLEMS;
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
