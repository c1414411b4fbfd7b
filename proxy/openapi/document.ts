import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { ProblemResponses, problemDocument } from '../../portal/http/problem-docs.ts';
import { PROBLEM_TYPES, type ProblemSlug } from '../../portal/http/problem-types.ts';
import { PLANS } from '../../portal/plans.ts';
import { MAX_POI_MINUTES, MINUTES } from '../../shards/matrix/row-codec.ts';
import { boundsSchema } from '../bounds.ts';
import type { ProxyConfig } from '../config.ts';
import type { Endpoint, PostEndpoint } from '../endpoint.ts';
import {
  bareHeaders,
  headHeaders,
  idempotencyKey,
  ifNoneMatch,
  isConditional,
  isFreeForMembers,
  kindOf,
  otherHeaders,
  problemHeaders,
  responseHeaders,
} from './headers.ts';

const slugs = (...of: readonly ProblemSlug[]) => of;
const PROBE_PROBLEMS = slugs('invalid-parameters', 'key-in-url', 'internal-error');
const FREE_PROBLEMS = slugs(
  ...PROBE_PROBLEMS,
  ...slugs('not-acceptable', 'rate-limited', 'overloaded', 'store-unavailable'),
);
const KEYED_PROBLEMS = slugs(
  ...slugs('invalid-parameters', 'key-in-url', 'missing-key', 'invalid-key', 'account-disabled'),
  ...slugs('not-acceptable', 'rate-limited', 'internal-error'),
  ...slugs('overloaded', 'debit-unavailable'),
);
const METERED_PROBLEMS = slugs(...KEYED_PROBLEMS, 'tokens-exhausted', 'store-unavailable');
const POSTED_PROBLEMS = slugs(
  ...METERED_PROBLEMS,
  ...slugs('request-timeout', 'payload-too-large'),
  ...slugs('unsupported-media-type', 'idempotency-conflict'),
);

/** The service that the document describes. */
export interface DocumentedService
  extends Pick<ProxyConfig, 'baseUrl' | 'version' | 'batchRowBudget' | 'accountUrl'> {
  readonly problemBase: string;
}

/** Builds the OpenAPI 3.1 document from the schemas used for validation. */
export function openApiDocument(endpoints: readonly Endpoint[], service: DocumentedService) {
  const { baseUrl, version, accountUrl, batchRowBudget, problemBase } = service;
  const members = (slug: ProblemSlug) => exampleMembers(slug, accountUrl);
  const problems = new ProblemResponses({ base: problemBase, schema: problem, members });
  const alike = new AlikeResponses();
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    const { access, path } = endpoint;
    const method = access === 'posted' ? 'post' : 'get';
    paths[path] = {
      ...paths[path],
      [method]: operation(endpoint, problems, alike),
      ...(access !== 'posted' && { head: headOperation(endpoint, alike) }),
    };
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Travel-Time Access Service',
        version,
        description: descriptionWith(batchRowBudget, accountUrl),
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: baseUrl }],
      ...(accountUrl !== undefined && {
        externalDocs: { description: 'Portal: keys and tokens', url: accountUrl },
      }),
      tags: [
        { name: 'Blocks', description: 'Travel times from a census block.' },
        { name: 'Points', description: 'Travel times from the block that contains a point.' },
        { name: 'POIs', description: 'Points of interest: search, detail, catchment.' },
        { name: 'Areas', description: 'Travel times and POIs of a whole area.' },
        { name: 'Coverage', description: 'Sums over the blocks of an area; criteria; sites.' },
        { name: 'Exports', description: 'Tables of the release as files.' },
        { name: 'Isochrones', description: 'Travel-time contours, and tiles for maps.' },
        { name: 'Places', description: 'Census places: cities and towns. Free.' },
        { name: 'Catalogue', description: 'Modes, types, versions, prices. Free.' },
        { name: 'Account', description: 'Token balance.' },
        { name: 'Service', description: 'Health of the service.' },
      ],
      paths,
      components: {
        schemas: { MaxRows: maxRows(batchRowBudget) },
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key, \`ta_live_…\`${accountUrl === undefined ? '' : `, from ${accountUrl}`}. Never put it in a URL. Pages use a browser token of the portal instead, \`tb_live_…\`, with the \`Origin\` it is bound to.`,
          },
        },
      },
    },
    { override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema) },
  );
}

