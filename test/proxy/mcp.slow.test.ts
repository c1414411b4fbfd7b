import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../portal/client/src/index.ts';
import { adviceOn } from '../../proxy/mcp/advice.ts';
import {
  callTool,
  META,
  requestOf,
  sendMessage,
  type ToolCallResult,
  VERSIONS,
  type Version,
} from '../support/mcp-client.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({
  rateLimitPerMinute: 1e6,
  config: { accountUrl: 'https://account.example.org' },
});

const send = (message: object, version: Version, key: string | undefined = proxy.key) =>
  sendMessage(proxy, message, { version, key });
const list = (version: Version) => send(requestOf('tools/list', {}, version), version);
const call = (name: string, args: object, key: string | undefined = proxy.key) =>
  callTool(proxy, key, name, args);

const textOf = ({ content }: ToolCallResult) => content[0].text ?? '';

/** Whether a number is the id of a destination type, or of a county. */
const isId = (text: string) => /^(10\d\d|99\d{3})$/.test(text);

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1' },
};

let block = '';
beforeAll(async () => {
  const body = {
    area: { counties: ['99001'] },
    all_of: [{ type: 102, mode: 'walk', max_minutes: 10 }],
    limit: 1,
  };
  const { results } = (await proxy.post('/v1/blocks/match', proxy.key, body)).json();
  block = results[0].geoid;
});

test.each(VERSIONS)('clients of %s list eight tools in under 6.5 kB', async (version) => {
  const { status, text, json } = await list(version);
  expect(status).toBe(200);
  expect(json.result.tools.map(({ name }: { name: string }) => name)).toEqual([
    'find_place',
    'list_types',
    'explain_block',
    'compare_places',
    'measure_coverage',
    'find_blocks',
    'reach_from',
    'check_balance',
  ]);
  for (const tool of json.result.tools) {
    expect(tool.annotations.readOnlyHint).toBe(true);
    expect(tool.inputSchema.type).toBe('object');
    expect(tool.outputSchema.type).toBe('object');
  }
  expect(text.length).toBeLessThan(6_500);
  // Clients whose dialect of JSON Schema allows only one type reject lists of types.
  expect(text).not.toContain('"type":[');
});

const CRITERION = { type: 'libraries', max_minutes: 10 };

/** The advice on a list of criteria. */
const CRITERIA = 'send 1 to 8 criteria, such as [{"type": "libraries", "max_minutes": 10}]';

/** A call of each tool whose result has every member. */
const calls = (): Readonly<Record<string, object>> => ({
  find_place: { query: 'meridian' },
  list_types: {},
  explain_block: { origin: block, types: ['parks', 405], modes: ['walk', 'transit'] },
  compare_places: { places: ['Halcyon', 'Port Meridian'], types: ['parks', 'libraries'] },
  measure_coverage: { area: '99001', types: [102], all_of: [{ type: 'parks', max_minutes: 10 }] },
  find_blocks: { area: 'Halcyon, XA', all_of: [{ type: 'supermarkets', max_minutes: 10 }] },
  reach_from: { origin: block, of: ['jobs', 'libraries'], minutes: [10, 20] },
  check_balance: {},
});

