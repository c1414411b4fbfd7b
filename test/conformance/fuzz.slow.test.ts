import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import { forAll } from '../support/for-all.ts';
import { inPlace, withoutOtherMembers } from '../support/openapi.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { type Customer, expectOk, type HttpResponse } from './api.ts';
import { demoOfTests } from './demo.ts';
import { landmarksOf } from './fuzz/landmarks.ts';
import { ACCEPTED, type ApiDocument, fuzzedOperations, requestsTo } from './fuzz/requests.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';
import type { Pools } from './fuzz/schema-arbitrary.ts';
import type { Landmarks } from './routes.ts';

/** Requests in a round to an operation; another round follows while a wanted status is missing. */
const RUNS = 20;
/**
 * Upper bound on the requests to an operation. At least one request in a hundred gets each wanted
 * status, so that all of them miss one in only one of 10¹⁷ runs.
 */
const MOST_RUNS = 4_000;
const BODILESS = [204, 304];
/** A slice of what `npm run bench -- fuzz` sends. */
const REQUESTS = 5_000;

const demo = demoOfTests();
let document: ApiDocument;
let ajv: Ajv2020;
let things: { marks: Landmarks; pools: Pools };
/** A customer whose tokens soon run out. */
let poor: Customer;

beforeAll(async () => {
  document = inPlace(expectOk(await demo.api.get('/openapi.json')));
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(withoutOtherMembers(document), 'openapi');
  poor = await demo.api.newCustomer({ tokens: 40 });
  things = await landmarksOf(demo.api.proxy.releases.current);
});

test('every operation responds to any request as documented and charges what the response is worth', async () => {
  for (const { path, method } of fuzzedOperations(document)) await fuzz(path, method);
});

test('no random request to the running service fails, and charged = debited = rows delivered', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const ledger = await folderOfThisTest();
  const report = await runFuzz(inject('demoStore'), ledger, { requests: REQUESTS, seed });
  expect(report.faults, `seed ${seed}`).toEqual([]);
  expect([...report.statuses.keys()]).toEqual(
    expect.arrayContaining([200, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429]),
  );
});

/** A path that the client resolves to another route before it sends it. */
const DOT_SEGMENT = /^[^?]*\/(\.|%2e){1,2}([/?]|$)/i;

/** Statuses to meet where they are not 200 and 400, since random names are hardly ever right. */
const WANTED: Readonly<Record<string, readonly number[]>> = {
  '/v1/exports/links': [404, 400],
  '/tiles/{archive}': [404],
  '/exports/{manifestStem}/{file}': [403],
};

/** Checks that an operation's responses are documented; `api.call` checks the other guarantees. */
async function fuzz(path: string, method: string): Promise<void> {
  const wanted = WANTED[path] ?? [200, 400];
  const statuses = new Set<number>();
  const send = () =>
    forAll(
      RUNS,
      requestsTo(document, path, method, things.marks, things.pools),
      fc.nat(9),
      fc.constantFrom(...ACCEPTED),
      async (request, wealth, accept) => {
        const as = wealth === 0 ? poor : demo.api.customer;
        const headers = { ...request.headers, ...(accept === '' ? {} : { accept }) };
        const response = await demo.api.call({ ...request, headers, as });
        if (!DOT_SEGMENT.test(request.path)) isInDocument(response, path, method);
        statuses.add(response.statusCode);
      },
    );
  for (let sent = 0; sent < MOST_RUNS; sent += RUNS) {
    await send();
    if (wanted.every((status) => statuses.has(status))) break;
  }
  // A fuzzer that meets only refusals would show nothing.
  expect([...statuses], `${method} ${path}`).toEqual(expect.arrayContaining([...wanted]));
}

function isInDocument(response: HttpResponse, path: string, method: string): void {
  const { statusCode, headers, body } = response;
  const operation = document.paths[path][method];
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

function pointerStep(step: string | number): string {
  return encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
}
