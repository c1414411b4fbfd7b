import fc from 'fast-check';
import { KNOWN_REQUESTS, type Landmarks } from '../routes.ts';
import { brokenBody, brokenJson, brokenPairs, nastyText } from './mutations.ts';
import { isLeftOut, type Pools, type Schema, valuesOf } from './schema-arbitrary.ts';

/**
 * The parts of the OpenAPI document that requests are generated from and responses checked against.
 */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
        readonly content?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A complete request except for its key. */
export interface FuzzRequest {
  readonly method: Method;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The path template in the document. */
  readonly route: string;
}

const JSON_TYPE = 'application/json';

/** Values of the `Accept` header; an empty one is not sent. */
export const ACCEPTED = [
  '',
  '',
  '',
  '',
  '*/*',
  'text/csv',
  'application/x-ndjson',
  'application/geo+json',
  'application/vnd.apache.parquet',
  'text/html',
  'text/*;q=0.1, application/json',
  'nonsense',
  ';;q=,',
  'application/json;q=0',
];
const CODINGS = ['', '', 'gzip', 'gzip, br', 'identity', '*', 'gzip;q=0', 'nonsense', ';q='];
const CONDITIONS = ['', '', '', '', '', '', '*', '"nothing"', 'W/"a", "b"', '"', ', ,', '""'];
/** Idempotency keys, most of them empty; some recur in other requests, some are invalid. */
const IDEMPOTENCY_KEYS = fc.oneof(
  { arbitrary: fc.constant(''), weight: 6 },
  { arbitrary: fc.nat(1_000_000).map((n) => `batch ${n}`), weight: 3 },
  fc.constantFrom('a', 'b', ' ', 'x'.repeat(255), 'x'.repeat(256), 'é'),
);
const ODD_METHODS: readonly Method[] = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST', 'GET'];
/** Paths outside the document's operations. */
const OTHER_PATHS = [
  '/',
  '/openapi.json',
  '/docs',
  '/problems/invalid-parameters',
  '/problems/x',
  '/v1',
  '/v2/x',
  '//',
  '/v1/blocks',
  '/v1/blocks/x',
  '/favicon.ico',
  '/v1/health/',
  '/%2e%2e/',
  '/docs/x',
];

const IS_METERED = new Set(KNOWN_REQUESTS.map(({ route }) => route));
const METERED_WEIGHT = 4;

/**
 * The operations that requests are sent to: all but messages of assistants, whose errors are those
 * of JSON-RPC.
 */
export function fuzzedOperations({ paths }: ApiDocument): { path: string; method: string }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    path === '/mcp' ? [] : Object.keys(methods).map((method) => ({ path, method })),
  );
}

/** Requests to any existing path, by any method and with any headers. */
export function anyRequest(
  document: ApiDocument,
  marks: Landmarks,
  pools: Pools,
): fc.Arbitrary<FuzzRequest> {
  const operations = fuzzedOperations(document).map(({ path, method }) => {
    const arbitrary = requestsTo(document, path, method, marks, pools);
    return { arbitrary, weight: IS_METERED.has(path) ? METERED_WEIGHT : 1 };
  });
  const others = fc.constantFrom(...OTHER_PATHS).map((path): FuzzRequest => {
    return { method: 'GET', path, headers: {}, route: path };
  });
  const request = fc.oneof(
    { arbitrary: fc.oneof(...operations), weight: 40 },
    { arbitrary: others, weight: 1 },
  );
  return fc
    .tuple(request, someHeaders, fc.nat(19), fc.constantFrom(...ODD_METHODS))
    .map(([asked, headers, dice, oddMethod]) => {
      const method = dice === 0 ? oddMethod : dice <= 2 && isGet(asked) ? 'HEAD' : asked.method;
      const { body, ...rest } = asked;
      const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
      return {
        ...rest,
        method,
        headers: { ...headersFor(method, headers), ...asked.headers },
        ...(hasBody ? { body } : {}),
      };
    });
}

const isGet = ({ method }: FuzzRequest) => method === 'GET';

const someHeaders = fc.record({
  accept: fc.constantFrom(...ACCEPTED),
  'accept-encoding': fc.constantFrom(...CODINGS),
  'if-none-match': fc.constantFrom(...CONDITIONS),
  'idempotency-key': IDEMPOTENCY_KEYS,
  'x-request-id': fc.constantFrom('', '', 'mine', 'x'.repeat(129)),
});

function headersFor(method: Method, headers: Record<string, string>): Record<string, string> {
  const unsuited = method === 'POST' ? 'if-none-match' : 'idempotency-key';
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== '' && name !== unsuited),
  );
}

