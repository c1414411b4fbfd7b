import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../proxy/endpoints/index.ts';
import { watchLoop } from '../support/loop-watch.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { standardMs } from '../support/standard-work.ts';

const MAX_ERROR_BYTES = 16_000;
/**
 * The longest that a request may hold the event loop in one go, in standard works. The rule is 20
 * ms, which `npm run bench -- loop` measures on a quiet machine.
 */
const MAX_HELD = 7;
/** Tries, of which the best counts: it shows least of compilation and garbage collection. */
const TRIES = 5;
const BODY_BYTES = 2 ** 20;
/** The maximum length that Node accepts, including the headers. */
const QUERY_BYTES = 15_000;

const proxy = proxyOfTests();
let key: string;
let standard: number;
beforeAll(async () => {
  standard = await standardMs();
  ({ key } = await proxy.customer({ tokens: 5 }));
});

type Request = InjectOptions;

/** Sends a request, and measures how long it held the event loop in one go, in standard works. */
async function ask(request: Request) {
  for (let held = Number.POSITIVE_INFINITY, tries = 1; ; tries++) {
    const { value: response, heldMs } = await watchLoop(() => proxy.app.inject(request));
    held = Math.min(held, heldMs / standard);
    if (tries === TRIES || held <= MAX_HELD) return { response, held };
    // Other tests may have come to share the memory's bandwidth.
    standard = await standardMs();
  }
}

async function expectCheap(name: string, request: Request): Promise<void> {
  const { response, held } = await ask(request);
  const { statusCode, rawPayload } = response;
  expect(statusCode, `${name}: ${response.body.slice(0, 300)}`).toBeGreaterThanOrEqual(400);
  expect(statusCode, `${name}: ${response.body.slice(0, 300)}`).toBeLessThan(500);
  expect(rawPayload.length, name).toBeLessThanOrEqual(MAX_ERROR_BYTES);
  expect(Number(response.headers['x-tokens-charged'] ?? 0), name).toBe(0);
  const { errors, errors_omitted = 1 } = response.json();
  if (errors) expect(errors.length, name).toBeLessThanOrEqual(20);
  expect(errors_omitted, name).toBeGreaterThan(0);
  expect(held, `${name} held the loop`).toBeLessThan(MAX_HELD);
}

/** Pieces joined by commas, up to the given number of bytes and of pieces. */
function filled(piece: (i: number) => string, bytes: number, most = bytes): string {
  const pieces: string[] = [];
  for (let length = 0; pieces.length < most; ) {
    const next = piece(pieces.length);
    length += next.length + 1;
    if (length > bytes) break;
    pieces.push(next);
  }
  return pieces.join(',');
}

const ROOM = BODY_BYTES - 200;
const VALUES: Readonly<Record<string, (i: number) => string>> = {
  numbers: () => '1',
  halves: () => '1.5',
  infinities: () => '1e999',
  'empty texts': () => '""',
  texts: (i) => `"${i.toString(36)}"`,
  'long texts': () => `"${'\\u0000'.repeat(500)}"`,
  nulls: () => 'null',
  'empty objects': () => '{}',
  'objects of strangers': (i) => `{"${i.toString(36)}":1}`,
  points: () => '{"lat":91,"lon":1}',
  'empty arrays': () => '[]',
  positions: () => '[1,2]',
  'deep arrays': () => '[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]',
};

const POLYGONS = [
  ['"polygon":{"type":"Polygon","coordinates":[', ']}'],
  ['"polygon":{"type":"Polygon","coordinates":[[', ']]}'],
  ['"polygon":{"type":"MultiPolygon","coordinates":[[[', ']]]}'],
  ['"polygon":{"type":"Polygon","bbox":[', ']}'],
];
const LISTS_OF_AREA = ['blocks', 'places', 'counties'].map((list) => [`"${list}":[`, ']']);

/** Maximum number of values that a body may have, names included. */
const MAX_VALUES = 50_000;

