import { describe, expect, test } from 'vitest';
import { type Call, expectInvalid, expectProblem, type QueryValue } from '../api.ts';
import {
  BLOCK_ELSEWHERE,
  demoOfTests,
  NO_SUCH_BLOCK,
  NO_SUCH_PLACE,
  NO_SUCH_POI,
  OPEN_SEA,
} from '../demo.ts';
import { ISOCHRONE, METERED_GETS, METERED_POSTS } from '../routes.ts';

const demo = demoOfTests();

const NO_FLAG = ['yes', '2', '', ' true', ['true', 'true']];
/** Invalid values by query parameter, to be refused even if a route lacks the parameter. */
const NO_VALUES: Readonly<Record<string, readonly QueryValue[]>> = {
  type: [65_000, 0, -1, 1.5, 'x', '', '1e9', '0x65', ' 101', '101,102'],
  mode: ['drive', 'Walk', '', '1', 'walk ', 'null'],
  limit: [0, 1001, -1, 1.5, '1e9', '1e400', 'e2', '', 'all', ' 5', [5, 5]],
  max_minutes: [0, -1, 30.1, 31, 'NaN', 'Infinity', '', '1e2', '0x5', ' 5', [5, 6]],
  radius_m: [0, -1, 50_000.1, 'NaN', 'x', '', '1e5', [1, 2]],
  minutes: [0, 61, -1, 1.5, 'x', '', [5, 10]],
  contours: ['', '10,5', '5,5', '1,2,3,4,5', '0,5', '5,61', '5,x', '5,,10', '5;10'],
  direction: ['both', '', ['from', 'from']],
  format: ['kml', '', ['geojson', 'geojson']],
  block: ['x', 1.5, -1, 1, 24510, '9'.repeat(17)],
  include_population: NO_FLAG,
  include_missing: NO_FLAG,
  names: NO_FLAG,
  unheard_of: [1],
  cursor: [['a', 'a']],
  q: ['', ' ', '\t\n', '\u0301', '\u3000', ['a', 'b'], 'x'.repeat(3000)],
};
const PLACES = {
  route: '/v1/places',
  request: (): Call => ({ path: '/v1/places', query: { q: 'a' } }),
};

test.each([...METERED_GETS, ISOCHRONE, PLACES])(
  'GET $route refuses each invalid value by the name of its parameter',
  async ({ request }) => {
    const { path, query } = request(demo);
    for (const [name, values] of Object.entries(NO_VALUES)) {
      const minutes = name === 'contours' ? undefined : query?.minutes;
      for (const value of values) {
        expectInvalid(await demo.api.get(path, { ...query, minutes, [name]: value }), name);
      }
    }
  },
);

/** Invalid values by body member. */
const NO_MEMBERS: Readonly<Record<string, readonly unknown[]>> = {
  mode: [[], 'walk', [1], ['drive']],
  type: [[], 101, ['101'], [65_000]],
  block: [[], 1, ['x'], [1]],
  max_minutes: [0, 30.5, '5', []],
  radius_m: [0, -5, 50_000.1, '500', []],
  limit: ['5', 5.5, 0, 1001],
  cursor: [5],
  unheard_of: [1],
  include_population: ['true', 1],
  include_missing: ['true', 1],
  names: ['true', 1],
};

test.each(METERED_POSTS)('POST $route refuses each invalid member by name', async ({ request }) => {
  const { path, body } = request(demo);
  for (const [name, values] of Object.entries(NO_MEMBERS)) {
    for (const value of values) {
      // Sites take a single mode, as text.
      if (name === 'mode' && value === 'walk' && path.startsWith('/v1/sites')) continue;
      expectInvalid(await demo.api.post(path, { ...(body as object), [name]: value }), name);
    }
  }
});

test('lat is -90 to 90 and lon -180 to 180, decimal numbers, each given once', async () => {
  const { lon, lat } = demo.block;
  for (const path of ['/v1/point/summary', '/v1/point/pois']) {
    for (const bad of [90.1, -91, 'NaN', 'Infinity', '', ' 36', '0x24', '36,0', 'N36', [36, 36]]) {
      expectInvalid(await demo.api.get(path, { lon, lat: bad }), 'lat');
    }
    for (const bad of [180.1, -181, 'NaN', '', '70W', [1, 2]]) {
      expectInvalid(await demo.api.get(path, { lon: bad, lat }), 'lon');
    }
  }
});

