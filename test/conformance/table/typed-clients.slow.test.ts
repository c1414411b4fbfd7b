import { describe, expect, test } from 'vitest';
import { type Call, expectInvalid, expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';
import { ISOCHRONE, METERED_GETS, METERED_POSTS } from '../routes.ts';

const LONG_AGO = 'Mon, 01 Jan 2001 00:00:00 GMT';

const demo = demoOfTests();
const point = ({ lon, lat }: { lon: number; lat: number }) => ({ lon, lat });
const exchanged = () => ({ lon: demo.block.lat, lat: demo.block.lon });

test('an origin with a member toString before a block fails alone', async () => {
  const query = { of: ['people'], mode: ['walk'], minutes: [15] };
  const origins = [{ toString: 1 }, demo.block.geoid];
  const body = expectOk(await demo.api.post('/v1/access', { ...query, origins }));
  expect(body.errors).toMatchObject([{ type: 'block-not-found', geoid: '{"toString":1}' }]);
});

test.each([['x'], [5], [{}], [null]])(
  'an origin %j before others of access fails alone',
  async (odd) => {
    const query = { of: ['people'], mode: ['walk'], minutes: [15] };
    for (const good of [point(demo.block), demo.block.geoid]) {
      const body = expectOk(await demo.api.post('/v1/access', { ...query, origins: [odd, good] }));
      expect([body.results.length > 0, body.errors.length]).toEqual([true, 1]);
    }
  },
);

test.each(METERED_POSTS)('$route takes null for an optional member as absent', async (known) => {
  const { path, body } = known.request(demo);
  const document = (await demo.api.get('/openapi.json', {}, { as: null })).json();
  const { schema } = document.paths[path].post.requestBody.content['application/json'];
  const members = Object.keys(schema.properties).filter(
    (name) => !schema.required?.includes(name) && !Object.hasOwn(body as object, name),
  );
  expect(members.length).toBeGreaterThan(0);
  const nulls = Object.fromEntries(members.map((name) => [name, null]));
  const plain = await demo.api.post(path, body);
  const padded = await demo.api.post(path, { ...nulls, ...(body as object) });
  expect([padded.statusCode, padded.body]).toEqual([200, plain.body]);
  expect(padded.headers['x-tokens-charged']).toBe(plain.headers['x-tokens-charged']);
  expectInvalid(await demo.api.post(path, { ...(body as object), unheard_of: null }), 'unheard_of');
});

test.each(METERED_POSTS)('$route takes the defaults that the document states', async (known) => {
  const { path, body } = known.request(demo);
  const document = (await demo.api.get('/openapi.json', {}, { as: null })).json();
  const { schema } = document.paths[path].post.requestBody.content['application/json'];
  const schemas = Object.entries<{ default?: unknown }>(schema.properties);
  const defaults = schemas.flatMap(([name, one]) =>
    one.default === undefined ? [] : [[name, one.default]],
  );
  const plain = await demo.api.post(path, body);
  const filled = await demo.api.post(path, {
    ...Object.fromEntries(defaults),
    ...(body as object),
  });
  expect([filled.statusCode, filled.body]).toEqual([200, plain.body]);
});

test('of two bodies of a route, members do not mix', async () => {
  const area = { center: point(demo.block), radius_m: 500 };
  const origins = [demo.block.geoid];
  const both = await demo.api.post('/v1/access', { area, origins });
  const { detail } = expectProblem(both, 'invalid-parameters');
  expect(detail).toContain('body.origins: does not go with area: send one of them');
  const by = await demo.api.post('/v1/access', { origins, by: 'tract' });
  expect(expectProblem(by, 'invalid-parameters').detail).toBe('body.by: goes with area only');
});

test('null within a body is absent too: of areas, criteria and points to be near', async () => {
  const walk = { mode: 'walk', max_minutes: 15 };
  const area = { center: point(demo.block), radius_m: 500 };
  const others = { polygon: null, places: null, counties: null, blocks: null };
  const bodyOf = (more: object, nth: object, direction: object) => ({
    area: { ...area, ...more },
    all_of: [{ type: 101, ...walk, ...nth }],
    near: [{ ...point(demo.block), ...walk, ...direction }],
  });
  const plain = await demo.api.post('/v1/blocks/match', bodyOf({}, {}, {}));
  const padded = bodyOf(others, { nth: null }, { direction: null });
  expect(expectOk(await demo.api.post('/v1/blocks/match', padded))).toEqual(expectOk(plain));
  const none = { area: { ...others, center: null, radius_m: null }, all_of: padded.all_of };
  expectProblem(await demo.api.post('/v1/blocks/match', none), 'missing-area');
  const required = { ...padded, all_of: [{ type: null, ...walk }] };
  expectInvalid(await demo.api.post('/v1/blocks/match', required), 'type');
});

test('block of a catchment takes GEOIDs as text or numbers, in bodies as in queries', async () => {
  const { geoid } = demo.block;
  const ask = (block: unknown) =>
    demo.api.post('/v1/pois/catchment', { dest_ids: [demo.poi.dest_id], block });
  const { results } = expectOk(await ask([Number(geoid)]));
  expect(results.length).toBeGreaterThan(0);
  expect(expectOk(await ask([geoid])).results).toEqual(results);
  const { poi } = demo;
  const got = await demo.api.get(`/v1/pois/${poi.dest_id}/catchment`, { block: geoid });
  expect(expectOk(got).results).toEqual(results);
  for (const bad of [['x'], ['12'], [''], [true], geoid]) expectInvalid(await ask(bad), 'block');
});

test('an area takes the GEOIDs of blocks as text or numbers', async () => {
  const { geoid } = demo.block;
  const ask = (blocks: unknown[]) =>
    demo.api.post('/v1/coverage', { area: { blocks }, mode: ['walk'], type: [101] });
  const plain = expectOk(await ask([geoid]));
  expect(plain.area.blocks).toBe(1);
  for (const blocks of [[Number(geoid)], [geoid, Number(geoid)]]) {
    expect([blocks, expectOk(await ask(blocks))]).toEqual([blocks, plain]);
  }
});

test('the errors of a batch name malformed origins as they were sent, shortened', async () => {
  const long = 'y'.repeat(1_000);
  const short = (text: string, most: number) =>
    text.length > most ? `${text.slice(0, most - 1)}…` : text;
  const ask = async (path: string, member: string, list: readonly unknown[]) => {
    const { errors } = expectOk(await demo.api.post(path, { [member]: list }));
    return errors.map(({ type: _, detail, ...name }: Record<string, unknown>) => [detail, name]);
  };
  const odd = [null, 1.5, 'x', '12', long, true, { x: long }, [1]];
  const json = odd.map((one) => short(JSON.stringify(one), 100));

  const pois = await ask('/v1/pois/catchment', 'dest_ids', odd);
  expect(pois).toEqual(
    json.map((sent) => [
      `${sent} is not a dest_id: a number as in the rows of POIs`,
      { dest_id: null, sent },
    ]),
  );
  const flat = odd.filter((one) => one !== odd[6]);
  for (const path of ['/v1/blocks/summary', '/v1/blocks/pois', '/v1/access']) {
    const blocks = await ask(path, 'origins', flat);
    expect(blocks.map(([, name]: [string, object]) => name)).toEqual(
      [null, '1.5', 'x', '12', short(long, 40), 'true', '[1]'].map((geoid) => ({ geoid })),
    );
  }
  const no = { origin_lat: null, origin_lon: null };
  const wrong = [
    [{ lat: '39.29', lon: -76.61 }, { ...no, origin_lon: -76.61 }, /^lat is "39.29": it must/],
    [{ lon: [long], lat: 39.29 }, { ...no, origin_lat: 39.29 }, /^lon is "\[.{39}…": it must/],
    [{ lat: 'x', lon: null }, no, /^lat is "x": it must be .*; lon is null: it must be .*$/],
    [{ lon: 5 }, { ...no, origin_lon: 5 }, /^lat is missing: it must be a number from -90 to 90$/],
  ] as const;
  for (const path of ['/v1/point/summary', '/v1/point/pois']) {
    const far = { lat: 95, lon: 191 };
    const points = await ask(path, 'origins', [...flat, ...wrong.map(([sent]) => sent), far]);
    expect(points).toEqual([
      ...flat.map((one) => [
        expect.stringMatching(/^lat is missing: .*; lon is missing: /),
        { ...no, sent: short(JSON.stringify(one), 100) },
      ]),
      ...wrong.map(([sent, name, said]) => [
        expect.stringMatching(said),
        { ...name, sent: short(JSON.stringify(sent), 100) },
      ]),
      [
        'lat is 95: it must be from -90 to 90: are lat and lon exchanged?; lon is 191: it must be from -180 to 180',
        { origin_lat: 95, origin_lon: 191 },
      ],
    ]);
  }
});

test('every format that lists errors states what was sent in place of an origin', async () => {
  const { lon, lat } = demo.block;
  const sent = JSON.stringify({ lat: 'x', lon });
  const origins = [JSON.parse(sent), { lon, lat }];
  const ask = (accept: string) =>
    demo.api.call({
      method: 'POST',
      path: '/v1/point/pois',
      body: { origins, mode: ['walk'] },
      headers: { accept },
    });
  const named = [{ origin_lat: null, origin_lon: lon, sent }];
  expect((await ask('application/json')).json().errors).toMatchObject(named);
  expect((await ask('application/geo+json')).json().errors).toMatchObject(named);
  const lines = (await ask('application/x-ndjson')).body.trim().split('\n');
  expect(JSON.parse(lines.at(-1)!).errors).toMatchObject(named);
  const { headers } = await ask('text/csv');
  expect(headers['x-errors']).toBe(`${encodeURIComponent(sent)}=point-not-covered`);
});

test('a number of 14 digits is a GEOID without its leading zero, text of other than 15 none', async () => {
  const { geoid } = demo.block;
  const dest_ids = [demo.poi.dest_id];
  const short = 10_010_201_001_000;
  const filter = (block: unknown) =>
    demo.api.post('/v1/pois/catchment', { dest_ids, block: [block] });
  const area = (block: unknown) => demo.api.post('/v1/coverage', { area: { blocks: [block] } });
  expectOk(await filter(geoid));
  expect(expectOk(await filter(short)).results).toEqual([]);
  expectOk(await filter('000000000000000'));
  expect(expectProblem(await area(short), 'block-not-found').detail).toContain(`0${short}`);
  for (const text of [
    String(short),
    `+${geoid}`,
    '9.9e14',
    ` ${geoid}`,
    `${geoid}.0`,
    `${geoid}0`,
  ]) {
    for (const refused of [await filter(text), await area(text)]) {
      expect(expectProblem(refused, 'invalid-parameters').errors[0].msg).toContain(
        JSON.stringify(text),
      );
      expect(refused.headers['x-tokens-charged']).toBe('0');
    }
  }
  const { errors } = expectOk(
    await demo.api.post('/v1/blocks/summary', { origins: [short, `${short}`] }),
  );
  expect(errors).toMatchObject([
    { geoid: `${short}`, detail: expect.stringContaining('no county 01001') },
    { geoid: `${short}`, detail: expect.stringContaining('is not a block GEOID') },
  ]);
});

test.each([
  ['/v1/blocks/pois', 'origins', () => demo.block.geoid],
  ['/v1/point/pois', 'origins', () => point(demo.block)],
  ['/v1/pois/catchment', 'dest_ids', () => demo.poi.dest_id],
] as const)(
  'origins of %s that cannot be resolved are free, and one without rows costs the least, one token',
  async (path, member, known) => {
    const ask = (list: unknown[]) => demo.api.post(path, { [member]: list, max_minutes: 1e-9 });
    for (const list of [[null], ['x', 5, null], new Array(250).fill(null)]) {
      const response = await ask(list);
      expect(expectOk(response).errors).toHaveLength(list.length);
      expect(response.headers['x-tokens-charged']).toBe('0');
    }
    expectRows(await ask([null, known()]), 0);
  },
);

test('a message says what to send instead', async () => {
  const { geoid } = demo.block;
  const dest_ids = [demo.poi.dest_id];
  const catchment = `/v1/pois/${demo.poi.dest_id}/catchment`;
  const geoidSaid = 'must be a census block GEOID, 15 digits as text or a number, not ';
  const poiSaid = 'must be the dest_id of a POI: a whole number, as in rows of POIs';
  const posted = (path: string, body: object): Call => ({ method: 'POST', path, body });
  const calls: readonly (readonly [Call, string])[] = [
    [posted('/v1/pois/catchment', { dest_ids, block: ['x'] }), `${geoidSaid}"x"`],
    [posted('/v1/pois/catchment', { dest_ids, block: [12] }), `${geoidSaid}12`],
    [posted('/v1/pois/catchment', { dest_ids, block: [null] }), `${geoidSaid}null`],
    [{ path: catchment, query: { block: 'x' } }, `${geoidSaid}"x"`],
    [posted('/v1/coverage', { area: { blocks: ['x'] } }), `${geoidSaid}"x"`],
    [posted('/v1/coverage', { area: { blocks: [{}] } }), `${geoidSaid}an object`],
    [posted('/v1/blocks/pois', { origins: [geoid], dest_id: ['x'] }), poiSaid],
    [{ path: `/v1/blocks/${geoid}/pois`, query: { dest_id: 'x' } }, poiSaid],
    [{ path: '/v1/pois/x' }, poiSaid],
    [{ path: '/v1/pois/0' }, 'must be from 1 to 999999999999999'],
    [
      posted('/v1/blocks/pois', { origins: [geoid], max_minutes: '5' }),
      'must be a number: leave out the quotes',
    ],
    ...['/v1/blocks/pois', '/v1/access'].map((path): [Call, string] => [
      posted(path, {
        origins: [geoid],
        of: path === '/v1/access' ? ['people'] : undefined,
        max_rows: '5',
      }),
      'must be a whole number: leave out the quotes',
    ]),
    [
      { path: `${catchment}?block=+${geoid}` },
      `${geoidSaid}" ${geoid}": a plus sign in a query is a space; leave it out, or send %2B`,
    ],
    ...['35.9998 ', '35.9998+', '35.9998+ '].map((lat): [Call, string] => [
      { path: '/v1/point/summary', query: { lat, lon: -70 } },
      'must be a number: leave out the space or plus sign after it',
    ]),
  ];
  for (const [call, msg] of calls) {
    const { errors } = expectProblem(await demo.api.call(call), 'invalid-parameters');
    expect([call, errors[0].msg]).toEqual([call, msg]);
  }
});

test('sites and candidates without a block are not charged, and do not make a request too dear', async () => {
  const lost = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `lost ${i}`, ...OPEN_SEA }));
  const found = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: i, ...point(demo.block) }));
  const ask = (tokens: number, sites: object[], candidates?: object[]) =>
    demo.api.newCustomer({ tokens }).then((as) => {
      const body = { sites, candidates, mode: 'walk', minutes: [5] };
      return demo.api.post('/v1/sites/coverage', body, { as });
    });
  for (const [sites, candidates, price] of [
    [[...lost(20), ...found(1)], undefined, 10],
    [[...lost(5), ...found(12)], lost(30), 12],
    [found(7), [...lost(3), ...found(8)], 15],
  ] as const) {
    const response = await ask(price, [...sites], candidates && [...candidates]);
    expect(expectOk(response).errors.length).toBeGreaterThan(0);
    expect(response.headers['x-tokens-charged']).toBe(String(price));
    const poor = await ask(price - 1, [...sites], candidates && [...candidates]);
    expect(expectProblem(poor, 'tokens-exhausted')).toMatchObject({ tokens_required: price });
  }
});

