import { expect, test } from 'vitest';
import { ROWS_AS_OBJECTS } from '../../support/rows-as-objects.ts';
import { type Call, expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';
import { type Landmarks, METERED_GETS, METERED_POSTS, POI_DETAIL } from '../routes.ts';

const demo = demoOfTests();
const MEDIA = { ndjson: 'application/x-ndjson', csv: 'text/csv', geojson: 'application/geo+json' };

/** With more parameters in its query, or members in its body. */
function asking(call: Call, more: Record<string, number | boolean>): Call {
  const body = call.body as object | undefined;
  if (body) return { ...call, body: { ...body, ...more } };
  return { ...call, query: { ...call.query, ...more } };
}
/** The maximum rows of a page, for paginated routes. */
const long = (call: Call): Call => {
  const isPaged = 'limit' in ((call.body ?? call.query) as object);
  return isPaged ? asking(call, { limit: 1000 }) : call;
};
const withAll = (call: Call) => asking(call, { include_population: true, include_missing: true });

const areal = [...METERED_GETS, ...METERED_POSTS].filter(({ route }) =>
  /blocks(\/query)?$/.test(route),
);
// Sites have other rows than `results` (`area-formats.test.ts`).
const routes = [...METERED_GETS, ...METERED_POSTS, POI_DETAIL].filter(
  ({ route }) => route !== '/v1/sites/coverage',
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
];

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
      const answer = await demo.api.call({ ...call, headers: { accept } });
      if (answer.statusCode === 406) {
        expect([name, 'lon' in rows[0]]).toEqual(['geojson', false]);
        expect(answer.headers['x-tokens-charged']).toBe('0');
        continue;
      }
      expect(answer.headers['x-tokens-charged']).toBe(json.headers['x-tokens-charged']);
      expect(answer.headers['content-type']).toMatch(new RegExp(`^${accept.replace('+', '[+]')}`));
      const columns = answer.body
        .split('\r\n')[0]
        .split(',')
        .map((column) => column.replace(/^(address|attrs|within)_/, '$1.'));
      expect(answer.body).toBe(ROWS_AS_OBJECTS[name as keyof typeof MEDIA](rows, columns, beside));
    }
  },
);
