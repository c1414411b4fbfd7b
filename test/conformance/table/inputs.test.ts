import { describe, expect, test } from 'vitest';
import { ofThisTest } from '../../support/test-resources.ts';
import { Api, expectInvalid, expectOk, expectProblem, type HttpResponse } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK } from '../demo.ts';

const demo = demoOfTests();

const pois = () => `/v1/blocks/${demo.block.geoid}/pois`;
const isochrone = (query: Record<string, string | number>) =>
  demo.api.get('/v1/isochrone', { minutes: 10, ...query });
const fault = (response: HttpResponse) =>
  expectProblem(response, 'invalid-parameters').errors[0].msg;

describe('numbers and booleans in a query', () => {
  test.each([
    [
      'max_minutes',
      '10',
      ['10.0', '1e1', '1E+1', '+10', '0010', '10.000000000000000000000', '.1e2'],
    ],
    ['limit', '100', ['1e2', '100.0', '1.00E2', '+100', '1000e-1']],
    ['type', '101', ['101.0', '1.01e2', '0101']],
  ])('%s %s is the same in every notation', async (name, plain, spellings) => {
    const first = await demo.api.get(pois(), { mode: 'walk', [name]: plain });
    for (const spelling of spellings) {
      const same = await demo.api.get(pois(), { mode: 'walk', [name]: spelling });
      expect([spelling, expectOk(same)]).toEqual([spelling, expectOk(first)]);
      expect(same.headers.etag).toBe(first.headers.etag);
    }
  });

  test('any number is accepted as printed from a double', async () => {
    const { lon, lat } = demo.poi;
    const radius_m = '1609.3439999999998';
    for (const query of [
      { lon, lat, radius_m },
      { lon: `${lon}00000000000000000001`, lat, radius_m },
      { bbox: `${lon - 0.01},3.59e1,${lon + 0.01}000000000000000000,+36.1` },
    ]) {
      expectOk(await demo.api.get('/v1/pois', query));
    }
  });

  test('an error message states what is wrong with a value', async () => {
    const point = '/v1/point/summary';
    for (const [query, msg] of [
      [{ lon: -70 }, /missing/],
      [{ lon: -70, lat: [36, 36] }, /once/],
      [{ lon: -70, lat: 'north' }, /number/],
      [{ lon: -70, lat: '0x10' }, /number/],
      [{ lon: -70, lat: 'Infinity' }, /number/],
      [{ lon: -70, lat: '1e400' }, /from -90 to 90/],
      [{ lon: -70, lat: 90.0001 }, /from -90 to 90/],
    ] as const) {
      const response = await demo.api.get(point, query);
      expectInvalid(response, 'lat');
      expect(fault(response)).toMatch(msg);
    }
    expect(fault(await demo.api.get(pois(), { limit: 1.5 }))).toMatch(/whole number/);
    expect(fault(await demo.api.get(pois(), { limit: 1001 }))).toMatch(/from 1 to 1000/);
    expect(fault(await demo.api.get('/v1/places'))).toMatch(/missing/);
  });

  test('an error message states what is wrong with a member of the body', async () => {
    const body = { center: { lon: -70, lat: 36 }, radius_m: 500 };
    for (const [member, msg] of [
      [{ center: { lon: -70 } }, /missing/],
      [{ center: { lon: -70, lat: 91 } }, /from -90 to 90/],
      [{ center: { lon: -70, lat: '36' } }, /must be a number/],
      [{ limit: 5.5 }, /whole number/],
      [{ radius_m: 0 }, /over 0/],
    ] as const) {
      expect(fault(await demo.api.post('/v1/blocks/query', { ...body, ...member }))).toMatch(msg);
    }
    const { errors } = expectProblem(
      await demo.api.post('/v1/blocks/query', `{"center":{"lon":1e999,"lat":1},"radius_m":5}`),
      'invalid-parameters',
    );
    expect(errors).toMatchObject([
      { loc: ['body', 'center', 'lon'], msg: expect.stringMatching(/from -180 to 180/) },
    ]);
  });
});

