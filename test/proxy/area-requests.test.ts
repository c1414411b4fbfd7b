import Papa from 'papaparse';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { parseSites } from '../../proxy/fields/parse-sites.ts';
import { MICRO } from '../../shards/units.ts';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { TamperedRelease } from '../support/tampered-release.ts';
import { ofThisTest } from '../support/test-resources.ts';

const proxy = proxyOfTests();
interface GeoFeature {
  readonly geometry: { readonly type: string } | null;
  readonly properties: {
    readonly id: string;
    readonly error?: object;
    readonly lon?: number | null;
    readonly lat?: number | null;
  };
}

const CRITERION = { type: 101, mode: 'walk', max_minutes: 15 };

async function post(url: string, body: object) {
  const response = await proxy.post(url, proxy.key, body);
  const slug = response.statusCode === 200 ? null : response.json().type.split('/').at(-1);
  return { status: response.statusCode, slug, body: response.json(), headers: response.headers };
}

/** The centre and county of the first block that is wanted. */
async function centres(isWanted: (isRoutable: boolean, county: string) => boolean) {
  const release = proxy.releases.current;
  for (const { fips, manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      if (!isWanted(index.isRoutable(i), fips)) continue;
      return { lon: index.lon[i] / MICRO, lat: index.lat[i] / MICRO, county: fips };
    }
  }
  throw new Error('the demo city has no such block');
}

test('a circle without its centre or radius is refused with the missing member', async () => {
  const center = { lon: -70, lat: 36 };
  for (const [area, wanted] of [
    [{ center }, 'body.area.radius_m: is missing: it must be a number'],
    [{ radius_m: 500 }, 'body.area.center: is missing: it must be an object with lon and lat'],
  ] as const) {
    for (const [url, more] of [
      ['/v1/coverage', { type: [101] }],
      ['/v1/blocks/match', { all_of: [CRITERION] }],
      ['/v1/sites/coverage', { sites: [{ id: 'a', ...center }], mode: 'walk', minutes: [5] }],
    ] as const) {
      const { slug, body, headers } = await post(url, { area, ...more });
      expect([url, slug, body.detail]).toEqual([url, 'invalid-parameters', wanted]);
      expect(headers['x-tokens-charged']).toBe('0');
    }
  }
});

test('an unknown place, whatever its form, is place-not-found', async () => {
  for (const geoid of ['abc', '9900000', '99']) {
    const { slug } = await post('/v1/coverage', { area: { places: [geoid] }, type: [101] });
    expect([geoid, slug]).toEqual([geoid, 'place-not-found']);
  }
});

test('blocks near a point that cannot be routed are no-isochrone-data, uncharged', async () => {
  const { lon, lat, county } = await centres((isRoutable) => !isRoutable);
  const near = [{ lon, lat, mode: 'walk', max_minutes: 30 }];
  const body = { area: { counties: [county] }, all_of: [CRITERION], near };
  const { slug, headers } = await post('/v1/blocks/match', body);
  expect([slug, headers['x-tokens-charged']]).toEqual(['no-isochrone-data', '0']);
});

test('without an area, what candidates reach counts beside what sites reach, and is not within', async () => {
  const [first, second] = proxy.releases.current.counties.map(({ fips }) => fips);
  const [site, candidate] = await Promise.all(
    [first, second].map((fips) => centres((isRoutable, county) => isRoutable && county === fips)),
  );
  const { lon, lat } = candidate;
  const body = { sites: [{ id: 'a', lon: site.lon, lat: site.lat }], mode: 'walk', minutes: [10] };
  const alone = await post('/v1/sites/coverage', body);
  const beside = await post('/v1/sites/coverage', { ...body, candidates: [{ id: 'b', lon, lat }] });
  const offered = await post('/v1/sites/coverage', {
    ...body,
    sites: [],
    candidates: [{ id: 'b', lon, lat }],
  });
  const [{ total, within, beyond }] = beside.body.results;
  expect(within).toEqual(alone.body.results[0].within);
  expect(total).toBe(alone.body.results[0].total + beyond);
  expect(beyond).toBe(offered.body.results[0].total);
  expect(beside.body.area.counties).toEqual([first, second]);
});

