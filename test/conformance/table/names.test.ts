import { beforeAll, expect, test } from 'vitest';
import { type Call, expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { allPages } from '../paging.ts';
import { METERED_GETS, METERED_POSTS, takesNames } from '../routes.ts';

const demo = demoOfTests();
const routes = [...METERED_GETS, ...METERED_POSTS].filter(({ route }) => takesNames(route));

type Row = Readonly<Record<string, unknown>>;

/** Labels by type, as the catalogue lists them. */
let labels: ReadonlyMap<unknown, string>;
beforeAll(async () => {
  const response = await demo.api.get('/v1/meta/destination-types');
  const types: { dest_type_id: number; label: string }[] = expectOk(response).destination_types;
  labels = new Map(types.map(({ dest_type_id, label }) => [dest_type_id, label]));
});

function withNames(call: Call, names: boolean): Call {
  if (call.body === undefined) return { ...call, query: { ...call.query, names } };
  return { ...call, body: { ...call.body, names } };
}

/** The row with labels, each after the id that it belongs to, from the catalogue and the inputs. */
function labelled(route: string, row: Row): Row {
  const members = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    const own: [string, unknown] = [name, value];
    if (name === 'dest_type_id') return [own, ['dest_type', labels.get(value)]];
    if (name !== 'dest_id') return [own];
    const poi = demo.release.pois.find(({ dest_id }) => dest_id === value)!;
    if (route.endsWith('catchment')) return [own, ['name', poi.name]];
    return [own, ['dest_types', poi.types.map((type) => labels.get(type))]];
  });
  return Object.fromEntries(members);
}

test.each(routes)(
  '$route adds the labels of the catalogue to its rows, and nothing to its price',
  async ({ route, request }) => {
    const [without, named] = [false, true].map((names) => withNames(request(demo), names));
    const plain = await demo.api.call(without);
    const response = await demo.api.call(named);
    const rows: Row[] = expectOk(plain).results.slice(0, 20);
    expect(rows.length).toBeGreaterThan(0);
    const expected = rows.map((row) => labelled(route, row));
    const found: Row[] = expectOk(response).results.slice(0, 20);
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
    expect(response.headers['x-tokens-charged']).toBe(plain.headers['x-tokens-charged']);
  },
);

test('CSV has the columns of labels only if they are requested', async () => {
  const path = `/v1/blocks/${demo.block.geoid}/summary`;
  const header = async (query: Call['query']) => {
    const response = await demo.api.get(path, query, { headers: { accept: 'text/csv' } });
    return response.body.split('\r\n')[0];
  };
  expect(await header({})).toBe('dest_type_id,mode,travel_time');
  expect(await header({ names: true })).toBe('dest_type_id,dest_type,mode,travel_time');
  expect(await header({ names: true, nth: 2, count_within: 9 })).toBe(
    'dest_type_id,dest_type,mode,travel_time,nth,count',
  );
});

test.each(METERED_GETS.filter(({ route }) => takesNames(route)))(
  '$route has another ETag with names; names=false is the default',
  async ({ request }) => {
    const call = request(demo);
    const tag = async (asked: Call) => (await demo.api.call(asked)).headers.etag;
    expect(await tag(withNames(call, false))).toBe(await tag(call));
    expect(await tag(withNames(call, true))).not.toBe(await tag(call));
  },
);

test('pages with names have the rows of pages without, and labels', async () => {
  const call = { path: `/v1/blocks/${demo.block.geoid}/summary`, query: { limit: 5 } };
  const named = await allPages<Row>(demo.api, withNames(call, true));
  const plain = await allPages<Row>(demo.api, call);
  expect(named.map(({ dest_type, ...row }) => row)).toEqual(plain);
});