test.each(VERSIONS)('results have exactly the members that clients of %s see', async (version) => {
  const ajv = new Ajv({ strict: false });
  for (const { name, inputSchema, outputSchema } of (await list(version)).json.result.tools) {
    const args = calls()[name];
    const isValid = ajv.compile(closed(outputSchema));
    const { structuredContent } = await callTool(proxy, proxy.key, name, args, version);
    expect(isValid(structuredContent), `${name}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
    expect(Object.keys(structuredContent).sort()).toEqual(
      Object.keys(outputSchema.properties).sort(),
    );
    if (!('estimate_only' in (inputSchema.properties ?? {}))) continue;
    const asked = { ...args, estimate_only: true };
    const estimate = (await callTool(proxy, proxy.key, name, asked, version)).structuredContent;
    expect(isValid(estimate)).toBe(true);
    expect(Object.keys(estimate)).toEqual(['tokens']);
    expect(estimate.tokens).toBeGreaterThanOrEqual(structuredContent.tokens);
  }
});

/** A schema that is closed to members beyond those that it names. */
function closed(schema: object): object {
  const changed = Object.entries(schema).map(([keyword, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? [keyword, closed(value)]
      : [keyword, value],
  );
  return { ...Object.fromEntries(changed), ...('properties' in schema && CLOSED) };
}
const CLOSED = { additionalProperties: false };

describe('results', () => {
  test('link the map at the place of the result, with a type that the map has', async () => {
    const map = 'https://account.example.org/map#x=1';
    const linkOf = async (name: string, args: object) => (await call(name, args)).content[1].uri;
    const [lat, lon] = [36, -70.0066];
    const origin = `${lat}, ${lon}`;
    const at = (await call('explain_block', { origin, types: [405] })).structuredContent.block;
    expect(await linkOf('explain_block', { origin: block, types: ['pharmacies'] })).toBe(
      `${map}&b=${block}&m=walk&t=405`,
    );
    expect(await linkOf('explain_block', { origin, types: ['parks'] })).toBe(
      `${map}&b=${at}&m=walk&t=511&map=14/${lat}/${lon}`,
    );
    expect(await linkOf('reach_from', { origin, minutes: [10] })).toBe(
      `${map}&v=reach&o=${at}&m=walk&d=from&map=12/${lat}/${lon}`,
    );
    const [place] = (await call('find_place', { query: 'Halcyon' })).structuredContent.places;
    const all_of = [{ type: 'parks', max_minutes: 30 }];
    const { content, structuredContent } = await call('find_blocks', { area: 'Halcyon', all_of });
    const [first] = Object.keys(structuredContent.population);
    expect(content[1].uri).toBe(`${map}&m=walk&b=${first}&t=511&map=12/${place.lat}/${place.lon}`);
    expect(await linkOf('find_blocks', { area: `${origin},900`, all_of })).toMatch(
      `&map=12/${lat}/${lon}`,
    );
  });

  test('name the type that the map shows if it is not the one that was measured', async () => {
    const linked = async (name: string, args: object) => (await call(name, args)).content[1];
    const only = { description: 'Parks under 2.5 acres only' };
    expect(await linked('explain_block', { origin: block, types: ['parks'] })).toMatchObject(only);
    const all_of = [{ type: 'parks', max_minutes: 30 }];
    expect(await linked('find_blocks', { area: 'Halcyon', all_of })).toMatchObject(only);
    const leaf = await linked('explain_block', { origin: block, types: ['pharmacies'] });
    expect(leaf).not.toHaveProperty('description');
  });

  test('state that nothing was found instead of zeros or an empty text', async () => {
    const sea = await call('measure_coverage', { area: '36,-60,1000', types: [101] });
    expect(textOf(sea)).toContain('No block of this release has its centre in the area.');
    const all_of = [{ type: 'parks', max_minutes: 30 }];
    const found = await call('find_blocks', { area: '36,-60,1000', all_of });
    expect(textOf(found)).toContain('no block of this release has its centre there');
    const none = await call('list_types', { query: 'zzz' });
    expect(textOf(none)).toMatch(/^No type has that name\. .*\nWeights: people, /);
  });

  test('have types by their everyday names', async () => {
    for (const query of ['ATM', 'atms', 'cash points']) {
      expect((await call('list_types', { query })).structuredContent.types).toHaveProperty('714');
    }
  });

  test('state what they cost in the text too', async () => {
    const { key } = await proxy.customer({ tokens: 100 });
    const result = await call('reach_from', { origin: block, minutes: [10] }, key);
    expect(textOf(result)).toContain('(1 token, 99 left)');
  });

  test('are worded “on foot”, not “by walk”', async () => {
    for (const [name, args] of Object.entries(calls())) {
      expect(textOf(await call(name, args)), name).not.toMatch(/by walk/);
    }
    expect(textOf(await call('explain_block', calls().explain_block))).toMatch(/^on foot:$/m);
  });

  test('by transit, and the instructions, state the departures that the times are of', async () => {
    const note = /10th percentile of departures on a weekday from 8:00 to 9:00: most .* longer\./;
    const { json } = await send(requestOf('initialize', INITIALIZE, '2025-06-18'), '2025-06-18');
    expect(json.result.instructions).toMatch(note);
    const byTransit = (mode: string): Readonly<Record<string, object>> => ({
      explain_block: { origin: block, types: [405], modes: [mode] },
      compare_places: { places: ['Halcyon', 'Port Meridian'], types: [405], mode },
      measure_coverage: { area: '99001', types: [405], mode },
      find_blocks: { area: '99001', all_of: [{ ...CRITERION, mode }] },
      reach_from: { origin: block, mode, minutes: [10] },
    });
    for (const [name, args] of Object.entries(byTransit('transit'))) {
      expect(textOf(await call(name, args)), name).toMatch(note);
    }
    for (const [name, args] of Object.entries(byTransit('bike'))) {
      expect(textOf(await call(name, args)), name).not.toMatch(/percentile/);
    }
  });

  test('of find_blocks name the points, and the cursor if there are more blocks', async () => {
    const point = '36.0003,-69.9907';
    const near = (direction?: string) => [{ point, mode: 'bike', max_minutes: 12, direction }];
    const found = (args: object) => call('find_blocks', { ...calls().find_blocks, ...args });
    expect(textOf(await found({ near: near() }))).toMatch(
      /Supermarkets within 10 min on foot, within 12 min by bike to 36\.0003,-69\.9907: (first )?\d+ blocks/,
    );
    expect(textOf(await found({ near: near('from') }))).toContain(
      'within 12 min by bike from 36.0003,-69.9907',
    );
    const first = await found({ limit: 1 });
    const cursor = first.structuredContent.next_cursor;
    expect(textOf(first)).toContain('on foot: first 1 block\n');
    expect(textOf(first)).toContain(`\nMore by cursor: ${cursor}\n`);
    expect(textOf(await found({ limit: 1, cursor }))).toContain('on foot: next 1 block\n');
    let last = first;
    for (let next = cursor; next !== null; next = last.structuredContent.next_cursor) {
      last = await found({ limit: 100, cursor: next });
    }
    expect(textOf(last)).toMatch(/on foot: last \d+ blocks\n/);
    expect(textOf(last)).not.toContain('cursor');
  });

  test('separate thousands', async () => {
    const { structuredContent, content } = await call('measure_coverage', {
      area: 'Halcyon',
      types: [102],
    });
    expect(structuredContent.total).toBe(13_238);
    expect(content[0].text).toContain(': 13,238 people\n');
    for (const [name, args] of Object.entries(calls())) {
      const text = textOf(await call(name, args));
      // Blocks and places have longer ids.
      const plain = text.match(/(?<![\d.,-])\d{4,6}(?!\d)/g) ?? [];
      expect(
        plain.filter((id) => !isId(id)),
        name,
      ).toEqual([]);
    }
  });

  test('use the singular for one token', async () => {
    const { key } = await proxy.customer({ tokens: 1 });
    expect(textOf(await call('check_balance', {}, key))).toMatch(/^1 token\n/);
    const dear = await call('compare_places', calls().compare_places, key);
    expect(textOf(dear)).toMatch(/, and 1 is left:/);
  });

  test('of the n-th nearest, and of the way back from a point, are those of the API', async () => {
    const area = 'Halcyon';
    const all_of = [{ ...CRITERION, nth: 2 }];
    const measured = await call('measure_coverage', { area, all_of });
    const criteria = [{ type: 601, mode: 'walk', max_minutes: 10, nth: 2 }];
    const row = { mode: ['walk'], type: [601] };
    const body = { area: { places: ['9931200'] }, ...row, all_of: criteria };
    const { basket, results } = (await proxy.post('/v1/coverage', proxy.key, body)).json();
    // The row that is charged beside the basket is returned too.
    const [{ within: sums, beyond, no_data: unrouted }] = results;
    expect(Object.values(measured.structuredContent.within as object)).toEqual([
      { ...sums, beyond, no_data: unrouted },
    ]);
    const { all_of: withAll, missing_only, no_data } = measured.structuredContent;
    expect({ withAll, missing_only, no_data }).toEqual({
      withAll: basket.with_all,
      missing_only: basket.missing_only,
      no_data: basket.no_data,
    });
    const meets = [{ ...CRITERION, max_minutes: 30 }];
    const found = async (direction: string) => {
      const close = { mode: 'transit', max_minutes: 18, direction };
      const near = [{ ...close, point: '36.0003,-69.9907' }];
      const args = { area: '99001', all_of: meets, near, limit: 100 };
      const { structuredContent } = await call('find_blocks', args);
      const { results } = (
        await proxy.post('/v1/blocks/match', proxy.key, {
          area: { counties: ['99001'] },
          all_of: [{ type: 601, mode: 'walk', max_minutes: 30 }],
          near: [{ ...close, lat: 36.0003, lon: -69.9907 }],
          limit: 100,
        })
      ).json();
      const blocks = Object.keys(structuredContent.population as object);
      expect(blocks).toEqual(results.map(({ geoid }: { geoid: string }) => geoid));
      return blocks;
    };
    expect(await found('to')).not.toEqual(await found('from'));
  });

  test('name a place by its GEOID, however it was written', async () => {
    for (const area of ['9931200', 'halcyon', 'Halcyon, XA', 'city of HALCYON', 'Halcyon city']) {
      const { structuredContent } = await call('measure_coverage', { area, types: [102] });
      expect(structuredContent.area).toContain('9931200');
      expect(structuredContent.total).toBe(13_238);
    }
  });
});

describe('nothing is charged', () => {
  test('for an estimate', async () => {
    const { id, key } = await proxy.customer({ tokens: 100 });
    await call('explain_block', { origin: block, types: [102], estimate_only: true }, key);
    expect(await proxy.balance(id)).toBe(100);
  });

  test.each([
    ['a name of several types', 'measure_coverage', { types: ['schools'] }, /310 Public schools/],
    ['a name of no type', 'measure_coverage', { types: ['unicorns'] }, /no type.*100 Food shops/],
    [
      'a misspelt type',
      'measure_coverage',
      { types: ['libaries'] },
      /Choose one: 601 Libraries; 100 Food shops/,
    ],
    [
      'a misspelt place',
      'measure_coverage',
      { area: 'Port Meridan' },
      /find_place searches by a part of the name/,
    ],
    ['a place of another state', 'measure_coverage', { area: 'Halcyon, Ohio' }, /Halcyon, XA/],
    ['a point without a radius', 'find_blocks', { area: '36,-70' }, /lat,lon,radius_m/],
    [
      'neither types nor criteria',
      'measure_coverage',
      { types: undefined, all_of: [] },
      /types, all_of/,
    ],
    [
      'a count of no weight or type',
      'reach_from',
      { of: ['employment'] },
      /no weight or type.*Choose one: people; .*jobs; .*100 Food shops/,
    ],
    ['an origin by name', 'explain_block', { origin: 'Halcyon' }, /"lat,lon".*find_place/],
    [
      'an unknown block',
      'explain_block',
      { origin: '990010004009999' },
      /^There is no census block/,
    ],
    ['a point at sea', 'explain_block', { origin: '36,-60' }, /\w/],
    [
      'an exchanged point',
      'explain_block',
      { origin: '-70,36' },
      /lon and lat exchanged.* Nothing was charged\.$/,
    ],
    ['an unknown county', 'find_blocks', { area: '01001' }, /no county/],
    ['minutes out of order', 'reach_from', { minutes: [30, 15] }, /ascend/],
    ['minutes to POIs over 30', 'reach_from', { of: ['libraries'], minutes: [45] }, /up to 30/],
    ['an unknown weight', 'compare_places', { weight: 'cats' }, /people/],
    ['a circle too wide', 'measure_coverage', { area: '36,-70,1e9' }, /^area\.radius_m: must be/],
    ['one city twice', 'compare_places', { places: ['Halcyon', '9931200'] }, /different/],
  ])('for %s', async (_, name, args, advice) => {
    const result = await call(name, { ...calls()[name], ...args });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(advice);
    expect(result.structuredContent.tokens).toBe(0);
  });

  test.each([
    ['one city', 'compare_places', { places: ['Halcyon'] }, /2 to 5 cities/],
    ['no types', 'explain_block', { types: undefined }, /names or ids/],
    [
      'a text for a list',
      'explain_block',
      { types: 'groceries' },
      /explain_block: types: send 1 to 8 names or ids, such as \["libraries"\]$/,
    ],
    ['no criteria', 'find_blocks', { all_of: [], near: [] }, /: send 1 to 8 criteria, such as/],
    [
      'a misspelt member of a criterion',
      'find_blocks',
      { all_of: [{ ...CRITERION, modes: 'bike' }] },
      /modes|a criterion accepts type, mode, max_minutes, nth/,
    ],
    [
      'a misspelt member of a point',
      'find_blocks',
      { near: [{ point: '36,-70', max_minutes: 8, way: 'to' }] },
      /a point accepts/,
    ],
    [
      'text for a number',
      'find_blocks',
      { all_of: [{ ...CRITERION, max_minutes: 'ten' }] },
      /max_minutes: must be a whole number/,
    ],
    [
      'an argument of another tool',
      'measure_coverage',
      { minutes: [5] },
      /unknown argument minutes; this tool accepts area/,
    ],
    [
      'arguments of no tool',
      'find_place',
      { name: 'x', state: 'y' },
      /unknown arguments name, state; this tool accepts query/,
    ],
    ['a weight in capitals', 'compare_places', { weight: 'CATS' }, /must be the name of a weight/],
  ])('for %s, refused before the call', async (_, name, args, advice) => {
    expect(textOf(await call(name, { ...calls()[name], ...args }))).toMatch(advice);
  });

  test.each([
    ['explain_block', 'modes', 'send 1 to 6 modes, such as ["walk", "transit"]'],
    ['compare_places', 'places', 'send 2 to 5 cities, such as ["Baltimore, MD", "2404000"]'],
    ['measure_coverage', 'all_of', CRITERIA],
    ['find_blocks', 'all_of', CRITERIA],
    ['find_blocks', 'near', 'send 1 to 4 points, such as [{"point": "39.29,-76.61", "max_m'],
    ['reach_from', 'of', 'send 1 to 8 weights or types, such as ["jobs", "libraries"]'],
    ['reach_from', 'minutes', 'send 1 to 6 minutes, such as [15, 30]'],
  ] as const)('for text as a list, and %s states how to send %s', async (name, list, fault) => {
    const result = await call(name, { ...calls()[name], [list]: 'walk' });
    expect(textOf(result)).toContain(`${list}: ${fault}`);
  });

  test('without a key or tokens, and the error states what to do', async () => {
    const without = await call('explain_block', { origin: block, types: [102] }, '');
    expect(textOf(without)).toMatch(
      /key.*https:\/\/account\.example\.org and send it as "Authorization: Bearer KEY"\.$/,
    );
    const { key } = await proxy.customer({ tokens: 0 });
    const poor = await call('explain_block', { origin: block, types: [102] }, key);
    expect(textOf(poor)).toMatch(/buy tokens at https:\/\/account\.example\.org/);
    expect(poor.structuredContent.tokens).toBe(0);
  });

  test('for free tools', async () => {
    for (const [name, args] of [
      ['find_place', { query: 'meridian' }],
      ['list_types', {}],
    ] as const) {
      const result = await call(name, args, '');
      expect(result.isError).toBeUndefined();
      expect(textOf(result).length).toBeLessThan(6_000);
    }
  });
});

describe('malformed and hostile messages', () => {
  test.each([
    ['arguments of the wrong type', { name: 'find_blocks', arguments: { all_of: 'x' } }],
    ['an unknown tool', { name: 'drop_table', arguments: {} }],
    ['too long a name', { name: 'find_place', arguments: { query: 'x'.repeat(6e4) } }],
    ['too many types', { name: 'explain_block', arguments: { types: Array(1_000).fill(102) } }],
  ])('%s: an error, uncharged', async (_, params) => {
    const before = await proxy.get('/v1/tokens', proxy.key);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...params, _meta: META },
    };
    const { status, json } = await send(message, '2026-07-28');
    expect(status).toBeLessThan(500);
    expect(json.error ?? json.result.isError).toBeTruthy();
    expect((await proxy.get('/v1/tokens', proxy.key)).body).toBe(before.body);
  });

  test.each(['{', '[]', '"x"', '{"jsonrpc":"1.0"}', JSON.stringify({ a: Array(30_000).fill(1) })])(
    'body %# that is no message is refused',
    async (payload) => {
      const response = await proxy.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        payload,
      });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.statusCode).toBeLessThan(500);
      expect(response.body).not.toMatch(/\.ts|node_modules/);
    },
  );

  test('subscriptions, which would hold a connection, end at once, since the lists never change', async () => {
    const message = requestOf(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, resourcesListChanged: true } },
      '2026-07-28',
    );
    const { json } = await send(message, '2026-07-28');
    expect(json.method).toBe('notifications/subscriptions/acknowledged');
    expect(json.params.notifications).toEqual({});
  });

  test('other methods get 405', async () => {
    const response = await proxy.app.inject({ method: 'GET', url: '/mcp' });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});

test('a comparison that the balance does not cover as a whole is not begun', async () => {
  const { key } = await proxy.customer({ tokens: 15 });
  const places = ['Port Meridian', 'Halcyon'];
  const result = await call('compare_places', { places, types: [101] }, key);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('up to 20 tokens, and 15 are left');
  expect(result.structuredContent.tokens).toBe(0);
  const { structuredContent } = await call('check_balance', {}, key);
  expect(structuredContent.tokens_remaining).toBe(15);
});

test('a batch has at most ten messages', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { status } = await send(Array(11).fill(message), '2025-06-18');
  expect(status).toBe(413);
});

test('server.json describes this version for the registry, within its bounds', async () => {
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
  const [server, { version }] = [await read('infra/docs/server.json'), await read('package.json')];
  expect(server.version).toBe(version);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.description.length).toBeLessThanOrEqual(100);
  const [{ type, url, variables, headers }] = server.remotes;
  expect(type).toBe('streamable-http');
  expect(url.replace(/\{(\w+)\}/, (_: string, name: string) => variables[name].placeholder)).toBe(
    'https://api.example.org/mcp',
  );
  expect(headers[0]).toMatchObject({ name: 'Authorization', isSecret: true });
});

test.each([
  ['store-unavailable', 503, 'no data; nothing was charged', 0, 'No data; nothing was charged.'],
  [
    'store-unavailable',
    503,
    'no data; nothing was charged',
    5,
    'No data; nothing was charged. 5 tokens were charged before.',
  ],
  ['place-not-found', 404, 'no such place', 1, 'No such place. 1 token was charged before.'],
  ['place-not-found', 404, 'no such place', 0, 'No such place. Nothing was charged.'],
] as const)('a failure states once what it cost: %s, %i', (slug, status, detail, charged, text) => {
  const problem = { type: slug, title: '', status, detail };
  const tokens = { charged: 0, remaining: null };
  const failure = { slug, problem, status, requestId: '', tokens, retryAfterMs: null };
  const site = { accountUrl: null, keyAdvice: '' };
  expect(adviceOn(new ApiError(detail, failure), site, charged)).toBe(text);
});
