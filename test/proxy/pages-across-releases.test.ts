import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease, SMALL_TAXONOMY } from '../support/small-release.ts';
import { type SmallCounty, smallCounty } from '../support/small-world.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const county = smallCounty({ fips: '24510', seed: 5, blocks: 12, pois: 60 });
const block = county.blocks[3].geoid;
const poi = county.pois[30].destId;

const LIBRARIES = 320;
const BAKERIES = { dest_type_id: 103, label: 'bakeries', name: 'Bakeries', parent_id: 100 };

/** The same city without transit and libraries, and with bakeries. */
const other: SmallCounty = {
  ...county,
  pois: county.pois.map((one, i) => {
    const types = one.types.filter((type) => type !== LIBRARIES);
    return { ...one, types: i % 5 === 0 ? [BAKERIES.dest_type_id] : types };
  }),
};
const otherScope = {
  modes: ['walk', 'bike'],
  types: [...SMALL_TAXONOMY.filter(({ dest_type_id }) => dest_type_id !== LIBRARIES), BAKERIES],
} as const;

const folder = folderOfTests();
const publish = {
  whole: () => publishSmallRelease(folder, 'whole', [county]),
  other: () => publishSmallRelease(folder, 'other', [other], otherScope),
};
let proxy: ProxyHarness;
let key: string;
beforeAll(async () => {
  await publish.whole();
  proxy = await openProxy(folder);
  ({ key } = await proxy.customer({ tokens: 1e6 }));
});
afterAll(() => proxy.close());

async function promote(release: keyof typeof publish): Promise<void> {
  await publish[release]();
  await proxy.releases.refresh();
  expect((await proxy.get('/v1/last-updated')).json().release).toBe(release);
}

type Row = Readonly<Record<string, string | number>>;
interface Walk {
  readonly path: string;
  readonly query: readonly string[];
  /** The columns that order the rows; null for a search, whose order both releases share. */
  readonly keys: readonly string[] | null;
  readonly isPosted?: boolean;
}

const ofPois = { path: `/v1/blocks/${block}/pois`, keys: ['mode', 'dest_id'] };
const ofSummary = { path: `/v1/blocks/${block}/summary`, keys: ['mode', 'dest_type_id'] };
const ofCatchment = { path: `/v1/pois/${poi}/catchment`, keys: ['mode', 'geoid'] };
const ofArea = {
  path: '/v1/blocks/query',
  keys: ['geoid', 'dest_type_id', 'mode'],
  isPosted: true,
};
const ofSearch = { path: '/v1/pois', keys: null };
const everywhere = 'bbox=-77,39,-76,40';

const WALKS: readonly Walk[] = [
  { ...ofPois, query: [] },
  { ...ofPois, query: ['mode=walk', 'names=true'] },
  { ...ofPois, query: ['mode=walk', 'mode=bike', 'type=100', 'type=310'] },
  { ...ofSummary, query: [] },
  { ...ofSummary, query: ['mode=bike'] },
  { ...ofSummary, query: ['type=101', 'type=102'] },
  { ...ofSummary, query: ['type=100', 'names=true'] },
  { ...ofSummary, keys: [...ofSummary.keys, 'nth'], query: ['nth=1', 'nth=2', 'count_within=9'] },
  { ...ofCatchment, query: [] },
  { ...ofCatchment, query: ['mode=bike', 'max_minutes=25'] },
  { ...ofArea, query: [] },
  { ...ofArea, query: ['mode=walk'] },
  { ...ofArea, query: ['type=100'] },
  { ...ofArea, keys: [...ofArea.keys, 'nth'], query: ['nth=1', 'nth=3', 'type=100'] },
  { ...ofSearch, query: [everywhere] },
  { ...ofSearch, query: [everywhere, 'type=101', 'type=310'] },
  { ...ofSearch, query: [everywhere, 'type=300'] },
];

const LISTS = ['mode', 'type', 'nth'];
const CIRCLE = { center: { lat: 39.3, lon: -76.6 }, radius_m: 500 };

/** The pairs of a query as the body of a POST, with lists and numbers. */
function bodyOf(pairs: readonly string[]): object {
  const body: Record<string, unknown> = { ...CIRCLE };
  for (const [name, text] of pairs.map((pair) => pair.split('='))) {
    const value = /^\d+$/.test(text) ? Number(text) : text;
    body[name] = LISTS.includes(name) ? [...((body[name] as unknown[]) ?? []), value] : value;
  }
  return body;
}

