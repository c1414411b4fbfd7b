import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { callTool, requestOf, sendMessage, VERSIONS, type Version } from '../support/mcp-client.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({ rateLimitPerMinute: 1e6 });

/** Arguments of a call that finds many blocks, and the request to the API that it sends. */
const MANY = { area: '99001', all_of: [{ type: 'groceries', max_minutes: 30 }] };
const REQUEST = {
  area: { counties: ['99001'] },
  all_of: [{ type: 101, mode: 'walk', max_minutes: 30 }],
};
/** Rows of a table, which its address can limit. */
const ROWS = 150;

interface Row {
  readonly geoid: string;
  readonly population: number | null;
}

/** The blocks as the API returns them, page by page. */
async function rowsOfApi(): Promise<Row[]> {
  const body = { ...REQUEST, limit: 400 };
  const rows: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await proxy.post('/v1/blocks/match', proxy.key, { ...body, cursor });
    const { results, next_cursor } = page.json();
    rows.push(...results);
    cursor = next_cursor;
  }
  return rows;
}

async function linksOf(args: object) {
  const { content } = await callTool(proxy, proxy.key, 'find_blocks', args);
  return content.filter(({ type }) => type === 'resource_link');
}

async function read(uri: string, key?: string, version: Version = VERSIONS[1]) {
  const message = requestOf('resources/read', { uri }, version);
  const { json } = await sendMessage(proxy, message, { version, key });
  return json.result?.contents[0] ?? json.error;
}

function rowsOfCsv(text: string): Row[] {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  expect(head).toBe('geoid,population');
  return lines.map((line) => {
    const [geoid, population] = line.split(',');
    return { geoid, population: population === '' ? null : Number(population) };
  });
}

async function rowsOfParquet(blob: string): Promise<Row[]> {
  const bytes = Uint8Array.from(Buffer.from(blob, 'base64'));
  const rows = await parquetReadObjects({ file: bytes.buffer, compressors });
  return rows.map(({ geoid, population }) => ({ geoid, population: Number(population) }));
}

test.each(VERSIONS)('clients of %s read the blocks beyond a result as tables', async (version) => {
  const links = await linksOf({ ...MANY, limit: 5 });
  expect(links).toMatchObject([
    {
      name: 'CSV',
      mimeType: 'text/csv',
      description: expect.stringContaining('a token each: reading costs up to 1,000 tokens'),
    },
    { name: 'Parquet', mimeType: 'application/vnd.apache.parquet' },
  ]);
  const expected = await rowsOfApi();

  const { id, key } = await proxy.customer({ tokens: 10_000 });
  const found: Row[] = [];
  const sizes: number[] = [];
  const smaller = addressOf({ ...requestIn(links[0].uri!), limit: ROWS });
  for (let uri: string | null = smaller; uri !== null; ) {
    const { mimeType, text, _meta } = await read(uri, key, version);
    expect(mimeType).toBe('text/csv');
    const rows = rowsOfCsv(text);
    expect(_meta.tokens).toBe(rows.length);
    sizes.push(rows.length);
    found.push(...rows);
    uri = _meta.next;
  }
  expect(found).toEqual(expected);
  expect(sizes).toEqual([ROWS, ROWS, expected.length - 2 * ROWS]);
  expect(await proxy.balance(id)).toBe(10_000 - expected.length);

  const { blob } = await read(links[1].uri!, key, version);
  expect(await rowsOfParquet(blob)).toEqual(expected);
});

/** The address of a table of a request. */
function addressOf(request: unknown, format = 'csv'): string {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  return `table://blocks/${format}/${Buffer.from(text).toString('base64url')}`;
}

function requestIn(uri: string): object {
  return JSON.parse(Buffer.from(uri.split('/').at(-1)!, 'base64url').toString());
}

test('a result that has all blocks links no table', async () => {
  expect(await linksOf({ area: 'Halcyon', all_of: [{ type: 'library', max_minutes: 1 }] })).toEqual(
    [],
  );
});

test('a table of the blocks of a circle near a point has the rows of the same call', async () => {
  const call = {
    area: '36,-70.0066,500',
    all_of: [{ type: 'parks', mode: 'bike', max_minutes: 6, nth: 2 }],
    near: [{ point: '36.0003,-69.9907', mode: 'transit', max_minutes: 20 }],
  };
  const { structuredContent } = await callTool(proxy, proxy.key, 'find_blocks', {
    ...call,
    limit: 100,
  });
  const [{ uri }] = await linksOf({ ...call, limit: 5 });
  const rows = rowsOfCsv((await read(uri!, proxy.key)).text);
  expect(Object.fromEntries(rows.map(({ geoid, population }) => [geoid, population]))).toEqual(
    structuredContent.population,
  );
});

test.each([
  ['no request', addressOf('{'), /not found/i],
  ['a list', addressOf([1]), /not found/i],
  ['null', addressOf(null), /not found/i],
  ['an unknown format', addressOf({}, 'exe'), /not found/i],
  ['an empty request', addressOf({}), /all_of: is missing/],
  ['an unknown member', addressOf({ all_of: [], sql: '1' }), /sql/],
  ['a limit too large', addressOf({ ...REQUEST, limit: 1e6 }), /limit: must be from 1/],
  [
    'an unknown place',
    addressOf({ ...REQUEST, area: { places: ['9900000'] } }),
    /Nothing was charged/,
  ],
  ['a long address', addressOf('x'.repeat(4e4)), /\w/],
])('reading %s is an error, uncharged', async (_, uri, message) => {
  const { id, key } = await proxy.customer({ tokens: 100 });
  const error = await read(uri, key);
  expect(error.code).toBe(-32602);
  expect(error.message).toMatch(message);
  expect(await proxy.balance(id)).toBe(100);
});

test('without a key, or tokens for all rows, the error states what to do', async () => {
  const [{ uri }] = await linksOf({ ...MANY, limit: 5 });
  expect((await read(uri!)).message).toMatch(/Authorization: Bearer KEY/);
  const { id, key } = await proxy.customer({ tokens: 10 });
  expect((await read(uri!, key)).message).toMatch(/does not cover.*Nothing was charged/);
  expect(await proxy.balance(id)).toBe(10);
});
