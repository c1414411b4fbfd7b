import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../proxy/endpoints/index.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 7, blocks: 12, pois: 60 });
const proxy = proxyOfTests({ store: smallReleaseOfTests(county) });
const block = county.blocks[3].geoid;

/** Two values of each parameter with different responses; null: it has one, or selects no rows. */
const TWO_VALUES: Readonly<Record<string, readonly [string, string] | null>> = {
  mode: ['walk', 'bike'],
  departure: null,
  percentile: null,
  type: ['101', '201'],
  nth: ['1', '3'],
  count_within: ['10', '20'],
  names: ['true', 'false'],
  limit: ['1', '2'],
  cursor: null,
  dest_id: ['1', '5'],
  max_minutes: ['5', '10'],
};

const ROUTES = ['/v1/blocks/{geoid}/summary', '/v1/blocks/{geoid}/pois'];

test.each(ROUTES)('%s: each parameter is part of the ETag', async (route) => {
  const endpoint = ENDPOINTS.find(({ access, path }) => access === 'metered' && path === route)!;
  if (endpoint.access !== 'metered') throw new Error(`${route} is not metered`);
  for (const name of Object.keys(endpoint.query.shape)) {
    expect(TWO_VALUES, 'give it two values here').toHaveProperty(name);
    const tags = [];
    for (const value of TWO_VALUES[name] ?? []) {
      const url = `${route.replace('{geoid}', block)}?${name}=${value}`;
      const { statusCode, headers } = await proxy.get(url, proxy.key);
      expect([url, statusCode]).toEqual([url, 200]);
      tags.push(headers.etag);
    }
    expect(new Set(tags).size, name).toBe(tags.length);
  }
});