function ask({ path, query, isPosted }: Walk, ...more: string[]) {
  const pairs = [...query, ...more];
  if (isPosted) return proxy.post(path, key, bodyOf(pairs));
  return proxy.get(`${path}?${pairs.join('&')}`, key);
}

async function pageOf(walk: Walk, limit: number, cursor: string | null) {
  const response = await ask(walk, `limit=${limit}`, ...(cursor ? [`cursor=${cursor}`] : []));
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
    200,
    '',
  ]);
  const { results, next_cursor } = response.json();
  return { rows: results as Row[], next: next_cursor as string | null };
}

const MODES = ['walk', 'bike', 'transit'];

function isAfter(row: Row, last: Row, keys: readonly string[]): boolean {
  const rank = (one: Row, name: string) =>
    name === 'mode' ? MODES.indexOf(String(one.mode)) : Number(one[name]);
  const differing = keys.find((name) => rank(row, name) !== rank(last, name));
  return differing !== undefined && rank(row, differing) > rank(last, differing);
}

describe.each([
  ['whole', 'other'],
  ['other', 'whole'],
] as const)('a walk that begins in the release %s and ends in %s', (from, to) => {
  const begun = new Map<Walk, Awaited<ReturnType<typeof pageOf>>>();
  beforeAll(async () => {
    await promote(from);
    for (const walk of WALKS) begun.set(walk, await pageOf(walk, 3, null));
    await promote(to);
  });

  test.each(WALKS.map((walk) => [`${walk.path}?${walk.query.join('&')}`, walk] as const))(
    '%s gets the rows of the second release after those of the first',
    async (_, walk) => {
      const first = begun.get(walk)!;
      const last = first.rows.at(-1)!;
      expect([first.rows.length, typeof first.next]).toEqual([3, 'string']);
      const { rows: all } = await pageOf(walk, 1000, null);
      const { keys } = walk;
      const later = keys
        ? all.filter((row) => isAfter(row, last, keys))
        : all.slice(all.findIndex(({ dest_id }) => dest_id === last.dest_id) + 1);
      expect(later.length).toBeGreaterThan(0);
      expect(await pageOf(walk, 1000, first.next)).toEqual({ rows: later, next: null });
    },
  );
});

test('modes and types that the next release lacks are refused by name, not as a cursor', async () => {
  await promote('whole');
  const lost = [
    ['mode=transit', 'mode_not_in_release'],
    [`type=${LIBRARIES}`, 'unknown_destination_type'],
  ].map(([pair, fault]) => ({ walk: { ...ofArea, query: [pair] }, fault }));
  const cursors = [];
  for (const { walk } of lost) cursors.push((await pageOf(walk, 1, null)).next);
  await promote('other');
  for (const [i, { walk, fault }] of lost.entries()) {
    const response = await ask(walk, 'limit=1', `cursor=${cursors[i]}`);
    expect([response.statusCode, response.json().errors?.[0].type]).toEqual([400, fault]);
  }
  await promote('whole');
});

test('requests with one ETag in different spellings each get their own cursor', async () => {
  const spellings = [[], ['mode=transit', 'mode=bike', 'mode=walk']];
  const walks = spellings.map((query) => ({ ...ofPois, query }));
  const tags = [];
  for (const walk of walks) {
    const { next } = await pageOf(walk, 5, null);
    const response = await ask(walk, 'limit=5');
    tags.push(response.headers.etag);
    const { rows } = await pageOf(walk, 1000, next);
    expect([...response.json().results, ...rows]).toEqual((await pageOf(walk, 1000, null)).rows);
  }
  expect(tags[0]).toBe(tags[1]);
});

test('a cursor works with the values of a list in any order, repeated or not', async () => {
  const { next } = await pageOf({ ...ofPois, query: ['mode=walk', 'mode=bike'] }, 5, null);
  const again = { ...ofPois, query: ['mode=bike', 'mode=walk', 'mode=bike'] };
  const rows = (await pageOf(again, 1000, null)).rows.slice(5);
  expect(await pageOf(again, 1000, next)).toEqual({ rows, next: null });
});

test.each([
  ['mode=walk', 'mode=bike'],
  ['mode=walk', 'names=true'],
  ['type=310', 'type=311'],
])('the cursor of a request with %s is refused with %s', async (one, another) => {
  const { next } = await pageOf({ ...ofPois, query: [one] }, 1, null);
  const response = await ask({ ...ofPois, query: [another] }, `cursor=${next}`);
  expect(response.statusCode).toBe(400);
  expect(response.json().type).toMatch(/invalid-cursor$/);
});