test('an unknown nested member is named in full, with the members allowed there', async () => {
  const origins = [
    { lat: 36, lon: -70 },
    { lat: 36, lon: -70, lng: 1 },
  ];
  const { errors } = expectProblem(
    await demo.api.post('/v1/point/summary', { origins }),
    'invalid-parameters',
  );
  expect(errors).toEqual([
    {
      loc: ['body', 'origins', 1, 'lng'],
      msg: 'unknown member; a point accepts lon, lat, address',
      type: 'unrecognized_keys',
    },
  ]);
});

test.each([
  ['179,-1,-179,1', true],
  ['170,-1,-10.1,1', true],
  ['170,-1,-10,1', false],
  ['10,-1,9,1', false],
  ['-179,-1,179,1', true],
])('the box %s may cross the antimeridian: %s', async (bbox, isTaken) => {
  const response = await demo.api.get('/v1/pois', { bbox });
  if (isTaken) expectOk(response);
  else expectProblem(response, 'invalid-bbox');
});

test('an isochrone around a point out of range is invalid-geometry', async () => {
  for (const point of [
    { lon: 181, lat: 0 },
    { lon: -70, lat: 90.1 },
    { lon: '1e400', lat: 0 },
  ]) {
    expectProblem(await isochrone(point), 'invalid-geometry');
  }
  expectInvalid(await isochrone({ lon: 'x', lat: 0 }), 'lon');
  expectProblem(await isochrone({ lon: 181 }), 'missing-location');
});

test.each([
  [{ lon: -181, lat: 36 }, 'lon is -181: it must be from -180 to 180'],
  [{ lon: -70, lat: 95 }, 'lat is 95: it must be from -90 to 90: are lat and lon exchanged?'],
  [
    { lon: 200, lat: -91 },
    'lat is -91: it must be from -90 to 90: are lat and lon exchanged?; lon is 200: it must be from -180 to 180',
  ],
])(
  'an isochrone around %o is refused for the coordinate that is out of range',
  async (point, detail) => {
    expect((await isochrone(point)).json()).toMatchObject({ detail });
  },
);

describe('token headers of errors', () => {
  const tokensOf = ({ headers }: HttpResponse) => [
    headers['x-tokens-charged'],
    headers['x-tokens-remaining'],
  ];

  test('are on every response after the key check', async () => {
    const { api, block } = demo;
    const as = await api.newCustomer({ tokens: 3 });
    for (const response of [
      await api.get(`/v1/blocks/${NO_SUCH_BLOCK}/summary`, {}, { as }),
      await api.get('/v1/blocks/x/summary', {}, { as }),
      await api.get(`/v1/blocks/${block.geoid}/summary`, {}, { as }),
      await api.get(`/v1/blocks/${block.geoid}/summary`, { cursor: 'x' }, { as }),
      await api.get('/v1/tokens', { x: 1 }, { as }),
      await api.get('/v1/tokens', {}, { as }),
      await api.get('/v1/isochrone', {}, { as }),
      await api.post('/v1/blocks/summary', { origins: [] }, { as }),
      await api.post('/v1/blocks/summary', '{', { as }),
      await api.post('/v1/blocks/summary', { origins: [block.geoid] }, { as }),
      await api.post('/v1/blocks/summary', `"${'x'.repeat(2 ** 21)}"`, { as }),
    ]) {
      expect([response.body.slice(0, 200), tokensOf(response)]).toEqual([
        response.body.slice(0, 200),
        ['0', '3'],
      ]);
    }
  });

  test('are absent before the key check, and for members, who do not pay', async () => {
    const { api, block } = demo;
    const as = await api.newCustomer({ tokens: 3, member: true });
    for (const response of [
      await api.get(`/v1/blocks/${block.geoid}/summary`, {}, { as: null }),
      await api.get('/v1/nothing', {}, { as }),
      await api.get('/v1/isochrone', {}, { as }),
    ]) {
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(tokensOf(response)).toEqual([undefined, undefined]);
    }
    expect(tokensOf(await api.get('/v1/blocks/x/summary', {}, { as }))).toEqual(['0', '3']);
  });

  test('are on a rate-limit refusal too', async () => {
    const path = `/v1/blocks/${demo.block.geoid}/summary`;
    const strict = await ofThisTest(Api.open({ rateLimitPerMinute: 1 }));
    await strict.get(path);
    const refused = await strict.get(path);
    expectProblem(refused, 'rate-limited');
    const balance = String(await strict.balance());
    expect(tokensOf(refused)).toEqual(['0', balance]);
  });
});

