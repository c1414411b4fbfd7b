import { expect, test } from 'vitest';
import { type Call, expectInvalid, expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { KNOWN_REQUESTS } from '../routes.ts';

const demo = demoOfTests();
const routes = KNOWN_REQUESTS.filter(({ route }) => takesModes(route));

/** Whether a route takes modes: as a parameter, as a member, or in criteria. */
function takesModes(route: string): boolean {
  return !/\/pois$|\/v1\/pois\/\{dest_id\}$|isochrone\/tiles/.test(route);
}

function withMembers(call: Call, members: Readonly<Record<string, string | number>>): Call {
  if (call.body === undefined) return { ...call, query: { ...call.query, ...members } };
  return { ...call, body: { ...call.body, ...members } };
}

test.each(routes)(
  '$route takes the window and the percentile of the release',
  async ({ request }) => {
    const plain = await demo.api.call(request(demo));
    const response = await demo.api.call(
      withMembers(request(demo), { departure: 'am', percentile: 10 }),
    );
    expect(expectOk(response)).toEqual(expectOk(plain));
    expect(response.headers.etag).toBe(plain.headers.etag);
  },
);

// Changes refuse those that one of the releases they compare lacks, whichever is in force.
test.each(routes.filter(({ route }) => route !== '/v1/changes'))(
  '$route refuses other windows and percentiles, and names those of the release',
  async ({ request }) => {
    const evening = await demo.api.call(withMembers(request(demo), { departure: 'pm' }));
    expectInvalid(evening, 'departure');
    expect(evening.body).toContain('must be one of am');
    const median = await demo.api.call(withMembers(request(demo), { percentile: 50 }));
    expectInvalid(median, 'percentile');
    expect(median.body).toContain('must be 10');
  },
);

test('tiles and their TileJSON take the window and the percentile of the release', async () => {
  for (const path of [
    '/v1/isochrone/tiles/walk/101/6/0/0.mvt',
    '/v1/isochrone/tiles/walk/101.json',
  ]) {
    const ask = (query: Call['query']) => demo.api.get(path, query);
    const plain = await ask({});
    const response = await ask({ departure: 'am', percentile: 10 });
    expect(response.statusCode).toBeLessThan(300);
    expect([response.statusCode, response.headers.etag]).toEqual([
      plain.statusCode,
      plain.headers.etag,
    ]);
    expectInvalid(await ask({ departure: 'pm' }), 'departure');
  }
});

test('assumptions list the windows and percentiles', async () => {
  const meta = expectOk(await demo.api.get('/v1/isochrone/meta'));
  expect(meta.assumptions).toMatchObject({ departures: ['am'], percentiles: [10] });
});

test('a percentile in quotes is refused with advice to leave them out', async () => {
  const area = { blocks: [demo.block.geoid] };
  const response = await demo.api.post('/v1/coverage', { area, percentile: '10' });
  expectInvalid(response, 'percentile');
  expect(response.json().errors[0].msg).toBe('must be 10: leave out the quotes');
});
