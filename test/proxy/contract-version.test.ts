import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { CONTRACT_VERSION } from '../../proxy/metering/etag.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

/** The current version of the contract, and the hash of its responses. */
const PINNED = {
  version: '9',
  sha256: '660fb4e96046d52270fe0427325ed23953cc77d3472b1276094370647511ceca',
};

const county = smallCounty({ fips: '24510', seed: 7, blocks: 12, pois: 60 });
const proxy = proxyOfTests({
  store: smallReleaseOfTests(county),
  config: { cursorSecrets: ['a secret that never changes'] },
});

const [unlinked, , onFoot, linked] = county.blocks.map(({ geoid }) => geoid);
const REQUESTS = [
  `/v1/blocks/${linked}/summary`,
  `/v1/blocks/${linked}/summary?limit=3&names=true`,
  `/v1/blocks/${linked}/summary?nth=1&nth=3&count_within=20&mode=walk`,
  `/v1/blocks/${unlinked}/summary`,
  `/v1/blocks/${onFoot}/summary?mode=bike`,
  `/v1/blocks/${linked}/pois?limit=5`,
  `/v1/blocks/${linked}/pois?limit=5&names=true&max_minutes=20`,
  '/v1/pois?bbox=-77,39,-76,40&limit=5',
  '/v1/pois?lat=39.3&lon=-76.6&radius_m=5000&type=101',
];
const FORMATS = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'application/geo+json',
  'application/vnd.apache.parquet',
];

test('the contract version changes with the bytes of a response, in any format', async () => {
  const hash = createHash('sha256');
  for (const url of REQUESTS) {
    for (const accept of FORMATS) {
      const { statusCode, headers, rawPayload } = await proxy.get(url, proxy.key, { accept });
      // Some routes lack some formats.
      if (statusCode === 406 && accept !== 'application/json') continue;
      expect([url, accept, statusCode]).toEqual([url, accept, 200]);
      hash.update(`${url} ${headers['content-type']}\n`).update(rawPayload);
    }
  }
  expect(
    { version: CONTRACT_VERSION, sha256: hash.digest('hex') },
    'The same data and request give other bytes than before. If that is meant, raise ' +
      'CONTRACT_VERSION in proxy/metering/etag.ts, so that no client keeps an old body by its ' +
      'ETag, and pin the received version and hash here.',
  ).toEqual(PINNED);
});
