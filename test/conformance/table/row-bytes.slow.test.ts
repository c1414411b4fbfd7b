import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { ROWS_AS_OBJECTS } from '../../support/rows-as-objects.ts';
import { type Call, expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { type Landmarks, METERED_GETS, METERED_POSTS, POI_DETAIL, takesNames } from '../routes.ts';

const demo = demoOfTests();
const MEDIA = { ndjson: 'application/x-ndjson', csv: 'text/csv', geojson: 'application/geo+json' };

/** A call with more parameters in its query, or members in its body. */
function asking(call: Call, more: Record<string, number | boolean>): Call {
  const body = call.body as object | undefined;
  if (body) return { ...call, body: { ...body, ...more } };
  return { ...call, query: { ...call.query, ...more } };
}
/** A call with the maximum rows per page, if its route is paginated. */
const long = (call: Call): Call => {
  const isPaged = 'limit' in ((call.body ?? call.query) as object);
  return isPaged ? asking(call, { limit: 1000 }) : call;
};
const withAll = (call: Call) => asking(call, { include_population: true, include_missing: true });

const areal = [...METERED_GETS, ...METERED_POSTS].filter(({ route }) =>
  /blocks(\/query)?$/.test(route),
);
// Their rows in other formats are not those of `results`; tests of their own check them.
const OTHERS = ['/v1/sites/coverage', '/v1/sites/supply', '/v1/explain'];
const routes = [...METERED_GETS, ...METERED_POSTS, POI_DETAIL].filter(
  ({ route }) => !OTHERS.includes(route),
);
const asked: [string, (marks: Landmarks) => Call][] = [
  ...routes.map(({ route, request }): [string, (marks: Landmarks) => Call] => [
    route,
    (marks) => long(request(marks)),
  ]),
  ...areal.map(({ route, request }): [string, (marks: Landmarks) => Call] => [
    `${route} with what is missing`,
    (marks) => withAll(long(request(marks))),
  ]),
  ...routes
    .filter(({ route }) => takesNames(route))
    .map(({ route, request }): [string, (marks: Landmarks) => Call] => [
      `${route} with names`,
      (marks) => asking(long(request(marks)), { names: true }),
    ]),
];

/** The outline of a row's block: that of the published layer, to six decimals, counterclockwise. */
function outlineOf({ geoid }: Readonly<Record<string, unknown>>) {
  const block = demo.release.blocks.find((one) => one.geoid === geoid)!;
  const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  const polygons = block.polygons.map((rings) =>
    rings.map(([, ...ring]) => {
      const reversed = ring.map((point) => point.map(rounded)).reverse();
      return [...reversed.slice(1), reversed[0], reversed[1]];
    }),
  );
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

test.each(asked)(
  '%s: the bytes of each format equal those of serialized objects, at the same cost',
  async (_, request) => {
    const call = request(demo);
    const json = await demo.api.call(call);
    const body = expectOk(json);
    // The engine re-serializes what it has parsed: numbers, escapes and member order are its own.
    expect(json.body).toBe(JSON.stringify(body));
    const rows: Record<string, unknown>[] = body.results ?? [body];
    expect(rows.length).toBeGreaterThan(0);
    const beside = 'truncated' in body || 'area' in body ? { ...body } : {};
    delete beside.results;
    for (const [name, accept] of Object.entries(MEDIA)) {
      const response = await demo.api.call({ ...call, headers: { accept } });
      if (response.statusCode === 406) {
        expect([name, 'lon' in rows[0], areal.some(({ route }) => call.path === route)]).toEqual([
          'geojson',
          false,
          false,
        ]);
        expect(response.headers['x-tokens-charged']).toBe('0');
        continue;
      }
      expect(response.headers['x-tokens-charged']).toBe(json.headers['x-tokens-charged']);
      expect(response.headers['content-type']).toMatch(
        new RegExp(`^${accept.replace('+', '[+]')}`),
      );
      const columns = response.body
        .split('\r\n')[0]
        .split(',')
        .map((column) => column.replace(/^(address|attrs|within)_/, '$1.'));
      const expected = ROWS_AS_OBJECTS[name as keyof typeof MEDIA];
      const geometry = 'lon' in rows[0] ? undefined : outlineOf;
      expect(response.body).toBe(expected(rows, columns, beside, geometry));
    }
  },
);

/** A row as Parquet stores it: flat, with nulls for absent members, and lists as text. */
function flat(row: Readonly<Record<string, unknown>>, columns: readonly string[]) {
  const cells = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (Array.isArray(value)) return [[name, value.join()]];
    if (typeof value !== 'object' || value === null) return [[name, value]];
    return Object.entries(value).map(([nested, cell]) => [`${name}_${nested}`, cell]);
  });
  const nulls = columns.map((column): [string, unknown] => [column, null]);
  return Object.fromEntries([...nulls, ...cells]);
}

const stored = ({ key_value_metadata = [] }: FileMetaData) =>
  Object.fromEntries(key_value_metadata.map(({ key, value }) => [key, JSON.parse(value!)]));

test.each(asked)(
  '%s: the rows and metadata of a Parquet file are those of the JSON, at the same cost',
  async (_, request) => {
    const call = request(demo);
    const json = await demo.api.call(call);
    const { results, ...beside } = expectOk(json);
    const headers = { accept: 'application/vnd.apache.parquet', 'accept-encoding': 'gzip' };
    const response = await demo.api.call({ ...call, headers });
    expect(response.headers['x-tokens-charged']).toBe(json.headers['x-tokens-charged']);
    // The file is compressed by itself.
    expect(response.headers).not.toHaveProperty('content-encoding');
    const file = new Uint8Array(response.rawPayload).buffer;
    const metadata = parquetMetadata(file);
    const rows = await parquetReadObjects({ file, compressors });
    const columns = Object.keys(rows[0]);
    const expected = (results ?? [beside]).map((row: Record<string, unknown>) =>
      flat(row, columns),
    );
    const read = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [
          name,
          typeof cell === 'bigint' ? Number(cell) : cell,
        ]),
      ),
    );
    expect(read).toEqual(expected);
    expect(stored(metadata)).toEqual(beside);
  },
);