test('a block given twice is reported as such', async () => {
  const block = [demo.block.geoid, demo.block.geoid];
  const response = await demo.api.get('/v1/isochrone', { block, minutes: 5 });
  expectInvalid(response, 'block');
  expect(response.body).toContain('block: must be given once');
});

test('a missing location, or half of one, is refused', async () => {
  const { lon, lat } = demo.block;
  for (const path of ['/v1/point/summary', '/v1/point/pois', '/v1/isochrone']) {
    for (const query of [{}, { lon }, { lat }]) {
      const minutes = path === '/v1/isochrone' ? 5 : undefined;
      const { statusCode, body } = await demo.api.get(path, { ...query, minutes });
      expect(statusCode).toBe(400);
      expect(body).toMatch(/missing-location|invalid-parameters/);
    }
  }
});

describe('unknown items', () => {
  const forms = ['x', '1', '12', '995760', '99576000', '%20', '-957600', '__proto__'];
  test.each(['boundary', 'blocks', 'pois'])(
    'the %s of an unknown place, in any form, is place-not-found',
    async (of) => {
      for (const geoid of [NO_SUCH_PLACE, demo.block.geoid, ...forms, '9'.repeat(10_000)]) {
        expectProblem(await demo.api.get(`/v1/places/${geoid}/${of}`), 'place-not-found');
      }
    },
  );

  test.each(['summary', 'pois'])(
    'the %s of an unknown block, in a known county or not, is block-not-found',
    async (of) => {
      const headers = { 'if-none-match': '*' };
      for (const geoid of [NO_SUCH_BLOCK, BLOCK_ELSEWHERE, '0'.repeat(15), '9'.repeat(15)]) {
        for (const rest of [{}, { headers }]) {
          const response = await demo.api.get(`/v1/blocks/${geoid}/${of}`, {}, rest);
          expect(expectProblem(response, 'block-not-found').geoid).toBe(geoid);
        }
      }
    },
  );

  test.each(['', '/catchment'])(
    '/v1/pois/{dest_id}%s of an unknown POI is poi-not-found; a dest_id that is no integer is refused',
    async (of) => {
      for (const dest_id of [NO_SUCH_POI, 10 ** 15 - 1]) {
        expectProblem(await demo.api.get(`/v1/pois/${dest_id}${of}`), 'poi-not-found');
      }
      for (const no of [
        'x',
        '0',
        '-1',
        '1.5',
        '1e-3',
        '0x1',
        '1000000000000000',
        '9007199254740993',
        '%20',
        '١',
      ]) {
        expectInvalid(await demo.api.get(`/v1/pois/${no}${of}`), 'dest_id');
      }
    },
  );

  test('a point outside all blocks is point-not-covered', async () => {
    const pole = { lon: 180, lat: 90 };
    for (const point of [OPEN_SEA, { lon: 2.35, lat: 48.85 }, pole, { lon: 0, lat: -90 }]) {
      for (const path of ['/v1/point/summary', '/v1/point/pois']) {
        expectProblem(await demo.api.get(path, point), 'point-not-covered');
      }
      const isochrone = await demo.api.get('/v1/isochrone', { ...point, minutes: 5 });
      expectProblem(isochrone, 'point-not-covered');
    }
  });

  test('sites of which none is in a block are point-not-covered', async () => {
    const site = { id: 'swapped', ...OPEN_SEA };
    for (const sites of [{ sites: [site] }, { sites: [], candidates: [site] }]) {
      const body = { ...sites, mode: 'walk', minutes: [10] };
      expectProblem(await demo.api.post('/v1/sites/coverage', body), 'point-not-covered');
    }
  });
});

