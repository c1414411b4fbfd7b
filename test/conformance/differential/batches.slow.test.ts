import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectProblem, expectRows } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI, OPEN_SEA } from '../demo.ts';
import { blockAt, type NaiveBlock } from '../naive-release.ts';
import { catchmentOf, type Filter, poisOf, summaryOf } from '../naive-responses.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

type Point = Readonly<{ lat: number; lon: number }>;
type Batch = { readonly filter: Filter } & (
  | { readonly path: '/v1/blocks/summary' | '/v1/blocks/pois'; readonly origins: readonly string[] }
  | { readonly path: '/v1/point/summary' | '/v1/point/pois'; readonly origins: readonly Point[] }
  | { readonly path: '/v1/pois/catchment'; readonly origins: readonly number[] }
);

/** The expected result of one origin: its rows as in the batch, or the slug of its error. */
interface Outcome {
  /** The origin as it appears in `truncated`. */
  readonly name: unknown;
  /** The origin as it appears in rows and errors. */
  readonly id: object;
  readonly rows: readonly object[];
  readonly error?: string;
}

/** Any batch, of which some origins may be unknown. */
function batches(): fc.Arbitrary<Batch> {
  // A body omits a list to request everything.
  const [mode, type] = [random.mode, random.type].map((list) =>
    (list as fc.Arbitrary<unknown[]>).map((values) => (values.length === 0 ? undefined : values)),
  );
  const max_minutes = random.maxMinutes;
  const some = <T>(origin: fc.Arbitrary<T>, unknown: T, maxLength: number) =>
    fc.uniqueArray(fc.oneof({ arbitrary: origin, weight: 5 }, fc.constant(unknown)), {
      minLength: 1,
      maxLength,
      selector: (one) => JSON.stringify(one),
    });
  const geoids = some(
    random.block.map(({ geoid }) => geoid),
    NO_SUCH_BLOCK,
    12,
  );
  const centre = random.block.filter(
    (block) => blockAt(demo.release, block.lon, block.lat) === block,
  );
  const points = some<Point>(
    centre.map(({ lon, lat }) => ({ lat, lon })),
    OPEN_SEA,
    8,
  );
  const destIds = some(
    random.poi.map((poi) => poi.dest_id),
    NO_SUCH_POI,
    5,
  );
  const batch = <P extends Batch['path'], O>(
    path: P,
    origins: fc.Arbitrary<O[]>,
    filter: Record<string, fc.Arbitrary<unknown>>,
  ) => fc.record({ path: fc.constant(path), origins, filter: fc.record(filter) });
  return fc.oneof(
    batch('/v1/blocks/summary', geoids, { mode, type }),
    batch('/v1/blocks/pois', geoids, { mode, type, max_minutes }),
    batch('/v1/point/summary', points, { mode, type }),
    batch('/v1/point/pois', points, { mode, type, max_minutes }),
    batch('/v1/pois/catchment', destIds, { mode, max_minutes }),
  ) as fc.Arbitrary<Batch>;
}

/** The expected result of each origin of a batch, in request order. */
function outcomesOf({ path, origins, filter }: Batch): Outcome[] {
  const { release } = demo;
  const rowsOf = path.endsWith('/summary') ? summaryOf : poisOf;
  const ofBlock = (block: NaiveBlock | undefined, absent: string, name: unknown, id: object) => {
    if (!block) return { name, id, rows: [], error: absent };
    if (!block.isRoutable) return { name, id, rows: [], error: 'no-block-data' };
    const rows: object[] = rowsOf(release, block.geoid, filter);
    return { name, id, rows: rows.map((row) => ({ ...row, ...id })) };
  };
  switch (path) {
    case '/v1/blocks/summary':
    case '/v1/blocks/pois':
      return origins.map((geoid) => {
        const block = release.blocks.find((one) => one.geoid === geoid);
        return ofBlock(block, 'block-not-found', geoid, { geoid });
      });
    case '/v1/point/summary':
    case '/v1/point/pois':
      return origins.map(({ lat, lon }) => {
        const name = { origin_lat: lat, origin_lon: lon };
        return ofBlock(blockAt(release, lon, lat), 'point-not-covered', name, name);
      });
    case '/v1/pois/catchment':
      return origins.map((dest_id) => {
        const origin = { name: dest_id, id: { dest_id } };
        if (dest_id === NO_SUCH_POI) return { ...origin, rows: [], error: 'poi-not-found' };
        return { ...origin, rows: catchmentOf(release, dest_id, filter) };
      });
  }
}

