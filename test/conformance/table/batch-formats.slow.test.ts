import { describe, expect, test } from 'vitest';
import { expectOk, type HttpResponse } from '../api.ts';
import { type Demo, demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI, OPEN_SEA } from '../demo.ts';

const NDJSON = 'application/x-ndjson';
const GEOJSON = 'application/geo+json';
const MAX_LISTED_BYTES = 4096;

const blocksOf = (demo: Demo, count: number) =>
  demo.release.blocks.filter(({ isRoutable }) => isRoutable).slice(120, 120 + count);

interface Batch {
  readonly path: string;
  readonly member: string;
  readonly known: (demo: Demo, count: number) => unknown[];
  readonly unknown: readonly unknown[];
  /** An origin in the notation of CSV's headers, whether left out or named in `errors`. */
  readonly written: (origin: never) => string;
}

type Point = Readonly<{ lat: number; lon: number }>;
const BATCHES: readonly Batch[] = [
  ...['/v1/blocks/summary', '/v1/blocks/pois', '/v1/access'].map(
    (path): Batch => ({
      path,
      member: 'origins',
      known: (demo, count) => blocksOf(demo, count).map(({ geoid }) => geoid),
      unknown: [NO_SUCH_BLOCK, 'a,b=c \u00e9\n'],
      written: (geoid: string) => encodeURIComponent(geoid),
    }),
  ),
  ...['/v1/point/summary', '/v1/point/pois', '/v1/access'].map(
    (path): Batch => ({
      path,
      member: 'origins',
      known: (demo, count) => blocksOf(demo, count).map(({ lon, lat }) => ({ lat, lon })),
      unknown: [{ lat: OPEN_SEA.lat, lon: OPEN_SEA.lon }],
      written: ({ lat, lon }: Point) => `${lat}%20${lon}`,
    }),
  ),
  {
    path: '/v1/pois/catchment',
    member: 'dest_ids',
    known: (demo, count) => demo.release.pois.slice(40, 40 + count).map(({ dest_id }) => dest_id),
    unknown: [NO_SUCH_POI],
    written: (destId: number) => String(destId),
  },
];
const FEW: Readonly<Record<string, object>> = {
  '/summary': { type: [101] },
  '/access': { minutes: [15] },
};
const near = (path: string) => FEW[path.slice(path.lastIndexOf('/'))] ?? { max_minutes: 8 };

