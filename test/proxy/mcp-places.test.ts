import { expect, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { neighbourhoodName } from '../../infra/demo/names.ts';
import { share } from '../../proxy/mcp/tool.ts';
import { demoAddresses } from '../addresses/demo-addresses.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { callTool } from '../support/mcp-client.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
const HOUSE = demoAddresses().find(
  ({ street, number }) => street === 'Juniper Avenue' && number > 500,
)!;
const ADDRESS = `${HOUSE.number} ${HOUSE.street} ${HOUSE.zip}`;
const NEIGHBOURHOOD = neighbourhoodName(planCity(DEMO_CITY), 0);

/** Calls a tool with a key. */
async function call(name: string, args: object) {
  const { key } = await proxy.customer({ tokens: 1_000 });
  return callTool(proxy, key, name, args);
}

test('a percentage is 0 of none and 100 of all only', () => {
  expect([
    share(0, 2_000),
    share(1, 20_000),
    share(1, 3),
    share(19_999, 20_000),
    share(20_000, 20_000),
    share(0, 0),
  ]).toEqual([
    '0 (0 %)',
    '1 (under 0.1 %)',
    '1 (33.3 %)',
    '19,999 (over 99.9 %)',
    '20,000 (100 %)',
    '0 (n/a)',
  ]);
});

test('find_place finds cities, counties, neighbourhoods and addresses, each with its kind', async () => {
  for (const [query, kind, geoid] of [
    ['Halcyon', 'place', '9931200'],
    ['Meridian County', 'county', '99001'],
    [NEIGHBOURHOOD, 'neighbourhood', /^\d{15}$/],
    [ADDRESS, 'interpolated', HOUSE.block],
  ] as const) {
    const { places } = (await call('find_place', { query })).structuredContent;
    const expected = typeof geoid === 'string' ? geoid : expect.stringMatching(geoid);
    const [{ name, ...first }] = places;
    expect(first).toMatchObject({ geoid: expected });
    expect(name.endsWith(` (${kind})`)).toBe(kind !== 'place');
  }
});

test('an origin may be an address, which the result repeats; one that is not certain is refused', async () => {
  const asked = { types: ['libraries'] };
  const plain = (await call('explain_block', { origin: HOUSE.block, ...asked })).structuredContent;
  const byAddress = await call('explain_block', { origin: ADDRESS, ...asked });
  const { tokens: _, ...same } = byAddress.structuredContent;
  const { tokens: __, ...wanted } = plain;
  expect(same).toEqual(wanted);
  const label = `${HOUSE.number} ${HOUSE.street}, ${HOUSE.zip} (interpolated)`;
  expect(byAddress.content[0].text).toContain(`at ${label}`);
  const unsure = await call('explain_block', { origin: 'Juniper Avenue', ...asked });
  expect(unsure.isError).toBe(true);
  expect(unsure.content[0].text).toMatch(/is no certain address.*\(street Juniper Avenue/);
});

test('the reach of a city or county is the average that the API has for it', async () => {
  const asked = { of: ['jobs'], mode: 'transit', minutes: [30, 45] };
  const query = 'of=jobs&mode=transit&minutes=30&minutes=45';
  for (const [origin, path] of [
    ['Meridian County', '/v1/counties/99001/access?by=county'],
    ['99003', '/v1/counties/99003/access?by=county'],
    ['Port Meridian', '/v1/places/9957600/access?by=place'],
    ['9957600', '/v1/places/9957600/access?by=place'],
  ] as const) {
    const { results } = (await proxy.get(`${path}&${query}`, proxy.key)).json();
    const rows: { minutes: number; count: number }[] = results;
    const jobs = Object.fromEntries(rows.map(({ minutes, count }) => [minutes, count]));
    const { within } = (await call('reach_from', { origin, ...asked })).structuredContent;
    expect([origin, within]).toEqual([origin, { jobs }]);
  }
  const path = '/v1/counties/99001/access?by=county&of=type:libraries&mode=walk';
  const { results } = (await proxy.get(path, proxy.key)).json();
  const pois = results.map(({ minutes, count }: (typeof results)[number]) => [minutes, count]);
  expect(pois.length).toBe(2);
  const { within } = (await call('reach_from', { origin: '99001', of: ['libraries'] }))
    .structuredContent;
  expect(within).toEqual({ Libraries: Object.fromEntries(pois) });
});

test('the coverage of a county is the same by its name and by its code', async () => {
  const asked = { types: ['libraries'] };
  const [named, coded] = await Promise.all(
    ['Meridian County, XA', '99001'].map((area) => call('measure_coverage', { area, ...asked })),
  );
  expect(named.structuredContent.within).toEqual(coded.structuredContent.within);
  expect(named.structuredContent.area).toBe('Meridian County, XA');
});