describe('a site that cannot be placed', () => {
  const WRONG = [
    { id: 'null', lat: null, lon: -70 },
    { id: 'far', lat: 95, lon: -70 },
    { id: 'text', lat: '36.1', lon: -70 },
    { id: 'none' },
    { id: 'sea', lat: 30, lon: -40 },
    { id: 'huge', lat: 36, lon: { x: 'y'.repeat(500) } },
  ];
  const SAID = [
    'lat is null: it must be a number from -90 to 90',
    'lat is 95: it must be from -90 to 90: are lat and lon exchanged?',
    'lat is "36.1": it must be a number from -90 to 90',
    'lat is missing: it must be a number from -90 to 90; lon is missing: it must be a number from -180 to 180',
    '30, -40 is not in any census block of this release',
    expect.stringMatching(/^lon is ".{40,60}": it must be a number from -180 to 180$/),
  ];

  test('fails alone, whatever is wrong with it, has a row in every format, and is not charged', async () => {
    const { lon, lat } = await centres((isRoutable) => isRoutable);
    const found = Array.from({ length: 12 }, (_, i) => ({ id: i, lon, lat }));
    const body = { mode: 'walk', minutes: [10], sites: [WRONG[0], ...found, ...WRONG.slice(1)] };
    const alone = await post('/v1/sites/coverage', { ...body, sites: found });
    const json = await post('/v1/sites/coverage', body);
    expect(json.status, JSON.stringify(json.body)).toBe(200);
    expect(json.headers['x-tokens-charged']).toBe('12');
    expect(json.body.errors).toEqual(
      WRONG.map(({ id }, i) => ({ id, list: 'sites', type: 'point-not-covered', detail: SAID[i] })),
    );
    expect({ ...json.body, errors: [] }).toEqual(alone.body);

    const ask = (accept: string) => proxy.post('/v1/sites/coverage', proxy.key, body, { accept });
    const sent = body.sites.map(({ id }) => id);
    const wrongIds = WRONG.map(({ id }) => id);
    const ndjson = (await ask('application/x-ndjson')).body.trimEnd().split('\n');
    const rows = ndjson.slice(0, -1).map((line) => JSON.parse(line));
    expect(rows.map(({ id }) => id)).toEqual(sent);
    const failed = rows.filter(({ error }) => error !== undefined);
    expect(failed.map(({ id, error }) => [id, error.type, error.detail])).toEqual(
      wrongIds.map((id, i) => [id, 'point-not-covered', SAID[i]]),
    );
    const { features } = (await ask('application/geo+json')).json();
    const shapes = features.map(({ geometry, properties: { id, error } }: GeoFeature) =>
      error ? [id, geometry?.type ?? null] : [],
    );
    expect(shapes.filter(([id]: string[]) => id !== undefined)).toEqual(
      wrongIds.map((id) => [id, id === 'sea' ? 'Point' : null]),
    );
    const csv = Papa.parse<Record<string, string>>((await ask('text/csv')).body.trim(), {
      header: true,
    });
    expect(csv.data.filter(({ error_type }) => error_type).map(({ id }) => id)).toEqual(wrongIds);
  });

  test('is read from CSV and GeoJSON as from JSON', async () => {
    const { lon, lat } = await centres((isRoutable) => isRoutable);
    const csv = `id;lat;lon\na;${lat};${lon}\nb;;-70\nc;n/a;-70\nd;95;-70\n`;
    const geometries = [
      [lon, lat],
      [-70, null],
      [-70, 'n/a'],
      [-70, 95],
    ];
    const features = geometries.map((coordinates, i) => ({
      type: 'Feature',
      id: 'abcd'[i],
      geometry: { type: 'Point', coordinates },
    }));
    for (const sites of [csv, { type: 'FeatureCollection', features }]) {
      const { body, headers } = await post('/v1/sites/coverage', { sites, mode: 'walk' });
      const said = body.errors.map(({ id, detail }: Record<string, string>) => [
        id,
        detail.split(': ')[0],
      ]);
      expect(said).toEqual([
        ['b', sites === csv ? 'lat is missing' : 'lat is null'],
        ['c', 'lat is "n/a"'],
        ['d', 'lat is 95'],
      ]);
      expect(headers['x-tokens-charged']).toBe('10');
    }
  });

  test('of GeoJSON without a point fails alone, and the numbers of one stay in its properties', async () => {
    const { lon, lat } = await centres((isRoutable) => isRoutable);
    const geometries = [
      { type: 'Point', coordinates: [lon, lat] },
      null,
      undefined,
      { type: 'LineString', coordinates: [[lon, lat]] },
      { type: 'Point', coordinates: [-70.5, '36'] },
      { type: 'Point', coordinates: [-190.5, 36] },
    ];
    const features = geometries.map((geometry, id) => ({ type: 'Feature', id, geometry }));
    const sites = { type: 'FeatureCollection', features };
    const response = await proxy.post(
      '/v1/sites/coverage',
      proxy.key,
      { sites, mode: 'walk' },
      { accept: 'application/geo+json' },
    );
    expect([response.statusCode, response.headers['x-tokens-charged']]).toEqual([200, '10']);
    const { errors, features: rows } = response.json();
    expect(errors.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(errors[0].detail).toMatch(/^lat is missing: .*; lon is missing: /);
    const places = rows.map(({ geometry, properties }: GeoFeature) => [
      geometry?.type ?? null,
      'lon' in properties ? [properties.lon, properties.lat] : [],
    ]);
    expect(places).toEqual([
      ['Point', []],
      [null, [null, null]],
      [null, [null, null]],
      [null, [null, null]],
      [null, [-70.5, null]],
      [null, [-190.5, 36]],
    ]);
  });

  test('of CSV is named by its line if all are wrong, before it is asked whether tokens are left', async () => {
    const { key } = await proxy.customer({ tokens: 0 });
    const sites = 'id,lat,lon\n\na,,-70\nb,n/a,500\n';
    for (const apiKey of [key, proxy.key]) {
      const response = await proxy.post('/v1/sites/coverage', apiKey, { sites, mode: 'walk' });
      expect([response.statusCode, response.json().errors]).toEqual([
        400,
        [
          {
            loc: ['body', 'sites'],
            msg: 'line 3: lat is missing: it must be a number from -90 to 90',
            type: 'invalid_point',
          },
          {
            loc: ['body', 'sites'],
            msg: 'line 4: lat is "n/a": it must be a number from -90 to 90; lon is 500: it must be from -180 to 180',
            type: 'invalid_point',
          },
        ],
      ]);
    }
    const repeated = await post('/v1/sites/coverage', {
      sites: `${sites}c,36,-70\nd,36,-70`,
      candidates: [{ id: 1 }, { id: '1' }],
      mode: 'walk',
    });
    expect(repeated.body.errors).toMatchObject([{ loc: ['body', 'candidates', 1, 'id'] }]);
  });

  test('is refused with all others if each is malformed or exchanged, and the reasons are stated', async () => {
    const { lon, lat, county } = await centres((isRoutable) => isRoutable);
    const swapped = Array.from({ length: 30 }, (_, i) => ({ id: i, lat: lon, lon: lat }));
    for (const area of [undefined, { counties: [county] }]) {
      const sites = [...swapped, WRONG[0]];
      const { slug, body, headers } = await post('/v1/sites/coverage', {
        area,
        sites,
        candidates: swapped,
        mode: 'walk',
      });
      expect([slug, headers['x-tokens-charged']]).toEqual(['invalid-parameters', '0']);
      expect(body.detail).toContain('with lon and lat exchanged');
      expect([body.errors.length, body.errors_omitted]).toEqual([20, 41]);
      expect(body.errors[0].loc).toEqual(['body', 'sites', 0]);
    }
    // Not all are wrong: one is in the sea.
    const lost = await post('/v1/sites/coverage', { sites: [WRONG[4], swapped[0]], mode: 'walk' });
    expect([lost.slug, lost.body.detail]).toEqual([
      'point-not-covered',
      expect.stringMatching(/sea: 30, -40 is not in .*; 0: .*are lat and lon exchanged\?$/),
    ]);
  });
});

test('one type in two spellings is counted once', async () => {
  const { lon, lat } = await centres((isRoutable) => isRoutable);
  const of = ['type:201', 'type:0201'];
  const body = { origins: [{ lon, lat }], of, mode: ['walk'], minutes: [10] };
  const { body: response } = await post('/v1/access', body);
  expect(response.results.map((row: { of: string }) => row.of)).toEqual(['type:201']);
});

test('a decay takes a decimal number in any notation', async () => {
  const { lon, lat } = await centres((isRoutable) => isRoutable);
  for (const decay of ['exponential:14.426950408889635', 'linear:1e1', 'logistic:3.5E1:10.']) {
    const url = `/v1/point/access?lon=${lon}&lat=${lat}&mode=walk&decay=${decay}`;
    expect([decay, (await proxy.get(url, proxy.key)).statusCode]).toEqual([decay, 200]);
  }
  const wrong = `/v1/point/access?lon=${lon}&lat=${lat}&mode=walk&decay=linear:61`;
  expect((await proxy.get(wrong, proxy.key)).statusCode).toBe(400);
});

test('the problem of an unknown weight lists all known ones', async () => {
  const { body } = await post('/v1/coverage', { area: { counties: ['99001'] }, weight: ['foo'] });
  const { weights } = (await proxy.get('/v1/meta/weights')).json();
  for (const { weight } of weights) expect(body.errors[0].msg).toContain(weight);
});

describe('a fault is reported with the member that it is in', () => {
  const area = { counties: ['99001'] };
  const one = { lon: -70, lat: 36 };
  const near = { ...one, mode: 'walk', max_minutes: 5 };
  const site = { id: 'a', ...one };
  const geometry = { type: 'Point', coordinates: [one.lon, one.lat] };
  const collection = (properties: object) => ({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties, geometry }],
  });

  test.each<[string, object, (string | number)[], string]>([
    [
      '/v1/coverage',
      { area, all_of: [CRITERION, { ...CRITERION, type: 9 }] },
      ['all_of', 1, 'type'],
      'has no destination type 9; see /v1/meta/destination-types',
    ],
    [
      '/v1/coverage',
      { area, all_of: [CRITERION, {}] },
      ['all_of', 1, 'type'],
      'is missing: it must be the id or label of a destination type; see /v1/meta/destination-types',
    ],
    [
      '/v1/coverage',
      { area, all_of: [{ type: 101, max_minutes: 5 }] },
      ['all_of', 0, 'mode'],
      'is missing: it must be one of walk, bike, transit',
    ],
    [
      '/v1/coverage',
      { area, all_of: CRITERION },
      ['all_of'],
      'must be an array of criteria, not an object',
    ],
    [
      '/v1/coverage',
      { area: { blocks: '990010005004090' } },
      ['area', 'blocks'],
      'must be an array of block GEOIDs of 15 digits, not text',
    ],
    [
      '/v1/coverage',
      { area: { places: '9957600' } },
      ['area', 'places'],
      'must be an array of census place GEOIDs of 7 digits, not text',
    ],
    [
      '/v1/coverage',
      { area, weight: 'people' },
      ['weight'],
      'must be an array of weights, not text',
    ],
    ['/v1/blocks/match', { area }, ['all_of'], 'is missing: it must be an array of criteria'],
    [
      '/v1/blocks/match',
      { area, all_of: [CRITERION], near: [near, { ...near, max_minutes: 61 }] },
      ['near', 1, 'max_minutes'],
      'must be from 1 to 60',
    ],
    [
      '/v1/blocks/match',
      { area, all_of: [CRITERION], near: [{ ...near, lat: undefined }] },
      ['near', 0, 'lat'],
      'is missing: it must be a number',
    ],
    [
      '/v1/sites/coverage',
      { mode: 'walk' },
      ['sites'],
      'is missing: it must be an array of sites, CSV text, a FeatureCollection or an object with a type',
    ],
    [
      '/v1/sites/coverage',
      { sites: [site] },
      ['mode'],
      'is missing: it must be one of walk, bike, transit',
    ],
    [
      '/v1/sites/coverage',
      { sites: [site, one], mode: 'walk' },
      ['sites', 1, 'id'],
      'is missing: it must be text of 1 to 100 characters, or a whole number',
    ],
    [
      '/v1/sites/coverage',
      { sites: { type: 'FeatureCollection' }, mode: 'walk' },
      ['sites', 'features'],
      'is missing: it must be an array of features',
    ],
    [
      '/v1/sites/coverage',
      { sites: 'id,lat,lon\n\na,36,-70\n,36,-70', mode: 'walk' },
      ['sites'],
      'line 4: id is missing',
    ],
    [
      '/v1/sites/coverage',
      { sites: 'id,lat,lon,candidate\na,36,-70,no\nb,36,-70,yes', mode: 'walk' },
      ['sites'],
      'line 3: is a candidate: send it in candidates',
    ],
    [
      '/v1/sites/coverage',
      { sites: [site], candidates: 'id,lat,lon,candidate\nb,36,-70,no', mode: 'walk' },
      ['candidates'],
      'line 2: is no candidate: send it in sites',
    ],
    [
      '/v1/sites/coverage',
      { sites: collection({ id: 'b', candidate: true }), mode: 'walk' },
      ['sites', 0],
      'is a candidate: send it in candidates',
    ],
    [
      '/v1/sites/coverage',
      { sites: [site], mode: 'walk', minutes: 5 },
      ['minutes'],
      'must be 1 to 12 whole minutes from 1 to 60, ascending, not a number',
    ],
  ])('%s %j', async (url, body, loc, msg) => {
    const { slug, body: problem } = await post(url, body);
    expect([slug, problem.errors[0].loc, problem.errors[0].msg]).toEqual([
      'invalid-parameters',
      ['body', ...loc],
      expect.stringContaining(msg),
    ]);
  });

  test('a mode that the release lacks is reported with its criterion, its point or the body of sites', async () => {
    const without = await ofThisTest(openProxy(await releaseWithoutTransit()));
    const { key } = await without.customer();
    const all_of = [CRITERION, { ...CRITERION, mode: 'transit' }];
    for (const [url, body, loc] of [
      ['/v1/coverage', { area, all_of }, ['body', 'all_of', 1, 'mode']],
      [
        '/v1/blocks/match',
        { area, all_of: [CRITERION], near: [near, { ...near, mode: 'transit' }] },
        ['body', 'near', 1, 'mode'],
      ],
      ['/v1/sites/coverage', { sites: [site], mode: 'transit' }, ['body', 'mode']],
    ] as const) {
      const { errors } = (await without.post(url, key, body)).json();
      expect(errors).toMatchObject([{ loc, type: 'mode_not_in_release' }]);
    }
  });
});