/** The longest lists that are parsed, of a megabyte at most, by the name of their values. */
const LISTS = Object.entries(VALUES).map(([name, piece]) => {
  const values = 1 + (piece(0).match(/[[{:,]/g)?.length ?? 0);
  return [name, filled(piece, ROOM, (MAX_VALUES - 100) / values)] as const;
});

/** Bodies of a megabyte that are refused before a route reads its members. */
const ANY_BODIES: readonly (readonly [name: string, body: string])[] = [
  ...listsIn('[', ']'),
  ['strangers', `{${filled((i) => `"${i.toString(36)}":1`, ROOM, MAX_VALUES / 2 - 100)}}`],
  ['numbered strangers', `{${filled((i) => `"${i}":1`, ROOM, MAX_VALUES / 2 - 100)}}`],
  ['too many values', `{"origins":[${filled(() => '1', ROOM)}]}`],
  ['long strangers', `{${filled((i) => `"${'\\u0001'.repeat(900)}${i}":{}`, ROOM)}}`],
  ['one stranger', `{"${'k'.repeat(ROOM)}":1}`],
  [
    'strangers in a point',
    `{"origins":[{${filled((i) => `"${i}":1`, ROOM, MAX_VALUES / 2 - 100)}}],"dest_ids":["x"],"center":{}}`,
  ],
  [
    'strangers in a polygon',
    `{"polygon":{${filled((i) => `"${i}":1`, ROOM, MAX_VALUES / 2 - 100)}},"origins":[5]}`,
  ],
  ['depth of arrays', `{"a":${'['.repeat(ROOM / 2)}${']'.repeat(ROOM / 2)}}`],
  ['depth of objects', `${'{"a":'.repeat(ROOM / 6)}1${'}'.repeat(ROOM / 6)}`],
  ['a text', `"${'x'.repeat(ROOM)}"`],
  ['a long cursor', `{"cursor":"${'x'.repeat(ROOM)}","origins":[5],"dest_ids":["x"]}`],
  ['a long number', `{"limit":${'9'.repeat(ROOM)}}`],
  ['no end', `{"origins":[${'['.repeat(20)}${filled(() => '1', ROOM, MAX_VALUES - 100)}`],
  ['no JSON', `{"origins":[${filled(() => 'x', ROOM, MAX_VALUES - 100)}]}`],
  ['blanks', ' '.repeat(ROOM)],
];

/** Bodies of each list between two texts. */
function listsIn(open: string, shut: string): [name: string, body: string][] {
  return LISTS.map(([name, list]) => [`${open}${name}`, `${open}${list}${shut}`]);
}

/** Bodies of a megabyte for a route with the given members. */
function bodies(members: readonly string[]): (readonly [name: string, body: string])[] {
  const polygons = members.includes('polygon') ? POLYGONS : [];
  const areas = members.includes('area') ? [...POLYGONS, ...LISTS_OF_AREA] : [];
  return [
    ...members.flatMap((member) => listsIn(`{"${member}":[`, ']}')),
    ...polygons.flatMap(([open, shut]) => listsIn(`{${open}`, `${shut}}`)),
    ...areas.flatMap(([open, shut]) => listsIn(`{"area":{${open}`, `${shut}}}`)),
  ];
}

const POSTED = ENDPOINTS.flatMap((one) => (one.access === 'posted' ? [one] : []));
/** The members that the body of a route has in common with none before it. */
const OWN_MEMBERS = POSTED.map(({ path, body }, i) => {
  const before = new Set(POSTED.slice(0, i).flatMap((other) => Object.values(other.body.shape)));
  const own = Object.entries(body.shape).filter(([, schema]) => !before.has(schema));
  return [path, own.map(([name]) => name)] as const;
});

describe('a megabyte to POST', () => {
  const send = (name: string, url: string, payload: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return expectCheap(name, { method: 'POST', url, headers, payload });
  };

  test.each(OWN_MEMBERS)(
    '%s, in whatever member, gets a short, immediate and free refusal',
    async (url, members) => {
      for (const [name, payload] of bodies(members)) await send(name, url, payload);
    },
  );

  test('any route, of whatever shape, gets a short, immediate and free refusal', async () => {
    for (const [i, [name, payload]] of ANY_BODIES.entries()) {
      await send(name, POSTED[i % POSTED.length].path, payload);
    }
  });
});

/** A query of the given number of bytes. */
function query(piece: (i: number) => string, bytes = QUERY_BYTES): string {
  return filled(piece, bytes).replaceAll(',', '&');
}

/** Queries that are refused for parameters that a route does not have. */
const ANY_QUERIES = [
  query((i) => `${i}`),
  query((i) => `%01%02%03${i}=%00`),
  `${'x'.repeat(QUERY_BYTES)}=1`,
  query(() => 'a=1'),
  query((i) => `a[__proto__][${i}]=1`),
];

/** Queries for a parameter, by its name. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  mode: [query(() => 'mode=walk&x=1'), query((i) => `mode=${i}`)],
  type: [query((i) => `type=a${i}`), query((i) => `type=${60_000 + i}`, 1_000)],
  dest_id: [query((i) => `dest_id=a${i}`)],
  block: [query((i) => `block=a${i}`)],
  weight: [query((i) => `weight=a${i}`)],
  of: [query((i) => `of=type:${i}`)],
  minutes: [query((i) => `minutes=${i}`)],
  decay: [`decay=logistic:${'1'.repeat(QUERY_BYTES)}:1`],
  lat: [`lat=${'1'.repeat(QUERY_BYTES)}x&lon=1&x=1`],
  lon: [`lon=1.${'1'.repeat(QUERY_BYTES)}e&lat=1&x=1`],
  q: [`q=${'%F0%9F%98%80'.repeat(1_000)}&x=1`],
  bbox: [`bbox=${'1,'.repeat(QUERY_BYTES / 2)}`],
  contours: [`contours=${'1,'.repeat(QUERY_BYTES / 2)}`, query(() => 'contours=1')],
  cursor: [`cursor=${'A'.repeat(QUERY_BYTES)}&limit=x`],
  v: [`v=${'A'.repeat(QUERY_BYTES)}`],
};

const GETS = ENDPOINTS.flatMap((one) => (one.access === 'posted' ? [] : [one]));
/** The queries for the parameters that a route has in common with none before it. */
const OWN_QUERIES = GETS.map(({ path, query }, i) => {
  const before = new Set(GETS.slice(0, i).flatMap((other) => Object.values(other.query.shape)));
  const own = Object.entries(query.shape).filter(([, schema]) => !before.has(schema));
  return [path, own.flatMap(([name]) => QUERIES[name] ?? [])] as const;
});

test('each parameter that has a long query is one of some route', () => {
  const names = new Set(GETS.flatMap(({ query }) => Object.keys(query.shape)));
  expect(Object.keys(QUERIES).filter((name) => !names.has(name))).toEqual([]);
});

test.each(OWN_QUERIES)(
  'a long query to GET %s gets a short, immediate and free refusal',
  async (path, own) => {
    const asked = path
      .replace('{geoid}', path.includes('/places/') ? '9957600' : '990010001001000')
      .replace('{fips}', '99001')
      .replace('{mode}', 'walk')
      .replace('{dest_type_id}', '101')
      .replace(/\{[zxy]\}/g, '0')
      .replace('{dest_id}', '1');
    const headers = { authorization: `Bearer ${key}` };
    for (const sent of [...ANY_QUERIES, ...own]) {
      await expectCheap(sent.slice(0, 40), { url: `${asked}?${sent}`, headers });
    }
  },
);

test('errors about a long path are short', async () => {
  const headers = { authorization: `Bearer ${key}` };
  const long = '%00'.repeat(5_000);
  for (const url of [
    `/${long}`,
    `/v1/blocks/${long}/summary`,
    `/v1/places/${long}/pois`,
    `/v1/pois/${long}`,
    `/v1/places/${'9'.repeat(15_000)}/boundary`,
    `/v1/blocks/${'%zz'.repeat(5_000)}/summary`,
    // Decoded and quoted, this path would be twice as long as sent.
    `/problems/${long}`,
    `/problems/${'x'.repeat(15_000)}`,
    `/v1/isochrone/tiles/walk/${'1'.repeat(15_000)}.json`,
  ]) {
    for (const method of ['GET', 'DELETE', 'POST'] as const) {
      await expectCheap(`${method} ${url.slice(0, 40)}`, { method, url, headers });
    }
  }
});

test('of thousands of wrong items, or unknown members, only a hundred are counted', async () => {
  const noId = Array.from({ length: 1_000 }, () => ({ lat: 1, lon: 1 }));
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`u${i}`, 1]));
  const blocks = Array.from({ length: 10_000 }, () => 'x');
  for (const [url, payload, counted] of [
    ['/v1/sites/coverage', { sites: noId, candidates: noId, mode: 'walk' }, 2 * 100],
    ['/v1/coverage', { area: { blocks } }, 100],
    ['/v1/blocks/summary', { origins: ['1'], ...unknown }, 100],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` };
    const request = { method: 'POST', url, headers, payload } as const;
    await expectCheap(`faults for ${url}`, request);
    const { errors, errors_omitted, detail } = (await proxy.app.inject(request)).json();
    expect([errors.length, errors_omitted], url).toEqual([20, counted - 20]);
    expect(detail, url).toMatch(new RegExp(`; and ${counted - 3} or more$`));
  }
});

const CSV_LENGTH = 100_000;
const repeated = (part: string) => part.repeat((CSV_LENGTH - 200) / part.length);

test.each([
  ['many columns', repeated('a,')],
  ['many columns of its own', filled((i) => `c${i}`, CSV_LENGTH)],
  ['columns that repeat', `"\n",${filled((i) => `_${i + 1}`, 9_000)}${','.repeat(90_000)}`],
  ['wide rows', `id,lat,lon\n${repeated(`${'1,'.repeat(500)}\n`)}`],
  ['empty lines', `id,lat,lon\n${repeated('\n')}`],
  ['blank lines', `id,lat,lon\n${repeated(' \n')}`],
  ['short rows', `id,lat,lon\n${repeated('x\n')}`],
  ['quotes', `id,lat,lon\n${repeated('"a')}`],
  ['pairs of quotes', `id,lat,lon\n${repeated('""')}`],
  ['cells in quotes', `id,lat,lon\n${repeated('"a",')}`],
  ['brackets', repeated('(')],
  ['a long number', `id,lat,lon\na,${repeated('1')}x,1`],
])('sites as CSV of %s are refused cheaply', async (_, sites) => {
  const headers = { authorization: `Bearer ${key}` };
  const payload = { sites, mode: 'walk' };
  const request = { method: 'POST', url: '/v1/sites/coverage', headers, payload } as const;
  await expectCheap('CSV', request);
});
