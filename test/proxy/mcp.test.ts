import { beforeAll, describe, expect, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({
  rateLimitPerMinute: 1e6,
  config: { accountUrl: 'https://account.example.org' },
});

interface Result {
  readonly isError?: boolean;
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly uri?: string;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: each tool has members of its own.
  readonly structuredContent: Readonly<Record<string, any>>;
}

interface Row {
  readonly mode: string;
  readonly minutes: number;
  readonly travel_time: number;
  readonly count: number;
}

const VERSIONS = ['2025-06-18', '2026-07-28'] as const;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends a message as a client of a version of the protocol does; returns the last response. */
async function send(message: object, version: (typeof VERSIONS)[number], key = proxy.key) {
  const response = await proxy.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(version === '2026-07-28' && {
        'mcp-method': (message as { method: string }).method,
        ...('params' in message &&
          'name' in (message.params as object) && {
            'mcp-name': (message.params as { name: string }).name,
          }),
      }),
    },
    payload: JSON.stringify(message),
  });
  const { body } = response;
  const data = body.startsWith('event:') || body.includes('\ndata: ');
  const text = data ? body.slice(body.indexOf('data: ') + 6).split('\n')[0] : body;
  return { status: response.statusCode, text, json: text === '' ? null : JSON.parse(text) };
}

async function list(version: (typeof VERSIONS)[number]) {
  const params = version === '2026-07-28' ? { params: { _meta: META } } : {};
  return send({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...params }, version);
}

async function call(name: string, args: object, key?: string): Promise<Result> {
  const params = { name, arguments: args, _meta: META };
  const { json } = await send(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    '2026-07-28',
    key,
  );
  expect(json.error).toBeUndefined();
  return json.result;
}

const textOf = ({ content }: Result) => content[0].text ?? '';