describe('the longest lists of sites and candidates, over ten thousand blocks', () => {
  const points = Array.from({ length: 1_000 }, (_, i) => ({ id: i, lon: 0, lat: 0 }));
  const area = {
    blocks: Array.from({ length: 10_000 }, (_, i) => `99001${`${i}`.padStart(10, '0')}`),
  };
  const collection = (properties: object) => ({
    type: 'FeatureCollection',
    features: points.map(({ id, lon, lat }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { id, ...properties },
    })),
  });
  test.each([
    ['lists', points],
    ['CSV', `id,lat,lon\n${points.map(({ id, lon, lat }) => `${id},${lat},${lon}\n`).join('')}`],
    ['GeoJSON', collection({ name: 'x', kind: null })],
  ])('are read as %s', async (_, sites) => {
    const { slug } = await post('/v1/sites/coverage', {
      sites,
      candidates: sites,
      area,
      mode: 'walk',
    });
    expect(slug).toBe('block-not-found');
  });

  test('are the limit: longer ones are refused, however long', async () => {
    const sites = Array.from({ length: 20_000 }, (_, id) => ({ id, lon: 0, lat: 0 }));
    const { slug, body } = await post('/v1/sites/coverage', { sites, mode: 'walk' });
    expect(slug).toBe('invalid-parameters');
    const fault = { loc: ['body', 'sites'], msg: 'must list at most 1000', type: 'too_big' };
    expect(body.errors).toEqual([fault]);
    const features = sites.slice(0, 8_000).map(({ id }) => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [0, 0] },
    }));
    const file = { type: 'FeatureCollection', features };
    const other = await post('/v1/sites/coverage', { sites: file, mode: 'walk' });
    expect(other.body.errors).toEqual([fault]);
  });

  test('are refused by the limit on bodies if features have more properties', async () => {
    const sites = collection(
      Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`p${i}`, i])),
    );
    const body = { sites, candidates: sites, area, mode: 'walk' };
    const { slug, body: problem } = await post('/v1/sites/coverage', body);
    expect([slug, problem.detail]).toEqual([
      'payload-too-large',
      expect.stringContaining('more than 50,000 values'),
    ]);
  });
});

