import { expect, test } from 'vitest';
import { openProxy } from '../../support/proxy-harness.ts';
import { publishSmallRelease } from '../../support/small-release.ts';
import { smallCounty } from '../../support/small-world.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';
import { ofThisTest } from '../../support/test-resources.ts';
import { type Call, expectOk, expectProblem, type HttpResponse } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, onEachLedger } from '../demo.ts';
import { KNOWN_REQUESTS } from '../routes.ts';

const shape = { blocks: 12, pois: 60 };
const same = smallCounty({ fips: '24510', seed: 1, ...shape });
const before = smallCounty({ fips: '24005', seed: 2, ...shape });
const after = smallCounty({ fips: '24005', seed: 3, ...shape });

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

onEachLedger((_, newAddress) => {
  test('cursors and ETags survive a new release, and the header names the release that applies', async () => {
    const folder = await folderOfThisTest();
    await publishSmallRelease(folder, 'first', [same, before]);
    const proxy = await ofThisTest(openProxy(folder, { ledger: newAddress() }));
    const { key } = await proxy.customer({ tokens: 1e6 });
    const of = (geoid: string) => `/v1/blocks/${geoid}/pois?limit=2&mode=walk`;
    const [kept, changed] = [same, before].map(({ blocks }) => of(blocks[3].geoid));
    const posted = ['/v1/blocks/pois', { origins: [before.blocks[3].geoid] }] as const;
    const once = { 'idempotency-key': 'of the first release' };
    const first = {
      kept: await proxy.get(kept, key),
      changed: await proxy.get(changed, key),
      posted: await proxy.post(posted[0], key, posted[1], once),
    };
    const [ofFirst] = new Set(Object.values(first).map(named));
    expect(ofFirst).toMatch(/^first-[0-9a-f]{12}$/);

    await publishSmallRelease(folder, 'second', [same, after]);
    expect(await proxy.releases.refresh()).toBe(true);
    const ofSecond = proxy.releases.current.version;
    expect(ofSecond).not.toBe(ofFirst);
    const unchanged = await proxy.get(kept, key, {
      'if-none-match': String(first.kept.headers.etag),
    });
    expect([unchanged.statusCode, named(unchanged)]).toEqual([304, ofSecond]);
    const again = await proxy.get(kept, key);
    expect([again.headers.etag, named(again)]).toEqual([first.kept.headers.etag, ofSecond]);
    for (const [url, response] of [
      [kept, first.kept],
      [changed, first.changed],
    ] as const) {
      const { next_cursor } = response.json();
      const next = await proxy.get(`${url}&cursor=${next_cursor}`, key);
      expect([next.statusCode, named(next)]).toEqual([200, ofSecond]);
    }
    // A replayed response names the release it was made from; a new one names this release.
    const replayed = await proxy.post(posted[0], key, posted[1], once);
    expect([replayed.body, replayed.headers['idempotency-replayed'], named(replayed)]).toEqual([
      first.posted.body,
      'true',
      ofFirst,
    ]);
    expect(named(await proxy.post(posted[0], key, posted[1]))).toBe(ofSecond);
  });
});