describe('what is in the data only with lat and lon exchanged is refused, with a sentence', () => {
  const SAYS_SO = /with lon and lat exchanged/;

  test('a point that blocks must be near', async () => {
    const walk = { mode: 'walk', max_minutes: 15 };
    const body = {
      area: { counties: ['99001'] },
      all_of: [{ type: 101, ...walk }],
      near: [{ ...exchanged(), ...walk }],
    };
    const problem = expectProblem(
      await demo.api.post('/v1/blocks/match', body),
      'invalid-parameters',
    );
    expect(problem).toMatchObject({
      detail: expect.stringMatching(SAYS_SO),
      errors: [{ loc: ['body', 'near', 0] }],
    });
  });

  test('a box, and a circle of a search', async () => {
    const { lon, lat } = demo.block;
    const boxOf = (x: number, y: number) => [x - 0.1, y - 0.1, x + 0.1, y + 0.1].join();
    for (const path of ['/v1/pois', '/v1/meta/block-bands']) {
      const as = path === '/v1/pois' ? undefined : null;
      const ask = (bbox: string) => demo.api.get(path, { bbox }, { as });
      expect(expectProblem(await ask(boxOf(lat, lon)), 'invalid-bbox').detail).toMatch(SAYS_SO);
      expectOk(await ask(boxOf(lon, lat)));
      expectOk(await ask(boxOf(OPEN_SEA.lon, OPEN_SEA.lat)));
    }
    const circle = await demo.api.get('/v1/pois', { ...exchanged(), radius_m: 500 });
    expect(expectProblem(circle, 'invalid-parameters').detail).toMatch(SAYS_SO);
  });
});

