import { expect, test } from 'vitest';
import { type Call, expectOk, expectProblem, type HttpResponse } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK } from '../demo.ts';
import { KNOWN_REQUESTS } from '../routes.ts';

const named = ({ headers }: Pick<HttpResponse, 'headers'>) => headers['x-data-release'];

const demo = demoOfTests();
const version = async () => expectOk(await demo.api.get('/v1/isochrone/meta')).version;

test.each(KNOWN_REQUESTS)('every response of $route names its release', async ({ request }) => {
  const call = request(demo);
  const release = await version();
  const response = await demo.api.call(call);
  expect([response.statusCode, named(response)]).toEqual([200, release]);
  const csv = await demo.api.call({ ...call, headers: { accept: 'text/csv, */*' } });
  expect([csv.statusCode, named(csv)]).toEqual([200, release]);
  const refusals = [
    { ...call, query: { ...call.query, lmit: 1 } },
    { ...call, as: await demo.api.newCustomer({ tokens: 0 }) },
  ];
  for (const refused of refusals) {
    const { statusCode, headers } = await demo.api.call(refused);
    expect([statusCode >= 400, named({ headers })]).toEqual([true, release]);
  }
  if (call.method === 'POST') return;
  const head = await demo.api.call({ ...call, method: 'HEAD' });
  expect([head.statusCode, named(head)]).toEqual([200, release]);
  const headers = { 'if-none-match': String(response.headers.etag) };
  const unchanged = await demo.api.call({ ...call, headers });
  expect([unchanged.statusCode, named(unchanged)]).toEqual([304, release]);
});

test('a not-found response, a tile, and responses to members name their release', async () => {
  const release = await version();
  const unknown = await demo.api.get(`/v1/blocks/${NO_SUCH_BLOCK}/summary`);
  expectProblem(unknown, 'block-not-found');
  expect(named(unknown)).toBe(release);
  const as = await demo.api.newCustomer({ tokens: 0, member: true });
  const free: Call[] = [
    { path: '/v1/isochrone', query: { block: demo.block.geoid, minutes: 5 }, as },
    { path: '/v1/isochrone/tiles/walk/101/6/0/0.mvt', as },
  ];
  for (const call of free) {
    const { headers } = await demo.api.call(call);
    expect(named({ headers })).toBe(release);
    expect(headers).not.toHaveProperty('x-tokens-charged');
  }
});

test('a response to a client without a valid key names no release', async () => {
  const { headers } = await demo.api.get('/v1/blocks/1/summary', {}, { as: null });
  expect(named({ headers })).toBeUndefined();
});
