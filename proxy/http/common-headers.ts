import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { headerComponent } from './openapi.ts';
import { setRateHeaders } from './rate-limiting.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The release that a metered request uses, once its key is known. */
    dataRelease: string | null;
  }
}

/**
 * Any page may call the API and read the whole response: keys travel in a header, never in a
 * cookie. The headers are therefore short and the same for all origins.
 */
export const CORS_HEADERS = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
] as const;

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers':
    'Authorization, If-None-Match, If-Range, Range, Idempotency-Key, X-Request-Id, Content-Type, ' +
    'Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'access-control-max-age': '86400',
} as const;

/**
 * Sets the headers of every response: request id, rate, and CORS. An error after the key check also
 * states that it cost nothing, and which release it refers to.
 */
export function setCommonHeaders(reply: FastifyReply): void {
  // The framework's reply to a malformed URL has no balance.
  if (reply.statusCode >= 400 && typeof reply.balance === 'number') {
    reply.headers({ 'x-tokens-charged': 0, 'x-tokens-remaining': reply.balance });
  }
  if (reply.dataRelease) reply.header('x-data-release', reply.dataRelease);
  setRateHeaders(reply);
  reply.header('x-request-id', reply.request.id);
  for (let i = 0; i < CORS_HEADERS.length; i += 2) {
    reply.header(CORS_HEADERS[i], CORS_HEADERS[i + 1]);
  }
}

export function handlePreflights(app: FastifyInstance): void {
  app.options('/*', (_request, reply) => {
    reply.code(204).headers(PREFLIGHT).send();
  });
}

const text = (description: string) => z.string().meta({ description });
const whole = (description: string) => z.int().meta({ description });
const textIfAny = (description: string) => z.string().optional().meta({ description });

/** Every header specific to this API, by name: the single source for the document and the code. */
const RESPONSE_HEADERS = {
  ETag: text('Hash of everything that determines the response.'),
  'X-Tokens-Charged': whole('Tokens charged for this response.'),
  'X-Tokens-Remaining': whole('Token balance after this response.'),
  'X-Tokens-Cost': z.int().optional().meta({ description: 'Tokens that the GET would charge.' }),
  RateLimit: text('Requests left in the window: `"default";r=299;t=60`.'),
  'RateLimit-Policy': text('The limit and its window: `"default";q=300;w=60`.'),
  'Retry-After': whole('Seconds to wait before retrying.'),
  'X-Request-Id': text('Quote it when you report a problem.'),
  'Idempotency-Replayed': z
    .literal('true')
    .optional()
    .meta({ description: 'The response repeats an earlier one, which was already charged.' }),
  Link: textIfAny('Link to the next page, if there is one: `<…>; rel="next"`.'),
  'X-Next-Cursor': textIfAny('`next_cursor`, if not null.'),
  'X-Resolved-Block': text('`resolved_block`.'),
  'X-Batch-Errors': whole('Number of `errors`.'),
  'X-Batch-Truncated': whole('Number of `truncated` origins.'),
  'X-Truncated-Reason': textIfAny('`truncated_reason`, if not null.'),
  'X-Truncated': textIfAny(
    'CSV only: the `truncated` origins, percent-encoded and separated by commas, a point as `lat lon`, a trip as `from to mode departs`; omitted, like `X-Errors`, if the list exceeds 4 kB.',
  ),
  'X-Errors': textIfAny(
    'CSV only: the origins that could not be resolved, in the same form, each with its reason: `990019999999999=block-not-found`; a malformed point or POI as its `sent`; of sites, after their list: `candidates:a=point-not-covered`.',
  ),
  'X-Data-Release': text(
    'The release of the response: the `version` of `/v1/isochrone/meta`. A cursor continues in the current release; a response that a cache has revalidated is valid in the current release.',
  ),
  'X-Block': textIfAny('CSV and NDJSON only: `block`, as JSON.'),
  'X-Blocks': textIfAny(
    'CSV and NDJSON only: `blocks`, as JSON; beyond 4 kB a member of the last line of NDJSON instead.',
  ),
  'X-Origins': textIfAny('CSV and NDJSON only: `origins`, as JSON, with the same limit.'),
  'X-From': textIfAny('CSV and NDJSON only: `from`.'),
  'X-To': textIfAny('CSV and NDJSON only: `to`.'),
  'X-Departure': textIfAny('CSV and NDJSON only: `departure`, if stated.'),
  'X-Percentile': textIfAny('CSV and NDJSON only: `percentile`, if stated.'),
  'X-Noise': textIfAny(
    'CSV and NDJSON only: `noise`, as JSON; beyond 4 kB `"/v1/meta/weights"`, which has it too, and the last line of NDJSON has the member.',
  ),
  'X-Formula': textIfAny('CSV and NDJSON only: `formula`, as JSON.'),
  'X-Sites-From': textIfAny('CSV and NDJSON only: `sites_from`, as JSON, with the same limit.'),
  'X-Area': text('`area`, as JSON.'),
  'X-Basket': textIfAny('`basket`, as JSON, if there is one.'),
  'X-Precision': text('`precision`: of the times to sites, which begin at their blocks.'),
  'X-Unrouted': textIfAny('`unrouted`, if any: `walk=no-street-near, transit=no-street-near`.'),
  'Accept-Ranges': text('`bytes`.'),
  'Content-Range': text('The range of the body, and the size of the file: `bytes 0-16383/90210`.'),
  'Cache-Control': text('Who may store the response, and for how long.'),
  Vary: text('Request headers that select the response.'),
  'WWW-Authenticate': text('`Bearer`; for an invalid key `Bearer error="invalid_token"`.'),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

/** A header name as sent: in lower case, as in Node and HTTP/2. */
export type SentHeader = Lowercase<HeaderName>;

type Headers = Record<string, z.ZodType>;

/** Each header as a component of the document, defined once for all responses that have it. */
const COMPONENTS = components((header) => header, '');
const COMPONENTS_IF_ANY = components((header) => header.optional(), '.optional');

function components(of: (header: z.ZodType) => z.ZodType, suffix: string): Headers {
  return Object.fromEntries(
    Object.entries<z.ZodType>(RESPONSE_HEADERS).map(([name, header]) => {
      const described = of(header).meta({ ...header.meta() });
      return [name, headerComponent(`${name}${suffix}`, described)];
    }),
  );
}

export function headersNamed(...names: readonly HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, COMPONENTS[name]]));
}

export function headersIfAny(...names: readonly HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, COMPONENTS_IF_ANY[name]]));
}

/**
 * Link to the next page in RFC 8288 syntax: the same URL with another cursor. Every other parameter
 * stays as written, including repeated ones and question marks. The link is relative and starts
 * with the query, so it is correct whatever path prefix a proxy in front strips.
 */
export function nextLink(url: string, cursor: string): string {
  const [, query] = /^[^?]*\??(.*)$/s.exec(url)!;
  const kept = query.split('&').filter((pair) => pair !== '' && nameOf(pair) !== 'cursor');
  const next = [...kept, `cursor=${encodeURIComponent(cursor)}`].join('&');
  return `<${`?${next}`.replaceAll(NOT_IN_A_LINK, percentEncoded)}>; rel="next"`;
}

/**
 * Returns the name of a parameter, decoded as the query string parser does: a cursor may be spelled
 * `%63ursor`.
 */
function nameOf(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0];
}

/**
 * Node accepts some characters in a URL that are not allowed in a URI reference: RFC 3986 appendix
 * A.
 */
const NOT_IN_A_LINK = /[^!$-;=?-[\]_a-z~]/g;

/** Percent-encodes a character of a header, in which each character is one byte. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