test('all_of alone is a basket beside the rows of all types and modes', async () => {
  const all_of = [{ type: 101, mode: 'walk', max_minutes: 10 }];
  const area = { blocks: [demo.block.geoid] };
  const alone = await demo.api.post('/v1/coverage', { area });
  const response = await demo.api.post('/v1/coverage', { area, all_of });
  const { results, basket } = expectOk(response);
  expect(results).toEqual(expectOk(alone).results);
  expect(results.length).toBeGreaterThan(10);
  expect(basket.all_of).toEqual([{ ...all_of[0], nth: 1 }]);
  expect(response.headers['x-tokens-charged']).toBe(String(results.length + 10));
});

describe('preconditions are decided before the debit', () => {
  test.each([...METERED_GETS, ISOCHRONE])('$route', async ({ request }) => {
    const call = request(demo);
    const first = await demo.api.call(call);
    const etag = String(first.headers.etag);
    const asked = (headers: NonNullable<Call['headers']>, method: 'GET' | 'HEAD' = 'GET') =>
      demo.api.call({ ...call, method, headers });
    const failing: readonly NonNullable<Call['headers']>[] = [
      { 'if-match': '"another"' },
      { 'if-match': `W/${etag}` },
      { 'if-match': '"another"', 'if-none-match': etag },
      { 'if-unmodified-since': LONG_AGO },
    ];
    for (const headers of failing) {
      const refused = await asked(headers);
      expectProblem(refused, 'precondition-failed');
      expect(refused.headers['x-tokens-charged']).toBe('0');
      expect((await asked(headers, 'HEAD')).statusCode).toBe(412);
    }
    const updated = (await demo.api.get('/v1/last-updated', {}, { as: null })).json();
    const published = new Date(updated.last_updated).toUTCString();
    const holding: typeof failing = [
      { 'if-match': `"another", ${etag}` },
      { 'if-match': '*' },
      { 'if-match': etag, 'if-unmodified-since': LONG_AGO },
      { 'if-unmodified-since': published },
      { 'if-unmodified-since': 'nonsense' },
    ];
    for (const headers of holding) {
      const response = await asked(headers);
      expect([headers, response.statusCode, response.body]).toEqual([headers, 200, first.body]);
    }
  });

  test.each(METERED_POSTS)('$route', async ({ request }) => {
    const headers = { 'if-unmodified-since': LONG_AGO };
    expectProblem(await demo.api.call({ ...request(demo), headers }), 'precondition-failed');
    const matched = { ...request(demo), headers: { 'if-match': '"x"' } };
    expectProblem(await demo.api.call(matched), 'precondition-failed');
  });
});

