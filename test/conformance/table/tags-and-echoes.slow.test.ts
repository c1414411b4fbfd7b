import { expect, test } from 'vitest';
import { ofThisTest } from '../../support/test-resources.ts';
import { Api, expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const [OLD, NEW] = ['the cursor secret of before', 'the cursor secret of now'];

const demo = demoOfTests();

test('a rotated cursor secret changes the ETags of paginated routes only; old cursors still work', async () => {
  const open = (cursorSecrets: string[]) => Api.open({ config: { cursorSecrets } });
  const before = await ofThisTest(open([OLD]));
  const after = await ofThisTest(open([NEW, OLD]));
  const { geoid } = demo.block;
  const paged = [
    { path: `/v1/blocks/${geoid}/pois`, query: { mode: 'walk', limit: 5 } },
    { path: `/v1/places/${demo.place.geoid}/blocks`, query: { type: 101, limit: 5 } },
    { path: `/v1/pois/${demo.poi.dest_id}/catchment`, query: { limit: 5 } },
  ];
  const whole = [
    { path: `/v1/blocks/${geoid}/summary` },
    { path: `/v1/pois/${demo.poi.dest_id}` },
    { path: '/v1/isochrone', query: { block: geoid, minutes: 5 } },
  ];
  for (const call of whole) {
    const etags = [(await before.call(call)).headers.etag, (await after.call(call)).headers.etag];
    expect([call.path, etags[1]]).toEqual([call.path, etags[0]]);
  }
  for (const call of paged) {
    const [old, fresh] = [await before.call(call), await after.call(call)];
    expect(expectOk(fresh).results).toEqual(expectOk(old).results);
    expect([call.path, fresh.headers.etag]).not.toEqual([call.path, old.headers.etag]);
    const { next_cursor: cursor } = old.json();
    const next = await after.call({ ...call, query: { ...call.query, cursor } });
    const same = { ...call.query, cursor: fresh.json().next_cursor };
    expect(expectOk(next).results).toEqual(
      expectOk(await after.call({ ...call, query: same })).results,
    );
  }
});

test('a pinned isochrone is cached for ever, by its client only', async () => {
  const { version } = expectOk(await demo.api.get('/v1/isochrone/meta'));
  const query = { block: demo.block.geoid, minutes: 5 };
  const pinned = await demo.api.get('/v1/isochrone', { ...query, v: version });
  expect(pinned.headers['cache-control']).toBe('private, max-age=31536000, immutable');
  const plain = await demo.api.get('/v1/isochrone', query);
  expect(plain.headers['cache-control']).toBe('public, no-cache');
  expect(plain.body).toBe(pinned.body);
});

test('an origin is echoed exactly as sent, whatever its digits', async () => {
  const { lon, lat } = demo.block;
  const nearby = { lon: lon + 1e-13, lat: lat - 1e-13 };
  expect(String(nearby.lat).length).toBeGreaterThan(12);
  for (const path of ['/v1/point/summary', '/v1/point/pois']) {
    const body = { origins: [nearby], mode: ['walk'], type: [101] };
    const { origins, results } = expectOk(await demo.api.post(path, body));
    const named = { origin_lat: nearby.lat, origin_lon: nearby.lon };
    expect(origins).toMatchObject([{ ...named, resolved_block: demo.block.geoid }]);
    for (const row of results) expect(row).toMatchObject(named);
  }
});