const descriptionWith = (
  rowBudget: number,
  accountUrl: string | undefined,
) => `Travel times from every US census block: minutes on foot, by bike and by public transit to the nearest point of interest (POI) of each type, and to every single POI. Times are routed from block centres. Times to POIs are capped at ${MAX_POI_MINUTES} minutes: a missing row means "not within ${MAX_POI_MINUTES} minutes", never zero; \`unrouted\` lists modes that could not be routed from a block at all. Times between blocks, which isochrones are drawn from, go up to ${MINUTES.most} minutes.

Metered routes cost one token per returned row, at least one per request; sums over an area or for sites at least ${PLANS.charges.area_minimum}; isochrones ${PLANS.charges.isochrone_contour} per contour; map tiles ${PLANS.charges.tile}; exported tables what \`GET /v1/exports\` lists. HEAD costs one and returns the price of the GET. Send the \`ETag\` of a response back as \`If-None-Match\`: if nothing has changed, the response is a 304, and free. A batch stops before the origin that would exceed ${rowBudget} rows, or \`max_rows\`, but always returns the first one whole; the price of a POST cannot be queried in advance.${accountUrl === undefined ? '' : ` Create keys and buy tokens at ${accountUrl}.`}

The examples are from the current release and cost little; their lists and outlines are shortened.`;

/** Schema of a batch's `max_rows`. */
function maxRows(rowBudget: number) {
  return {
    ...boundsSchema('integer', { min: 1, max: rowBudget }),
    description: `Maximum number of rows to return and to charge; by default ${rowBudget}. Origins are returned whole, and the first regardless of its rows; the others are listed in \`truncated\`, with \`row-budget\`.`,
  };
}

/** Removes JavaScript's safe-integer limits, which Zod emits and the API does not have. */
function withoutSafeBounds(schema: { maximum?: number | undefined; minimum?: number | undefined }) {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

const problem = problemDocument
  .extend({
    tokens_remaining: z.int().optional().meta({
      description:
        'For `tokens-exhausted`: the balance. The price of the response is not disclosed.',
    }),
    account_url: z.url().optional().meta({
      description:
        'For `missing-key`, `invalid-key` and `tokens-exhausted`: where to create keys and buy tokens, if configured.',
    }),
    formats: z.array(z.string()).optional().meta({
      description: 'For `not-acceptable`: the media types of the route.',
    }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem.' });

function exampleMembers(slug: ProblemSlug, accountUrl: string | undefined) {
  const isOfAccounts = slug === 'missing-key' || slug === 'invalid-key';
  return {
    ...(slug === 'tokens-exhausted' && { tokens_remaining: 3 }),
    ...((isOfAccounts || slug === 'tokens-exhausted') &&
      accountUrl !== undefined && { account_url: accountUrl }),
    ...(slug === 'not-acceptable' && { formats: ['application/json', 'text/csv'] }),
  };
}

function operation(
  endpoint: Endpoint,
  problems: ProblemResponses,
  alike: AlikeResponses,
): ZodOpenApiOperationObject {
  const isPosted = endpoint.access === 'posted';
  return {
    ...about(endpoint),
    ...(isPosted && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: endpoint.body } },
      },
    }),
    responses: {
      [isPosted ? (endpoint.status ?? 200) : 200]: {
        description: endpoint.responseDescription,
        headers: responseHeaders(endpoint),
        content: contentOf(endpoint),
      },
      ...emptyResponses(endpoint, alike),
      ...problems.of([...problemsOfAccess(endpoint), ...endpoint.problems], {
        kind: kindOf(endpoint),
        headers: (status) => problemHeaders(endpoint, status),
      }),
      ...otherResponse(endpoint),
    },
  };
}

/** HEAD of a GET route: the price of the response and whether it has changed, without its body. */
function headOperation(
  endpoint: Exclude<Endpoint, PostEndpoint>,
  alike: AlikeResponses,
): ZodOpenApiOperationObject {
  const { operationId, summary, ...same } = about(endpoint);
  const isMetered = endpoint.access === 'metered';
  const statuses = new Set(
    [...problemsOfAccess(endpoint), ...endpoint.problems].map((slug) => PROBLEM_TYPES[slug].status),
  );
  return {
    ...same,
    operationId: `${operationId}Head`,
    summary: `${summary}: headers only`,
    description: isMetered
      ? 'One token, or free where the GET is free for members. `X-Tokens-Cost` is what the GET would ' +
        'charge; nothing else about the response is disclosed. A 304 is free.'
      : 'The headers of the GET, without its body.',
    // Otherwise, the reference would list each GET twice.
    'x-scalar-ignore': true,
    responses: {
      200: { description: 'The GET would succeed.', headers: headHeaders(endpoint) },
      ...emptyResponses(endpoint, alike, true),
      ...Object.fromEntries(
        Array.from(statuses, (status) => [
          status,
          alike.named(`Head${kindOf(endpoint)}${status}`, () => ({
            description: 'The same as for the GET, without the problem document.',
            headers: problemHeaders(endpoint, status),
          })),
        ]),
      ),
      ...(endpoint.access === 'free' &&
        endpoint.otherStatus && {
          [endpoint.otherStatus]: { description: 'Not ready.', headers: otherHeaders },
        }),
    },
  };
}