test('a precondition hides no other problem of a request', async () => {
  const unknown = `${demo.block.geoid.slice(0, 5)}0000000000`;
  const at = OPEN_SEA;
  const all_of = [{ type: 101, mode: 'walk', max_minutes: 15 }];
  const near = [{ ...at, mode: 'walk', max_minutes: 15 }];
  const places = { places: ['9999999'] };
  const here = { blocks: [demo.block.geoid] };
  const calls: readonly (readonly [string, Call])[] = [
    ...['summary', 'pois', 'access'].flatMap((route) => [
      ['block-not-found', { path: `/v1/blocks/${unknown}/${route}` }] as const,
      ['point-not-covered', { path: `/v1/point/${route}`, query: at }] as const,
    ]),
    ['block-not-found', { path: '/v1/isochrone', query: { block: unknown, minutes: 10 } }],
    ['block-not-found', { path: `/v1/blocks/${unknown}/explain`, query: { to: unknown } }],
    ['block-not-found', { path: `/v1/blocks/${demo.block.geoid}/explain`, query: { to: unknown } }],
    ['place-not-found', { path: '/v1/places/9999999/coverage' }],
    ['place-not-found', { path: '/v1/places/9999999/boundary' }],
    ['county-not-found', { path: '/v1/counties/98765/coverage' }],
    ['poi-not-found', { path: '/v1/pois/1' }],
    ['poi-not-found', { path: '/v1/pois/1/catchment' }],
    ['archive-not-found', { path: '/tiles/walk-101-0000000000000000.pmtiles' }],
    ['place-not-found', { method: 'POST', path: '/v1/coverage', body: { area: places } }],
    [
      'block-not-found',
      { method: 'POST', path: '/v1/blocks/match', body: { area: { blocks: [unknown] }, all_of } },
    ],
    [
      'point-not-covered',
      { method: 'POST', path: '/v1/blocks/match', body: { area: here, all_of, near } },
    ],
    [
      'point-not-covered',
      {
        method: 'POST',
        path: '/v1/sites/coverage',
        body: { sites: [{ id: 'a', ...at }], mode: 'walk' },
      },
    ],
    [
      'export-not-found',
      { method: 'POST', path: '/v1/exports/links', body: { table: 'none', format: 'csv' } },
    ],
    ['invalid-parameters', { method: 'POST', path: '/v1/coverage', body: { typo: 1 } }],
    ['missing-origins', { method: 'POST', path: '/v1/blocks/summary', body: { origins: [] } }],
  ];
  for (const [slug, call] of calls) {
    const conditions: readonly Call['headers'][] = [
      {},
      { 'if-match': '"another"' },
      { 'if-unmodified-since': LONG_AGO },
    ];
    for (const headers of conditions) {
      const response = await demo.api.call({ ...call, headers });
      const { type, detail } = response.json();
      const said = [call.path, headers, String(type).split('/').at(-1)];
      expect([...said, detail]).toEqual([call.path, headers, slug, detail]);
      expect(response.headers['x-tokens-charged'] ?? '0').toBe('0');
    }
  }
});