/** The response of the API itself. */
async function rows(url: string) {
  const response = await proxy.get(url, proxy.key);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

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

test.each(VERSIONS)('clients of %s list eight tools in under 6 kB', async (version) => {
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
  expect(text.length).toBeLessThan(6_000);
});

describe('results are those of the API, at its price', () => {
  test('minutes from a block', async () => {
    const types = ['supermarkets', 'Pharmacies', 601];
    const result = await call('explain_block', { block, types, modes: ['walk', 'bike'] });
    const expected = await rows(
      `/v1/blocks/${block}/summary?mode=walk&mode=bike&type=102&type=405&type=601`,
    );
    const { results, tokens, not_within_30 } = result.structuredContent;
    expect(results.map((row: Row) => [row.mode, row.minutes])).toEqual(
      expected.results.map((row: Row) => [row.mode, row.travel_time]),
    );
    expect(results.length + not_within_30.length).toBe(6);
    expect(tokens.charged).toBe(Math.max(1, expected.results.length));
    expect(textOf(result)).toContain(`(${tokens.charged} tokens`);
    expect(result.content[1].uri).toContain(`https://account.example.org/map#x=1&b=${block}`);
  });

  test('coverage of a county and a basket', async () => {
    const all_of = [{ type: 'parks', mode: 'walk', max_minutes: 10 }];
    const result = await call('measure_coverage', { county: '99001', types: [102], all_of });
    const body = {
      area: { counties: ['99001'] },
      mode: ['walk'],
      type: [102],
      all_of: [{ type: 510, mode: 'walk', max_minutes: 10 }],
    };
    const expected = (await proxy.post('/v1/coverage', proxy.key, body)).json();
    const { results, basket, tokens } = result.structuredContent;
    expect(results[0].within).toEqual(expected.results[0].within);
    expect(basket.with_all).toBe(expected.basket.with_all);
    expect(tokens.charged).toBe(11);
  });

  test('blocks that match', async () => {
    const all_of = [{ type: 'supermarkets', mode: 'walk', max_minutes: 10 }];
    const result = await call('find_blocks', { county: '99001', all_of, limit: 7 });
    const body = {
      area: { counties: ['99001'] },
      all_of: [{ type: 102, mode: 'walk', max_minutes: 10 }],
      limit: 7,
    };
    const expected = (await proxy.post('/v1/blocks/match', proxy.key, body)).json();
    expect(result.structuredContent.results).toEqual(expected.results);
    expect(result.structuredContent.tokens.charged).toBe(7);
  });

  test('a basket alone, at 10 tokens', async () => {
    const all_of = [
      { type: 'supermarkets', mode: 'walk', max_minutes: 10 },
      { type: 'libraries', mode: 'bike', max_minutes: 12 },
    ];
    const { structuredContent } = await call('measure_coverage', { county: '99001', all_of });
    const index = await proxy.releases.current.index(proxy.releases.current.county('99001')!);
    const origins = Array.from({ length: index.count }, (_, i) => geoidFromNumber(index.geoids[i]));
    let people = 0;
    for (let start = 0; start < origins.length; start += 250) {
      const chunk = origins.slice(start, start + 250);
      const body = { origins: chunk, mode: ['walk', 'bike'], type: [102, 601] };
      const { results } = (await proxy.post('/v1/blocks/summary', proxy.key, body)).json();
      for (const [i, geoid] of chunk.entries()) {
        const isNear = (type: number, mode: string, minutes: number) =>
          results.some(
            (row: Row & { geoid: string; dest_type_id: number }) =>
              row.geoid === geoid &&
              row.dest_type_id === type &&
              row.mode === mode &&
              row.travel_time <= minutes,
          );
        const isMet = isNear(102, 'walk', 10) && isNear(601, 'bike', 12);
        if (isMet) people += index.population(start + i) ?? 0;
      }
    }
    expect(people).toBeGreaterThan(0);
    expect(structuredContent.basket.with_all).toBe(people);
    expect(structuredContent.results).toEqual([]);
    expect(structuredContent.tokens.charged).toBe(10);
  });

  test('blocks that match, page by page', async () => {
    const all_of = [{ type: 'supermarkets', mode: 'walk', max_minutes: 10 }];
    const page = (args: object) => call('find_blocks', { county: '99001', all_of, ...args });
    const whole = (await page({ limit: 10 })).structuredContent;
    const first = (await page({ limit: 4 })).structuredContent;
    const second = (await page({ limit: 6, cursor: first.next_cursor })).structuredContent;
    expect([...first.results, ...second.results]).toEqual(whole.results);
    expect(whole.results.length).toBe(10);
  });

  test('jobs and POIs within reach', async () => {
    const of = ['jobs', 'libraries'];
    const result = await call('reach_from', { block, mode: 'bike', of, minutes: [10, 20] });
    const expected = await rows(
      `/v1/blocks/${block}/access?mode=bike&of=jobs&of=type:601&minutes=10&minutes=20`,
    );
    const counts = result.structuredContent.results.map((row: Row) => row.count);
    expect(counts).toEqual(expected.results.map((row: Row) => row.count));
    expect(result.structuredContent.tokens.charged).toBe(4);
  });

  test('the balance, before and after', async () => {
    const { key } = await proxy.customer({ tokens: 100 });
    const before = await call('check_balance', {}, key);
    expect(before.structuredContent).toMatchObject({ tokens_remaining: 100 });
    const { structuredContent } = await call('explain_block', { block, types: [102] }, key);
    const after = await call('check_balance', {}, key);
    expect(after.structuredContent.tokens_remaining).toBe(100 - structuredContent.tokens.charged);
    expect(structuredContent.tokens.remaining).toBe(100 - structuredContent.tokens.charged);
  });
});

describe('nothing is charged', () => {
  test('for an estimate, which is at least the price', async () => {
    const args = { block, types: [102, 405], modes: ['walk', 'transit'] };
    const estimate = await call('explain_block', { ...args, estimate_only: true });
    expect(estimate.structuredContent.tokens).toEqual({ charged: 0, remaining: null });
    const { structuredContent } = await call('explain_block', args);
    expect(structuredContent.tokens.charged).toBeLessThanOrEqual(
      estimate.structuredContent.max_tokens,
    );
  });

  test.each([
    [
      'a name that fits several types',
      'measure_coverage',
      { county: '99001', types: ['schools'] },
      /310 Public schools/,
    ],
    ['a name of no type', 'measure_coverage', { county: '99001', types: ['unicorns'] }, /no type/],
    [
      'two areas',
      'measure_coverage',
      { county: '99001', place: 'Port Meridian', types: [102] },
      /one area/,
    ],
    ['neither types nor criteria', 'measure_coverage', { county: '99001' }, /types, all_of/],
    ['no origin', 'explain_block', { types: [102] }, /lat and lon/],
    [
      'an unknown block',
      'explain_block',
      { block: '990010004009999', types: [102] },
      /no census block/,
    ],
    [
      'an unknown county',
      'find_blocks',
      { county: '01001', all_of: [{ type: 102, max_minutes: 5 }] },
      /no county/,
    ],
    [
      'minutes out of order',
      'reach_from',
      { block: '990010004003064', minutes: [30, 15] },
      /ascend/,
    ],
  ])('for %s', async (_, name, args, advice) => {
    const result = await call(name, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(advice);
    expect(result.structuredContent.tokens.charged).toBe(0);
  });

  test('without a key or tokens, and the error says what to do', async () => {
    const without = await call('explain_block', { block, types: [102] }, '');
    expect(textOf(without)).toMatch(/key.*https:\/\/account\.example\.org/);
    const { key } = await proxy.customer({ tokens: 0 });
    const poor = await call('explain_block', { block, types: [102] }, key);
    expect(textOf(poor)).toMatch(/buy tokens at https:\/\/account\.example\.org/);
    expect(poor.structuredContent.tokens.charged).toBe(0);
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
    ['too long a name', { name: 'find_place', arguments: { query: 'x'.repeat(1e5) } }],
    ['too many types', { name: 'explain_block', arguments: { types: Array(1_000).fill(102) } }],
  ])('%s: an error', async (_, params) => {
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
    'a body that is no message, %#',
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

  test('subscriptions, which would hold a connection, are refused', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: META, notifications: { toolsListChanged: true } },
    };
    const { json } = await send(message, '2026-07-28');
    expect(json.error).toBeDefined();
  });

  test('other methods get 405', async () => {
    const response = await proxy.app.inject({ method: 'GET', url: '/mcp' });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});

test('a comparison that the balance does not cover as a whole is not begun', async () => {
  const { key } = await proxy.customer({ tokens: 15 });
  const places = ['Port Meridian', 'Port Meridian'];
  const result = await call('compare_places', { places, types: [101] }, key);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('up to 20 tokens, and 15 are left');
  expect(result.structuredContent.tokens.charged).toBe(0);
  const { structuredContent } = await call('check_balance', {}, key);
  expect(structuredContent.tokens_remaining).toBe(15);
});

test('a batch has at most ten messages', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { status } = await send(Array(11).fill(message), '2025-06-18');
  expect(status).toBe(413);
});