/** Metadata of an operation, without its responses. */
function about(endpoint: Endpoint) {
  const { operationId, summary, description, tag, access } = endpoint;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: access === 'free' ? [] : [{ apiKey: [] }],
    requestParams: {
      ...(access !== 'posted' && { path: endpoint.params, query: endpoint.query }),
      ...(isConditional(endpoint) && { header: z.object({ 'If-None-Match': ifNoneMatch }) }),
      ...(access === 'posted' && { header: z.object({ 'Idempotency-Key': idempotencyKey }) }),
    },
  };
}

/** Responses other than problems that several operations share. */
class AlikeResponses {
  readonly #made = new Map<string, ZodOpenApiResponseObject>();

  named(id: string, make: () => ZodOpenApiResponseObject): ZodOpenApiResponseObject {
    const made = this.#made.get(id) ?? { ...make(), id };
    this.#made.set(id, made);
    return made;
  }
}

/** Responses without a body; when the result is empty, HEAD states that price as well. */
function emptyResponses(endpoint: Endpoint, alike: AlikeResponses, isHead = false) {
  const payer = isFreeForMembers(endpoint) ? 'ForMembers' : '';
  return {
    ...(endpoint.access === 'metered' &&
      endpoint.mayBeEmpty && {
        204: {
          description: 'Nothing to return. Free.',
          headers: isHead ? headHeaders(endpoint) : bareHeaders(endpoint),
        },
      }),
    ...(isConditional(endpoint) && {
      304: alike.named(`${kindOf(endpoint)}${payer}NotModified`, () => ({
        description: 'Not modified since that ETag. Free.',
        headers: bareHeaders(endpoint),
      })),
    }),
  };
}

/** Media types of a response: JSON, and the formats of rows. */
function contentOf(endpoint: Endpoint) {
  const { response: schema, example } = endpoint;
  const json = { schema, ...(example !== undefined && { example }) };
  const table = 'table' in endpoint ? endpoint.table : undefined;
  const isGeoJson = endpoint.access === 'free' && endpoint.isGeoJson === true;
  const geoJson = endpoint.access === 'metered' ? endpoint.geoJson : undefined;
  if ('mediaType' in endpoint && endpoint.mediaType) return { [endpoint.mediaType]: { schema } };
  return {
    'application/json': json,
    ...(isGeoJson && { 'application/geo+json': { schema } }),
    ...(geoJson && { 'application/geo+json': { schema: geoJson } }),
    ...(table && {
      'text/csv': { schema: rowsAsText },
      'application/x-ndjson': { schema: rowsAsText },
      'application/vnd.apache.parquet': { schema: rowsAsParquet },
    }),
    ...(table?.geometry && { 'application/geo+json': { schema: featureCollection } }),
  };
}

const rowsAsText = z.string().meta({
  id: 'RowsAsText',
  description:
    'The rows. CSV has a header line; members of nested objects are joined by an underscore, and text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is prefixed with an apostrophe, so that no spreadsheet runs it as a formula. Headers carry what JSON contains besides the rows: the next page, the block that contains a point, and modes that could not be routed. Origins of a batch without rows are also counted in headers; NDJSON lists them in a last line, with `errors`, `truncated` and `truncated_reason` if there are any, and CSV in `X-Errors` and `X-Truncated`.',
});

const rowsAsParquet = z.string().meta({
  id: 'RowsAsParquet',
  format: 'binary',
  description:
    'The rows as a Parquet file with the columns of CSV: GEOIDs are text, `travel_time` is a 32-bit float, any column may have nulls. The key-value metadata of the file has what JSON contains besides the rows, each member as JSON.',
});

const featureCollection = z
  .looseObject({ type: z.literal('FeatureCollection'), features: z.array(z.looseObject({})) })
  .meta({
    id: 'RowsAsGeoJson',
    description:
      'The rows as features of a GeoJSON FeatureCollection: points, or the outline of the block of the row. For a batch it has `errors`, `truncated` and `truncated_reason` as members.',
  });

function otherResponse(endpoint: Endpoint) {
  if (endpoint.access !== 'free' || endpoint.otherStatus === undefined) return {};
  const content = { 'application/json': { schema: endpoint.response } };
  return {
    [endpoint.otherStatus]: { description: 'Not ready.', headers: otherHeaders, content },
  };
}

function problemsOfAccess(endpoint: Endpoint): readonly ProblemSlug[] {
  if (endpoint.access === 'metered') return METERED_PROBLEMS;
  if (endpoint.access === 'posted') return POSTED_PROBLEMS;
  if (endpoint.access === 'keyed') return KEYED_PROBLEMS;
  return endpoint.cache === 'never' ? PROBE_PROBLEMS : FREE_PROBLEMS;
}