test('a refusal states a price that follows from the request, and never one of rows', async () => {
  const none = await demo.api.newCustomer({ tokens: 0 });
  const area = { blocks: [demo.block.geoid] };
  const priced: readonly (readonly [Call, number])[] = [
    [{ path: '/v1/isochrone', query: { block: demo.block.geoid, contours: '5,10,15' } }, 30],
    [{ path: `/v1/blocks/${demo.block.geoid}/explain`, query: { to: demo.block.geoid } }, 5],
    [{ path: '/v1/counties/99001/coverage', query: { mode: 'walk', type: 101 } }, 10],
    [
      {
        path: '/v1/coverage',
        method: 'POST',
        body: {
          area,
          mode: ['walk'],
          type: [101],
          all_of: [{ type: 101, mode: 'walk', max_minutes: 5 }],
        },
      },
      11,
    ],
  ];
  for (const [call, tokens_required] of priced) {
    const problem = expectProblem(await demo.api.call({ ...call, as: none }), 'tokens-exhausted');
    expect(problem).toMatchObject({
      tokens_remaining: 0,
      tokens_required,
      detail: expect.stringContaining(`costs ${tokens_required} tokens`),
    });
  }
  const ofRows = { path: `/v1/blocks/${demo.block.geoid}/summary` };
  for (const tokens of [0, 1]) {
    const poor = await demo.api.newCustomer({ tokens });
    const problem = expectProblem(await demo.api.call({ ...ofRows, as: poor }), 'tokens-exhausted');
    expect(problem).not.toHaveProperty('tokens_required');
  }
  const batch = await demo.api.post(
    '/v1/blocks/summary',
    { origins: [demo.block.geoid] },
    { as: none },
  );
  expect(expectProblem(batch, 'tokens-exhausted')).not.toHaveProperty('tokens_required');
});