/** Requests to one operation as the document allows them; one in three has an error. */
export function requestsTo(
  document: ApiDocument,
  route: string,
  method: string,
  marks: Landmarks,
  pools: Pools,
): fc.Arbitrary<FuzzRequest> {
  return fc
    .tuple(drafts(document, route, method, marks, pools), fc.boolean(), fc.nat(2))
    .chain(([draft, isPathBroken, dice]) => {
      const isBroken = dice === 0;
      const pairs = Object.entries(draft.query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)] as const),
      );
      return fc
        .tuple(
          isPathBroken && isBroken ? nastyText : fc.constant(undefined),
          isBroken && draft.body === undefined ? brokenPairs(pairs) : fc.constant(pairs),
          isBroken && draft.body !== undefined ? brokenBodies(draft.body) : sound(draft.body),
        )
        .map(([segment, query, sent]): FuzzRequest => {
          const filled = route.replaceAll(/\{(\w+)\}/g, (_, name) =>
            encoded(segment || String(draft.path[name])),
          );
          const search = query.map((pair) => pair.map(encoded).join('=')).join('&');
          return {
            method: method.toUpperCase() as Method,
            path: search === '' ? filled : `${filled}?${search}`,
            route,
            ...sent,
          };
        });
    });
}

/** The components of a request, before any of them is broken. */
interface Draft {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Drafts that the schemas allow, and occasionally one that is known to succeed. */
function drafts(
  document: ApiDocument,
  route: string,
  method: string,
  marks: Landmarks,
  pools: Pools,
): fc.Arbitrary<Draft> {
  const { parameters = [], requestBody } = document.paths[route][method];
  const resolve = (ref: string) => resolveIn(document, ref);
  const part = (where: string) => {
    const here = parameters.filter(
      ({ in: place, name }) => place === where && !isLeftOut(name, pools),
    );
    const values: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
      here.map(({ name, schema }) => [
        name,
        valuesOf(schema, resolve, pools, poolName(route, name)),
      ]),
    );
    const requiredKeys = here.filter(({ required }) => required).map(({ name }) => name);
    return fc.record(values, { requiredKeys });
  };
  const body = requestBody
    ? valuesOf(requestBody.content[JSON_TYPE].schema, resolve, pools)
    : fc.constant(undefined);
  const made: fc.Arbitrary<Draft> = fc.record({ path: part('path'), query: part('query'), body });
  const known = knownDraft(route, method, marks);
  return known ? fc.oneof({ arbitrary: made, weight: 3 }, fc.constant(known)) : made;
}

function knownDraft(route: string, method: string, marks: Landmarks): Draft | undefined {
  const calls = KNOWN_REQUESTS.filter((one) => one.route === route).map(({ request }) =>
    request(marks),
  );
  const call = calls.find((one) => (one.method ?? 'GET') === method.toUpperCase());
  if (!call) return undefined;
  const template = new RegExp(route.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)'));
  const path = template.exec(call.path)?.groups ?? {};
  return { path, query: call.query ?? {}, body: call.body };
}

type Sent = Pick<FuzzRequest, 'body' | 'headers'>;

const JSON_HEADERS = { 'content-type': JSON_TYPE };

function sound(body: unknown): fc.Arbitrary<Sent> {
  return fc.constant(
    body === undefined ? { headers: {} } : { body: JSON.stringify(body), headers: JSON_HEADERS },
  );
}

const tooLarge: Sent = {
  body: JSON.stringify({ padding: 'x'.repeat(2 ** 20) }),
  headers: JSON_HEADERS,
};
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/jsonp',
  '',
];

function brokenBodies(body: unknown): fc.Arbitrary<Sent> {
  return fc.oneof(
    {
      arbitrary: brokenBody(body).map((broken) => {
        return { body: JSON.stringify(broken), headers: JSON_HEADERS };
      }),
      weight: 120,
    },
    { arbitrary: brokenJson.map((text) => ({ body: text, headers: JSON_HEADERS })), weight: 40 },
    {
      arbitrary: fc.constantFrom(...OTHER_TYPES).map((type) => {
        return { body: JSON.stringify(body), headers: { 'content-type': type } };
      }),
      weight: 20,
    },
    // Some dozens among 10,000 requests, so that a run without any is as good as impossible.
    { arbitrary: fc.constant(tooLarge), weight: 8 },
  );
}

function resolveIn(document: ApiDocument, ref: string): Schema {
  const steps = ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown>)[step],
    document,
  ) as Schema;
}

/** Lone surrogates have no encoding: they are sent as the bytes that would encode them. */
export const NO_UTF8 = '%ed%a0%80';
function encoded(text: string): string {
  return /\p{Surrogate}/u.test(text) ? NO_UTF8 : encodeURIComponent(text);
}

/** A GEOID is a block's or a place's, depending on the route. */
function poolName(route: string, name: string): string {
  return name === 'geoid' && route.includes('/places/') ? 'place' : name;
}
