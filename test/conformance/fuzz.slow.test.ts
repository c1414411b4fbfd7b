import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Call, type Customer, expectOk } from './api.ts';
import { type Demo, openDemo } from './demo.ts';
import { brokenBody, brokenJson, brokenPairs, nastyText } from './mutations.ts';
import { KNOWN_REQUESTS } from './routes.ts';
import { type Pools, type Schema, valuesOf } from './schema-arbitrary.ts';

interface Operation {
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

const RUNS = 120;
const JSON_TYPE = 'application/json';
const BODILESS = [204, 304];
/** What clients say they take: mostly nothing. */
const ACCEPTED = [
  ...['', '', '', '', '*/*', 'text/csv', 'application/x-ndjson', 'application/geo+json'],
  ...['text/html', 'text/*;q=0.1, application/json', 'nonsense', ';;q=,', 'application/json;q=0'],
];

let demo: Demo;
let document: { readonly paths: Record<string, Record<string, Operation>> };
let ajv: Ajv2020;
let pools: Pools;
/** Somebody whose tokens are soon spent. */
let poor: Customer;

beforeAll(async () => {
  demo = await openDemo();
  document = expectOk(await demo.api.get('/openapi.json'));
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  poor = await demo.api.newCustomer({ tokens: 40 });
  pools = poolsOf(demo);
});
afterAll(() => demo.api.close());

test('any request to any operation is answered as the document says, and paid as the answer says', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      await fuzz(path, method, operation);
    }
  }
}, 120_000);

/** One operation: every answer is in the document; `api.call` checks the rest of what is promised. */
async function fuzz(path: string, method: string, operation: Operation): Promise<void> {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      requests(path, method, operation),
      fc.nat(9),
      fc.constantFrom(...ACCEPTED),
      async (call, wealth, accept) => {
        const as = wealth === 0 ? poor : demo.api.customer;
        const headers = { ...call.headers, ...(accept === '' ? {} : { accept }) };
        const answer = await demo.api.call({ ...call, headers, as });
        isInDocument(answer, path, method, operation);
        statuses.add(answer.statusCode);
      },
    ),
    { numRuns: RUNS },
  );
  // A fuzzer that only ever meets refusals would show nothing.
  expect([...statuses], `${method} ${path}`).toEqual(expect.arrayContaining([200, 400]));
}

/** What a request is made of, before anything is broken. */
interface Draft {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Drafts as the schemas allow them, and now and then one that is known to have an answer. */
function drafts(path: string, method: string, operation: Operation): fc.Arbitrary<Draft> {
  const { parameters = [], requestBody } = operation;
  const part = (where: string) => {
    const here = parameters.filter((parameter) => parameter.in === where);
    const values: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
      here.map(({ name, schema }) => [
        name,
        valuesOf(schema, resolve, pools, poolName(path, name)),
      ]),
    );
    const requiredKeys = here.filter(({ required }) => required).map(({ name }) => name);
    return fc.record(values, { requiredKeys });
  };
  const body = requestBody
    ? valuesOf(requestBody.content[JSON_TYPE].schema, resolve, pools)
    : fc.constant(undefined);
  const made: fc.Arbitrary<Draft> = fc.record({ path: part('path'), query: part('query'), body });
  const known = knownDraft(path, method);
  return known ? fc.oneof({ arbitrary: made, weight: 4 }, fc.constant(known)) : made;
}

function knownDraft(route: string, method: string): Draft | undefined {
  const calls = KNOWN_REQUESTS.filter((one) => one.route === route).map(({ request }) =>
    request(demo),
  );
  const call = calls.find((one) => (one.method ?? 'GET') === method.toUpperCase());
  if (!call) return undefined;
  const template = new RegExp(route.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)'));
  const path = template.exec(call.path)?.groups ?? {};
  return { path, query: call.query ?? {}, body: call.body };
}

/** Requests as the document allows them, and, as often, with something wrong. */
function requests(path: string, method: string, operation: Operation): fc.Arbitrary<Call> {
  return fc
    .tuple(drafts(path, method, operation), fc.boolean(), fc.boolean())
    .chain(([draft, isPathBroken, isBroken]) => {
      const pairs = Object.entries(draft.query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)] as const),
      );
      const breaksBody = draft.body !== undefined && isBroken;
      return fc
        .tuple(
          isPathBroken && isBroken ? nastyText : fc.constant(undefined),
          isBroken && draft.body === undefined ? brokenPairs(pairs) : fc.constant(pairs),
          breaksBody ? bodies(draft.body) : fc.constant({ body: draft.body, headers: {} }),
        )
        .map(([segment, query, sent]): Call => {
          const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
            encoded(segment || String(draft.path[name])),
          );
          const search = query.map((pair) => pair.map(encoded).join('=')).join('&');
          return {
            method: method.toUpperCase() as 'GET',
            path: search === '' ? filled : `${filled}?${search}`,
            ...sent,
          };
        });
    });
}