describe('an error message states what to do instead', () => {
  const summary = () => `/v1/blocks/${demo.block.geoid}/summary`;
  const messageOf = async (path: string, query: Call['query']) => {
    const { errors } = expectProblem(await demo.api.get(path, query), 'invalid-parameters');
    expect(errors).toHaveLength(1);
    return errors[0].msg as string;
  };

  test('several values of one parameter: repeat it', async () => {
    const several = 'takes one value; for several, repeat the parameter';
    expect(await messageOf(summary(), { mode: 'walk,bike' })).toBe(several);
    expect(await messageOf(summary(), { type: '101,102' })).toBe(several);
    expect(await messageOf(summary(), { type: [101, '102, 103'] })).toBe(several);
    const pois = `/v1/blocks/${demo.block.geoid}/pois`;
    expect(await messageOf(pois, { dest_id: '1,2' })).toBe(several);
    const access = `/v1/blocks/${demo.block.geoid}/access`;
    expect(await messageOf(access, { minutes: '10,20' })).toBe(several);
    expect(await messageOf(access, { of: 'people,jobs' })).toBe(several);
    const catchment = `/v1/pois/${demo.poi.dest_id}/catchment`;
    expect(await messageOf(catchment, { block: '1,2' })).toBe(several);
    for (const name of ['mode[]', 'mode[0]']) {
      expect(await messageOf(summary(), { [name]: 'walk' })).toBe(
        'unknown parameter; for several values, repeat mode without brackets',
      );
    }
    expect(await messageOf(summary(), { 'speed[]': 1 })).toMatch(
      /^unknown parameter; this route accepts/,
    );
  });

  test('several levels of an isochrone: contours, with or without spaces', async () => {
    const { geoid: block } = demo.block;
    const several = 'takes one value; for several, use contours=10,20,30';
    for (const minutes of ['10,20', '10, 20', [10, 20]]) {
      expect(await messageOf('/v1/isochrone', { block, minutes })).toBe(several);
    }
    const ask = (contours: QueryValue) => demo.api.get('/v1/isochrone', { block, contours });
    const plain = await ask('5,10');
    for (const contours of ['5, 10', ' 5 ,10 ', ['5 ', ' 10']]) {
      const spaced = await ask(contours);
      expect([spaced.statusCode, spaced.headers.etag]).toEqual([200, plain.headers.etag]);
    }
  });

  test.each([
    ['/v1/blocks/query', 'type', 'to request all'],
    ['/v1/blocks/query', 'nth', 'for the nearest only'],
    ['/v1/coverage', 'weight', 'for people'],
  ])('an empty list of POST %s, %s: what its omission requests', async (path, name, omitted) => {
    const response = await demo.api.post(path, { [name]: [] });
    const { errors } = expectProblem(response, 'invalid-parameters');
    const issue = errors.find(({ loc }: { loc: string[] }) => loc.at(-1) === name);
    expect(issue.msg).toBe(`must not be empty: omit it ${omitted}`);
  });

  test('an unknown destination type: where to find the list', async () => {
    for (const type of [999_999, 9_999, 0, -1]) {
      const { version } = (await demo.api.get('/v1/isochrone/meta')).json();
      const msg = `release ${version} has no destination type ${type}; see /v1/meta/destination-types`;
      expect(await messageOf(summary(), { type })).toBe(msg);
      const body = { origins: [demo.block.geoid], type: [type] };
      const posted = await demo.api.post('/v1/blocks/summary', body);
      expect(expectProblem(posted, 'invalid-parameters').errors).toEqual([
        { loc: ['body', 'type'], msg, type: 'unknown_destination_type' },
      ]);
    }
  });

  test('origins that are not a list: how many are allowed, and what was sent', async () => {
    for (const [origins, given] of [
      ...([
        [null, 'null'],
        ['990010001001000', 'text'],
        [5, 'a number'],
      ] as const),
      ...([
        [{}, 'an object'],
        [true, 'true'],
      ] as const),
    ]) {
      const response = await demo.api.post('/v1/blocks/summary', { origins });
      const { errors } = expectProblem(response, 'invalid-parameters');
      const msg = `must be an array of 1 to 250 origins, not ${given}`;
      expect(errors).toEqual([{ loc: ['body', 'origins'], msg, type: 'invalid_type' }]);
    }
    const response = await demo.api.post('/v1/pois/catchment', { dest_ids: null });
    expect(response.json().detail).toBe(
      'body.dest_ids: must be an array of 1 to 250 origins, not null',
    );
  });

  test('a box in more than one parameter is invalid-bbox', async () => {
    const bbox = [-70.05, 35.95, -69.95, 36.05];
    const { detail } = expectProblem(await demo.api.get('/v1/pois', { bbox }), 'invalid-bbox');
    expect(detail).toBe('bbox must be given once: min_lon,min_lat,max_lon,max_lat');
    expectProblem(await demo.api.get('/v1/pois', { bbox: ['1,2,3,4', '1,2,3,4'] }), 'invalid-bbox');
  });
});
