import { describe, expect, test } from 'vitest';
import { expectOk, expectProblem } from '../api.ts';
import { demoOfTests, PORT_MERIDIAN, withProxy } from '../demo.ts';

const demo = demoOfTests();

const free = async (path: string) => expectOk(await demo.api.get(path, {}, { as: null }));
const CATALOGUE = [
  '/v1/last-updated',
  '/v1/meta/modes',
  '/v1/meta/destination-types',
  '/v1/meta/vintage',
  '/v1/plans',
];

describe('§4.1 free routes', () => {
  test('health: {status: "ok", version}, without touching a backend', async () => {
    const { api } = demo;
    api.proxy.store.reads = [];
    expect(await free('/v1/health')).toEqual({ status: 'ok', version: expect.any(String) });
    expect(api.proxy.store.reads).toEqual([]);
  });

  test('ready: a check per backend', async () => {
    const { checks } = await free('/v1/ready');
    expect(Object.keys(checks).length).toBeGreaterThan(1);
  });

  test('last-updated: {last_updated, release}, an RFC 3339 timestamp', async () => {
    const { last_updated, release } = await free('/v1/last-updated');
    expect(last_updated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    expect(Date.parse(last_updated)).toBeLessThanOrEqual(Date.now());
    expect(release).toBe('demo');
  });

  test('modes: 1 walk, 2 bike, 3 transit, with descriptions; there is no drive mode', async () => {
    const { modes } = await free('/v1/meta/modes');
    expect(modes).toEqual(
      ['walk', 'bike', 'transit'].map((mode, i) => ({
        mode_id: i + 1,
        mode,
        description: expect.stringMatching(/\w/),
      })),
    );
  });

  test('destination types: leaves and parents, each parent with its leaves', async () => {
    const { destination_types: types } = await free('/v1/meta/destination-types');
    const { leavesOf } = demo.release;
    expect(new Set(types.map((type: { dest_type_id: number }) => type.dest_type_id))).toEqual(
      new Set(leavesOf.keys()),
    );
    for (const type of types) {
      expect(type).toEqual({
        dest_type_id: expect.any(Number),
        name: expect.stringMatching(/\w/),
        label: expect.stringMatching(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/),
        is_leaf: leavesOf.get(type.dest_type_id)!.includes(type.dest_type_id),
        leaf_ids: leavesOf.get(type.dest_type_id),
        parent_id: type.parent_id === null ? null : expect.any(Number),
      });
    }
    expect(types).toContainEqual(
      expect.objectContaining({ label: 'grocery_stores', parent_id: 100 }),
    );
    expect(types).toContainEqual(
      expect.objectContaining({ label: 'parks', is_leaf: false, leaf_ids: [511, 512, 513] }),
    );
    const labels = types.map((type: { label: string }) => type.label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const label of [
      'grocery_stores',
      'libraries',
      'parks',
      'frequent_transit',
      'restaurants',
      'cafes',
      'public_schools',
    ]) {
      expect(labels).toContain(label);
    }
  });

  test('public schools cover elementary, middle and high', async () => {
    const { destination_types: types } = await free('/v1/meta/destination-types');
    const labelOf = new Map(
      types.map((type: { dest_type_id: number; label: string }) => [type.dest_type_id, type.label]),
    );
    const parent = types.find((type: { label: string }) => type.label === 'public_schools');
    const leaves = parent.leaf_ids.map((id: number) => labelOf.get(id)).join(' ');
    for (const level of ['elementary', 'middle', 'high']) expect(leaves).toContain(level);
  });

  test('vintage: {component, version, effective_date} of each data component', async () => {
    const { components } = await free('/v1/meta/vintage');
    for (const component of components) {
      expect(component).toEqual({
        component: expect.stringMatching(/^(road_network|transit_network|pois|blocks|parks)$/),
        version: expect.stringMatching(/\S/),
        effective_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      });
    }
    const names = components.map(({ component }: { component: string }) => component);
    expect(names.sort().join()).toBe('blocks,parks,pois,road_network,transit_network');
  });

  test('vintage: the feeds that were given, each with its status and reason', async () => {
    const { feeds } = await free('/v1/meta/vintage');
    expect(feeds.length).toBeGreaterThan(0);
    for (const feed of feeds) {
      expect(feed).toEqual({
        file: expect.stringMatching(/\S/),
        publisher: expect.stringMatching(/\S/),
        licence: null,
        service_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        trips: expect.any(Number),
        status: 'used',
        reason: null,
      });
    }
  });

  test('plans: the free grant, the membership, packs and charges', async () => {
    const plans = await free('/v1/plans');
    expect(plans).toEqual({
      free_grant: { tokens: 5000 },
      membership: {
        price_usd: 10,
        interval: expect.any(String),
        tokens_per_month: 10_000,
        isochrones_unmetered: true,
      },
      token_packs: expect.any(Array),
      charges: {
        row: 1,
        isochrone_contour: 10,
        tile: 1,
        minimum: 1,
        area_minimum: 10,
        basket: 10,
        site: 1,
        sites_minimum: 10,
        changes: 10,
        explain: 5,
        exports: {
          nearest: 1_000,
          nearest_wide: 1_000,
          pois: 5_000,
          reach: 10_000,
          access: 1_000,
          poi_catalogue: 1_000,
          blocks: 10,
          weights: 10,
          places: 10,
          types: 10,
        },
      },
      account_url: null,
    });
    expect(plans.token_packs.length).toBeGreaterThan(0);
    for (const pack of plans.token_packs) {
      expect(pack).toEqual({
        id: expect.any(String),
        tokens: expect.any(Number),
        price_usd: expect.any(Number),
      });
    }
  });

  const PLACES = ['/v1/places?q=port', `/v1/places/${PORT_MERIDIAN}/boundary`];
  test.each([...CATALOGUE, ...PLACES, '/openapi.json'])(
    '%s may be cached for five minutes, and revalidated by its ETag',
    async (path) => {
      const { api } = demo;
      const first = await api.get(path, {}, { as: null });
      expect(first.headers['cache-control']).toBe(
        'public, max-age=300, stale-while-revalidate=86400',
      );
      const headers = { 'if-none-match': String(first.headers.etag) };
      const again = await api.get(path, {}, { as: null, headers });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    },
  );

  test.each(CATALOGUE)('HEAD %s has the headers of GET and no body', async (path) => {
    const { api } = demo;
    const get = await api.get(path, {}, { as: null });
    const head = await api.call({ method: 'HEAD', path, as: null });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });
});

test('keyless routes except probes are limited by address; keyed ones are not', async () => {
  await withProxy(demo, { config: { freeRateLimitPerMinute: 4 } }, async ({ api }) => {
    const statuses = async (...paths: string[]) => {
      const responses = await Promise.all(paths.map((path) => api.get(path, {}, { as: null })));
      return responses.map(({ statusCode }) => statusCode);
    };
    const free = ['/v1/plans', '/openapi.json', '/docs', '/nothing'];
    expect(await statuses(...free)).toEqual([200, 200, 200, 404]);
    const more = [...free, '/problems/not-found', '/v1/places/%zz/boundary'];
    expect(new Set(await statuses(...more))).toEqual(new Set([429]));
    // Load balancers may share an address with clients.
    for (let probes = 0; probes < 10; probes++) {
      expect(await statuses('/v1/health', '/v1/ready')).toEqual([200, 200]);
    }
    expectProblem(await api.get('/openapi.json', {}, { as: null }), 'rate-limited');
    expectOk(await api.get('/v1/tokens'));
    const preflight = await api.call({ method: 'OPTIONS', path: '/v1/tokens', as: null });
    expect(preflight.statusCode).toBe(204);
  });
});