const demo = demoOfTests();
describe.each(BATCHES)('$path in a text format', ({ path, member, known, unknown, written }) => {
  const ask = (origins: readonly unknown[], accept: string, more: object = {}) =>
    demo.api.post(path, { [member]: origins, ...near(path), ...more }, { headers: { accept } });
  /** Sends a batch with origins that cannot be resolved, and some that `max_rows` cuts off. */
  const both = async (accept: string) => {
    const origins = [...unknown, ...known(demo, 5)];
    const [json, text] = [
      await ask(origins, 'application/json', { max_rows: 1 }),
      await ask(origins, accept, { max_rows: 1 }),
    ];
    const body = expectOk(json);
    expect(body.errors).toHaveLength(unknown.length);
    expect(body.truncated.length).toBeGreaterThan(0);
    expect(text.headers['x-tokens-charged']).toBe(json.headers['x-tokens-charged']);
    return { body, text, origins };
  };
  const lines = ({ body }: HttpResponse) =>
    body
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  test('NDJSON ends with a line of the origins without rows, if there are any', async () => {
    const { body, text } = await both(NDJSON);
    const reported = lines(text);
    const { errors, truncated, truncated_reason } = body;
    expect(reported).toEqual([...body.results, { errors, truncated, truncated_reason }]);
    const whole = await ask(known(demo, 2), NDJSON);
    expect(lines(whole)).toEqual(expectOk(await ask(known(demo, 2), 'application/json')).results);
  });

  test('CSV lists the origins without rows in headers, ready to be sent again', async () => {
    const { body, text, origins } = await both('text/csv');
    const { headers } = text;
    expect(text.body.split('\r\n').length - 2).toBe(body.results.length);
    expect(headers['x-batch-errors']).toBe(String(unknown.length));
    expect(headers['x-batch-truncated']).toBe(String(body.truncated.length));
    expect(headers['x-truncated-reason']).toBe('row-budget');
    const left = origins.slice(origins.length - body.truncated.length);
    expect(headers['x-truncated']).toBe(left.map((one) => written(one as never)).join());
    const faults = body.errors.map(({ type }: { type: string }, i: number) => {
      return `${written(unknown[i] as never)}=${type}`;
    });
    expect(headers['x-errors']).toBe(faults.join());
    const whole = await ask(known(demo, 1), 'text/csv');
    for (const name of ['x-errors', 'x-truncated']) {
      expect(whole.headers).not.toHaveProperty(name);
    }
  });

  test('CSV has only the counts of origins whose lists exceed 4 kB together', async () => {
    const many = [...unknown, ...known(demo, 1)];
    while (many.length < 250) many.push(known(demo, 1)[0]);
    const { headers } = await ask(many, 'text/csv', { max_rows: 1 });
    const left = many.length - unknown.length - 1;
    expect(headers['x-batch-truncated']).toBe(String(left));
    const list = Array(left)
      .fill(written(known(demo, 1)[0] as never))
      .join();
    const [fits, reported] = [list.length <= MAX_LISTED_BYTES, headers['x-truncated']];
    expect(reported).toBe(fits ? list : undefined);
    const listed = ['x-truncated', 'x-errors'].map((name) => String(headers[name] ?? '').length);
    expect(listed[0] + listed[1]).toBeLessThanOrEqual(MAX_LISTED_BYTES);
    // The GEOIDs of all but one of the maximum number of origins fit, to be sent again.
    if (typeof unknown[0] === 'string') expect(fits).toBe(true);
  });

  test('CSV and NDJSON state the blocks of the origins, in headers while they fit', async () => {
    const header = (name: string, { headers }: HttpResponse) => headers[`x-${name}`];
    const few = expectOk(await ask(known(demo, 3), 'application/json'));
    const [name] = ['blocks', 'origins'].filter((one) => one in few);
    for (const accept of ['text/csv', NDJSON]) {
      const { headers } = await ask(known(demo, 3), accept);
      for (const one of ['blocks', 'origins']) {
        const stated = headers[`x-${one}`];
        expect(stated && JSON.parse(String(stated))).toEqual(few[one]);
      }
    }
    if (name === undefined) return;
    const many = Array.from({ length: 80 }, () => known(demo, 1)[0]);
    const body = expectOk(await ask(many, 'application/json'));
    const csv = await ask(many, 'text/csv');
    const ndjson = await ask(many, NDJSON);
    expect([header(name, csv), header(name, ndjson)]).toEqual([undefined, undefined]);
    expect(lines(ndjson).at(-1)).toMatchObject({ errors: [], [name]: body[name] });
  });

  test('a FeatureCollection lists the origins without rows as members before the features', async () => {
    if (!path.endsWith('/pois')) return;
    const { body, text } = await both(GEOJSON);
    const { errors, truncated, truncated_reason, origins } = body;
    const { type, features, ...rest } = JSON.parse(text.body);
    expect(type).toBe('FeatureCollection');
    expect(features).toHaveLength(body.results.length);
    expect(rest).toEqual({ errors, truncated, truncated_reason, ...(origins && { origins }) });
    expect(Object.keys(JSON.parse(text.body)).at(-1)).toBe('features');
    const whole = JSON.parse((await ask(known(demo, 1), GEOJSON)).body);
    expect(whole).toMatchObject({ errors: [], truncated: [], truncated_reason: null });
  });
});

test('text formats list the origins left out for lack of tokens, in a response and in its replay', async () => {
  const [path, origins] = ['/v1/blocks/summary', blocksOf(demo, 6).map(({ geoid }) => geoid)];
  const each = { mode: ['walk'] };
  const first = await demo.api.post(path, { origins: origins.slice(0, 1), ...each });
  const tokens = Number(first.headers['x-tokens-charged']);
  for (const accept of ['text/csv', NDJSON]) {
    const as = await demo.api.newCustomer({ tokens });
    const headers = { accept, 'idempotency-key': `left out of ${accept}` };
    for (const replayed of [undefined, 'true']) {
      const response = await demo.api.post(path, { origins, ...each }, { as, headers });
      expect(response.headers['idempotency-replayed']).toBe(replayed);
      expect(response.headers['x-truncated-reason']).toBe('insufficient-balance');
      const left = origins.slice(1);
      if (accept === 'text/csv') expect(response.headers['x-truncated']).toBe(left.join());
      else expect(JSON.parse(response.body.trim().split('\n').at(-1)!).truncated).toEqual(left);
    }
  }
});