test('the id of a failed site may be any text, a lone surrogate too, in every format', async () => {
  const { lon, lat } = await centres((isRoutable) => isRoutable);
  const body = {
    sites: [{ id: 'a', lon, lat }],
    candidates: [{ id: '\ud800', lon: 0, lat: 0 }],
    mode: 'walk',
  };
  for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
    const response = await proxy.post('/v1/sites/coverage', proxy.key, body, { accept });
    expect(response.statusCode, `${accept} ${response.body}`).toBe(200);
  }
});

/** Publishes the demo under another manifest, which lists no transit; returns the folder. */
async function releaseWithoutTransit(): Promise<string> {
  const release = await TamperedRelease.copyOf(inject('demoStore'), { tiles: false });
  onTestFinished(() => release.remove());
  Object.assign(release.manifest, { modes: ['walk', 'bike'] });
  await release.publish();
  return release.folder;
}

test('a property `candidate` that is neither text nor a boolean is ignored', () => {
  const list = [{ id: 'a', lon: -70, lat: 36 }];
  for (const candidate of [{ toString: 1 }, [{ toString: 1 }], null]) {
    const geometry = { type: 'Point', coordinates: [-70, 36] };
    const features = [{ type: 'Feature', geometry, properties: { id: 'a', candidate } }];
    expect(parseSites({ type: 'FeatureCollection', features }, 'sites')).toEqual({ list });
  }
});