function bodies(body: unknown): fc.Arbitrary<Pick<Call, 'body' | 'headers'>> {
  const json = { 'content-type': JSON_TYPE };
  return fc.oneof(
    { arbitrary: brokenBody(body).map((broken) => ({ body: broken, headers: json })), weight: 12 },
    { arbitrary: brokenJson.map((text) => ({ body: text, headers: json })), weight: 4 },
    {
      arbitrary: fc
        .constantFrom(
          'text/plain',
          'application/xml',
          'multipart/form-data',
          'application/jsonp',
          '',
        )
        .map((type) => ({ body, headers: { 'content-type': type } })),
      weight: 2,
    },
    {
      arbitrary: fc.constant({ body: { padding: 'x'.repeat(2 ** 20) }, headers: json }),
      weight: 1,
    },
  );
}

function isInDocument(answer: Answer, path: string, method: string, operation: Operation): void {
  const { statusCode, headers, body } = answer;
  // A segment of dots leads elsewhere before the service sees it.
  if (statusCode === 404 && body.includes('/not-found')) return;
  const said = operation.responses[String(statusCode)];
  expect(
    said,
    `${method} ${path} does not tell of a ${statusCode}: ${body.slice(0, 300)}`,
  ).toBeDefined();
  for (const [name, { required }] of Object.entries(said.headers ?? {})) {
    if (required) expect(headers, `${path} ${statusCode}`).toHaveProperty(name.toLowerCase());
  }
  if (BODILESS.includes(statusCode)) {
    expect(body).toBe('');
    return;
  }
  const type = String(headers['content-type']).split(';')[0];
  expect(Object.keys(said.content ?? {}), `${path} ${statusCode}`).toContain(type);
  if (!type.endsWith('json') || type === 'application/x-ndjson') return;
  const pointer = ['paths', path, method, 'responses', statusCode, 'content', type, 'schema'];
  const validate = ajv.getSchema(`openapi#/${pointer.map(pointerStep).join('/')}`)!;
  expect([validate(JSON.parse(body)), validate.errors], `${path} ${body.slice(0, 300)}`).toEqual([
    true,
    null,
  ]);
}

function resolve(ref: string): Schema {
  const steps = ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown>)[step],
    document,
  ) as Schema;
}

function pointerStep(step: string | number): string {
  return encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Lone surrogates have no encoding: they are sent as the bytes that would be one. */
function encoded(text: string): string {
  return /\p{Surrogate}/u.test(text) ? '%ed%a0%80' : encodeURIComponent(text);
}

/** A GEOID is a block's or a place's, by the route. */
function poolName(path: string, name: string): string {
  return name === 'geoid' && path.includes('/places/') ? 'place' : name;
}

function poolsOf({ release, block, water }: Demo): Pools {
  const geoids = [
    ...release.blocks.slice(0, 8).map(({ geoid }) => geoid),
    block.geoid,
    water.geoid,
  ];
  const pois = release.pois.slice(0, 10);
  const near = Array.from({ length: 20 }, (_, i) => i / 2000);
  return {
    geoid: geoids,
    origins: geoids,
    block: geoids,
    place: release.places.map(({ geoid }) => geoid),
    dest_id: pois.map((poi) => poi.dest_id),
    dest_ids: pois.map((poi) => poi.dest_id),
    type: [100, 101, 310, 601, 1001],
    lon: near.map((step) => block.lon + step),
    lat: near.map((step) => block.lat + step),
    bbox: ['-70.02,35.98,-69.98,36.02', '-70,36,-70,36', '179,-1,-179,1'],
    radius_m: [1, 300, 2000, 50_000],
    q: ['a', 'Park', 'é', '%', '_'],
    cursor: ['AAAA', 'x'],
    contours: ['10', '10,20,30', '20,10', '5,10,15,20,25'],
    minutes: [1, 15, 30, 60],
    limit: [1, 7, 1000],
    dest_type_id: [101],
    z: [12],
    x: [1251],
    y: [1607, 1608],
    max_minutes: [1, 5, 12.5, 30],
  };
}