test('a parameter of other routes is named as one that does not apply', async () => {
  const { errors } = expectProblem(
    await demo.api.get(`/v1/blocks/${demo.block.geoid}/summary`, { radius_m: 5, radius: 5 }),
    'invalid-parameters',
  );
  expect(errors.map(({ msg }: { msg: string }) => msg.split(/[;,]/)[0])).toEqual([
    'does not apply to this route',
    'unknown parameter',
  ]);
  const posted = await demo.api.post('/v1/blocks/summary', { origins: ['x'], limit: 5 });
  expect(posted.json().detail).toMatch(/^body\.limit: does not apply to this route, which accepts/);
});

test('a replay is in the format of the first response, whatever the repeated Accept', async () => {
  const customer = await demo.api.newCustomer({ tokens: 1_000 });
  for (const first of ['text/csv', 'application/x-ndjson', 'application/json']) {
    const ask = (accept: string) =>
      demo.api.post(
        '/v1/blocks/summary',
        { origins: [demo.block.geoid], type: [101] },
        { as: customer, headers: { accept, 'idempotency-key': first } },
      );
    const response = await ask(first);
    for (const accept of ['application/json', 'text/csv', 'image/png', '*/*;q=0']) {
      const again = await ask(accept);
      expect([accept, again.statusCode, again.body]).toEqual([accept, 200, response.body]);
      expect(again.headers).toMatchObject({
        'content-type': response.headers['content-type'],
        'idempotency-replayed': 'true',
        'x-tokens-charged': '0',
      });
    }
  }
  expectProblem(
    await demo.api.post(
      '/v1/blocks/summary',
      { origins: [demo.block.geoid] },
      { as: customer, headers: { accept: 'image/png', 'idempotency-key': 'new' } },
    ),
    'not-acceptable',
  );
});

test('a replay needs no tokens, and a failing precondition hides no conflict of keys', async () => {
  const body = { origins: [demo.block.geoid], mode: ['walk'], type: [101] };
  const path = '/v1/blocks/summary';
  const priced = await demo.api.post(path, body);
  const as = await demo.api.newCustomer({ tokens: Number(priced.headers['x-tokens-charged']) });
  const ask = (key: string, sent: object, headers = {}) =>
    demo.api.call({
      method: 'POST',
      path,
      body: sent,
      as,
      headers: { 'idempotency-key': key, ...headers },
    });
  const first = expectOk(await ask('paid', body));
  const failing = { 'if-match': '"another"' };
  for (const headers of [{}, failing]) {
    const again = await ask('paid', body, headers);
    expect([again.headers['idempotency-replayed'], expectOk(again)]).toEqual(['true', first]);
    expectProblem(await ask('paid', { ...body, mode: ['bike'] }, headers), 'idempotency-conflict');
    expectProblem(await ask('new', body, headers), 'tokens-exhausted');
  }
  expectProblem(await ask('unused', { ...body, mode: ['fly'] }, failing), 'invalid-parameters');
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
