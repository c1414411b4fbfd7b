import { expect, test } from 'vitest';
import { type Call, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, PORT_MERIDIAN } from '../demo.ts';
import { BATCHES, ISOCHRONE, KNOWN_REQUESTS } from '../routes.ts';

const NONE_OF_THEM = [
  'text/html',
  'image/*',
  'application/xml, text/plain;q=0.5',
  'application/json;q=0',
  'application/problem+json',
  'application/json;q=0, text/html',
  '*/*;q=0',
];

const demo = demoOfTests();

const ask = (call: Call, accept: string) => demo.api.call({ ...call, headers: { accept } });

test.each(KNOWN_REQUESTS)(
  'a format that $route lacks is not-acceptable, uncharged',
  async (known) => {
    const call = known.request(demo);
    for (const accept of NONE_OF_THEM) {
      const response = await ask(call, accept);
      const { formats } = expectProblem(response, 'not-acceptable');
      expect(response.headers['x-tokens-charged']).toBe('0');
      expect(formats).toContain('application/json');
      for (const format of formats) {
        const given = await ask(call, `${format}, text/html;q=0.5`);
        expect([given.statusCode, given.headers['content-type']]).toEqual([
          200,
          expect.stringMatching(new RegExp(`^${format.replace('+', '\\+')}(;|$)`)),
        ]);
      }
    }
    if (call.method === 'POST') return;
    expect((await ask({ ...call, method: 'HEAD' }, 'text/html')).statusCode).toBe(406);
    const etag = String((await demo.api.call(call)).headers.etag);
    const headers = { accept: 'text/html', 'if-none-match': etag };
    expect((await demo.api.call({ ...call, headers })).statusCode).toBe(406);
  },
);

test('JSON is sent if it is accepted at all, whatever else is preferred', async () => {
  const call = ISOCHRONE.request(demo);
  for (const accept of [
    '*/*',
    '',
    'application/*',
    'text/csv, application/json;q=0.1',
    'text/html, */*;q=0.1',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'nonsense',
    ';;q=,',
  ]) {
    const response = await ask(call, accept);
    expect([accept, response.headers['content-type']]).toEqual([
      accept,
      'application/json; charset=utf-8',
    ]);
  }
});

test('the most specific range decides, then its weight, then the order', async () => {
  const [{ request }] = BATCHES;
  const given = async (accept: string) => {
    const { headers } = await ask(request(demo), accept);
    return String(headers['content-type']).split(';')[0];
  };
  expect(await given('application/json;q=0, */*')).toBe('text/csv');
  expect(await given('text/csv;q=0.3, application/json;q=0.2, */*;q=0.1')).toBe('text/csv');
  expect(await given('application/x-ndjson, text/csv')).toBe('application/x-ndjson');
  expect(await given('text/csv, application/x-ndjson')).toBe('text/csv');
  expect(await given('text/*;q=0.1, */*;q=0.5, application/json;q=0')).toBe('application/x-ndjson');
  expect(await given('application/jsonl')).toBe('application/x-ndjson');
});

test('the catalogue, a boundary and a tile refuse formats that they lack; probes respond to any Accept', async () => {
  const boundary = `/v1/places/${PORT_MERIDIAN}/boundary`;
  const formatsOf = async (path: string, as?: null) =>
    expectProblem(await ask({ path, as }, 'text/html'), 'not-acceptable').formats;
  expect(await formatsOf('/v1/plans', null)).toEqual(['application/json']);
  expect(await formatsOf('/v1/tokens')).toEqual(['application/json']);
  expect(await formatsOf(boundary, null)).toEqual(['application/json', 'application/geo+json']);
  const mvt = 'application/vnd.mapbox-vector-tile';
  const tile = '/v1/isochrone/tiles/walk/101/6/0/0.mvt';
  expect(await formatsOf(tile)).toEqual([mvt]);
  for (const accept of [mvt, 'application/x-protobuf', 'application/json', '*/*']) {
    expect([accept, (await ask({ path: tile }, accept)).statusCode]).toEqual([accept, 204]);
  }
  for (const path of ['/v1/health', '/v1/ready']) {
    expectOk(await ask({ path, as: null }, 'text/html'));
  }
});