/** Data alongside the rows: the facts of each block, the containing block of each point. */
function membersBesideRows({ path, origins }: Batch): object {
  const { blocks } = demo.release;
  if (path === '/v1/blocks/summary') {
    const known = origins.flatMap((geoid) => blocks.find((one) => one.geoid === geoid) ?? []);
    return { blocks: known.filter(({ isRoutable }) => isRoutable).map(factsOf) };
  }
  if (path !== '/v1/point/summary' && path !== '/v1/point/pois') return {};
  const reported = origins.flatMap(({ lat, lon }) => {
    const block = blockAt(demo.release, lon, lat);
    if (!block?.isRoutable) return [];
    const { geoid, ...facts } = factsOf(block);
    const origin = { origin_lat: lat, origin_lon: lon, resolved_block: geoid };
    return { ...origin, ...(path.endsWith('summary') ? facts : {}) };
  });
  return { origins: reported };
}

const factsOf = ({ geoid, population, land_area_m2 }: NaiveBlock) => ({
  geoid,
  population,
  land_area_m2,
});

function bodyOf({ path, origins, filter }: Batch): object {
  return { [path === '/v1/pois/catchment' ? 'dest_ids' : 'origins']: origins, ...filter };
}

describe('batches', () => {
  test('return the rows of each known origin in request order, and an error for every other', () =>
    forAll(40, batches(), async (batch) => {
      const outcomes = outcomesOf(batch);
      const results = outcomes.flatMap(({ rows }) => rows);
      const response = await demo.api.post(batch.path, bodyOf(batch));
      const isResolved = outcomes.some(({ error }) => error === undefined);
      const body = expectRows(response, results.length, isResolved ? 1 : 0);
      const errors = outcomes.flatMap(({ id, error }) => (error ? { ...id, type: error } : []));
      const reported = { ...membersBesideRows(batch), truncated: [], truncated_reason: null };
      expect(body).toMatchObject({ results, errors, ...reported });
      // An aborted response is charged for the part that arrived, so that rows come last.
      expect(Object.keys(body).sort()).toEqual(
        ['results', 'errors', ...Object.keys(reported)].sort(),
      );
      expect(Object.keys(body).at(-1)).toBe('results');
    }));

  test('deliver whole origins while the balance lasts, and name the rest', async () => {
    const share = fc.integer({ min: 1, max: 99 });
    await forAll(30, batches(), share, async (batch, percent) => {
      const outcomes = outcomesOf(batch);
      const sum = outcomes.reduce((total, { rows }) => total + rows.length, 0);
      const tokens = Math.floor((sum * percent) / 100);
      fc.pre(tokens >= 1);
      const paid = countPaid(outcomes, tokens);
      const results = outcomes.slice(0, paid).flatMap(({ rows }) => rows);
      const as = await demo.api.newCustomer({ tokens });
      const response = await demo.api.post(batch.path, bodyOf(batch), { as });
      if (outcomes.slice(0, paid).every(({ error }) => error !== undefined)) {
        // Not even the first origin with a result can be paid for.
        expectProblem(response, 'tokens-exhausted');
        return;
      }
      const body = expectRows(response, results.length);
      expect(body.results).toEqual(results);
      expect(body.truncated_reason).toBe('insufficient-balance');
      // Whether an origin past the end is reported as unknown is unspecified.
      const rest = outcomes.slice(paid);
      const known = rest.filter(({ error }) => error === undefined).map(({ name }) => name);
      expect(body.truncated[0]).toEqual(known[0]);
      expect(body.truncated).toEqual(expect.arrayContaining(known));
      for (const name of body.truncated) expect(rest.map((one) => one.name)).toContainEqual(name);
    });
  });
});

/** The number of origins, from the first, that the given tokens pay for. */
function countPaid(outcomes: readonly Outcome[], tokens: number): number {
  let left = tokens;
  return outcomes.findIndex(({ rows }) => {
    left -= rows.length;
    return left < 0;
  });
}