describe('a destination type by its label is the type by its id', () => {
  const [ID, LABEL] = [101, 'grocery_stores'];
  const at = () => ({ lon: demo.block.lon, lat: demo.block.lat });
  const within = () => ({ center: at(), radius_m: 400 });
  const criterion = (type: unknown) => [{ type, mode: 'walk', max_minutes: 20 }];

  test.each<
    [path: () => string, query: (type: string | number) => Record<string, string | number>]
  >([
    [() => `/v1/blocks/${demo.block.geoid}/summary`, (type) => ({ mode: 'walk', type })],
    [() => `/v1/blocks/${demo.block.geoid}/pois`, (type) => ({ type })],
    [() => '/v1/point/summary', (type) => ({ ...at(), type })],
    [() => '/v1/point/pois', (type) => ({ ...at(), type })],
    [() => '/v1/pois', (type) => ({ ...at(), radius_m: 2000, type })],
    [() => '/v1/places/9957600/blocks', (type) => ({ type })],
    [() => '/v1/places/9957600/pois', (type) => ({ type })],
    [() => '/v1/places/9957600/coverage', (type) => ({ type })],
    [() => '/v1/counties/99001/coverage', (type) => ({ type })],
    [() => `/v1/blocks/${demo.block.geoid}/access`, (type) => ({ of: `type:${type}` })],
    [() => '/v1/isochrone', (type) => ({ ...at(), minutes: 10, of: `type:${type}` })],
  ])('%s', async (path, query) => {
    const byId = await demo.api.get(path(), query(ID));
    const byLabel = await demo.api.get(path(), query(LABEL));
    const { next_cursor, ...own } = expectOk(byId);
    expect(expectOk(byLabel)).toMatchObject(own);
    expect(byLabel.headers.etag).toBe(byId.headers.etag);
    if (next_cursor) expectOk(await demo.api.get(path(), { ...query(LABEL), cursor: next_cursor }));
    const unknown = await demo.api.get(path(), query('grocery_store'));
    expect(fault(unknown)).toContain(
      'no destination type grocery_store; did you mean grocery_stores?',
    );
  });

  test.each<[path: string, body: (type: string | number) => object]>([
    ['/v1/blocks/summary', (type) => ({ origins: [demo.block.geoid], type: [type] })],
    ['/v1/point/pois', (type) => ({ origins: [at()], type: [type] })],
    ['/v1/blocks/query', (type) => ({ ...within(), type: [type] })],
    [
      '/v1/coverage',
      (type) => ({ area: within(), mode: ['walk'], type: [type], all_of: criterion(type) }),
    ],
    ['/v1/blocks/match', (type) => ({ area: within(), all_of: criterion(type) })],
    ['/v1/access', (type) => ({ origins: [demo.block.geoid], of: [`type:${type}`] })],
    ['/v1/sites/coverage', (type) => ({ sites: { type }, area: within(), mode: 'walk' })],
  ])('POST %s', async (path, body) => {
    const { next_cursor: _, ...byId } = expectOk(await demo.api.post(path, body(ID)));
    expect(expectOk(await demo.api.post(path, body(LABEL)))).toMatchObject(byId);
    expect(fault(await demo.api.post(path, body('grocery_store')))).toContain('grocery_store;');
  });

  test('in the address of tiles', async () => {
    const ask = (type: string | number) =>
      demo.api.get(`/v1/isochrone/tiles/walk/${type}.json`, {}, { as: null });
    const { tiles: _id, ...byId } = expectOk(await ask(ID));
    const { tiles: _label, ...byLabel } = expectOk(await ask(LABEL));
    expect(byLabel).toEqual(byId);
    expectProblem(await ask('grocery_store'), 'no-isochrone-data');
  });
});
