import { describe, expect, test } from 'vitest';
import { type Call, type Customer, expectOk, expectProblem, type HttpResponse } from '../api.ts';
import { type Demo, demoOfTests, NO_SUCH_BLOCK } from '../demo.ts';
import type { NaiveTime } from '../naive-release.ts';
import { hasPublicPrice, KNOWN_REQUESTS } from '../routes.ts';

/** Transient headers: they depend on the request's number and the clock, not on rows. */
const OF_THE_MOMENT = ['date', 'ratelimit', 'x-request-id'];
const COMMON = { 'accept-encoding': 'gzip', connection: 'close' };

/** Everything a client sees of a response, as one text. */
function seen({ statusCode, headers, body }: HttpResponse): string {
  const reported = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name));
  return JSON.stringify([statusCode, reported.sort(), body]);
}

/** A request for rows within the given minutes: a known `anchor`, and a `target` to discover. */
type Question = (demo: Demo, target: NaiveTime, anchor: NaiveTime, minutes: number) => Call;

const post = (path: string, body: object): Call => ({ method: 'POST', path, body });
const point = ({ block: { lon, lat } }: Demo) => ({ lon, lat });

const QUESTIONS: Readonly<Record<string, Question>> = {
  'GET /v1/blocks/{geoid}/pois by dest_id': (demo, target, anchor, max_minutes) => ({
    path: `/v1/blocks/${demo.block.geoid}/pois`,
    query: { mode: 'walk', dest_id: [anchor.dest_id, target.dest_id], max_minutes },
  }),
  'GET /v1/point/pois by dest_id': (demo, target, anchor, max_minutes) => ({
    path: '/v1/point/pois',
    query: {
      ...point(demo),
      mode: 'walk',
      dest_id: [anchor.dest_id, target.dest_id],
      max_minutes,
    },
  }),
  'GET /v1/pois/{dest_id}/catchment by block': (demo, target, _, max_minutes) => ({
    path: `/v1/pois/${target.dest_id}/catchment`,
    query: { mode: 'walk', block: [Number(demo.block.geoid)], max_minutes },
  }),
  'POST /v1/blocks/pois by dest_id': (demo, target, anchor, max_minutes) =>
    post('/v1/blocks/pois', {
      origins: [demo.block.geoid],
      mode: ['walk'],
      dest_id: [anchor.dest_id, target.dest_id],
      max_minutes,
    }),
  'POST /v1/point/pois by dest_id': (demo, target, anchor, max_minutes) =>
    post('/v1/point/pois', {
      origins: [point(demo)],
      mode: ['walk'],
      dest_id: [anchor.dest_id, target.dest_id],
      max_minutes,
    }),
  'POST /v1/pois/catchment by block': (demo, target, anchor, max_minutes) =>
    post('/v1/pois/catchment', {
      dest_ids: [anchor.dest_id, target.dest_id],
      mode: ['walk'],
      block: [Number(demo.block.geoid)],
      max_minutes,
    }),
};

/** A request for given types to each route whose rows would show which types are in reach. */
const TYPES_ASKED: readonly ((demo: Demo, type: number[]) => Call)[] = [
  (demo, type) => ({ path: `/v1/blocks/${demo.block.geoid}/summary`, query: { type } }),
  (demo, type) => ({ path: '/v1/point/summary', query: { ...point(demo), type } }),
  (demo, type) => ({ path: `/v1/places/${demo.place.geoid}/blocks`, query: { type, limit: 9 } }),
  (demo, type) => post('/v1/blocks/summary', { origins: [demo.block.geoid], type }),
  (demo, type) => post('/v1/point/summary', { origins: [point(demo)], type }),
  (demo, type) => post('/v1/blocks/query', { center: point(demo), radius_m: 900, type }),
];

const demo = demoOfTests();

const withTokens = (tokens: number) => demo.api.newCustomer({ tokens });
const ask = (call: Call, as: Customer, headers: object = {}) =>
  demo.api.call({ ...call, as, headers: { ...COMMON, ...headers } });
const walks = () =>
  demo.release.times
    .get(demo.block.geoid)!
    .filter(({ mode }) => mode === 'walk')
    .sort((a, b) => a.travel_time - b.travel_time);

describe('an account without tokens', () => {
  test.each(Object.entries(QUESTIONS))('discovers no time by bisection: %s', async (_, asked) => {
    const as = await withTokens(0);
    const times = walks();
    const anchor = times[0];
    const target = times[Math.floor(times.length / 2)];
    const responses = new Set<string>();
    // The whole bisection: each step as if the previous response had revealed more or less.
    for (let tenths = 3; tenths <= 300; tenths += tenths < 20 ? 3 : 27) {
      responses.add(seen(await ask(asked(demo, target, anchor, tenths / 10), as)));
    }
    for (const tenths of [-1, 0, 1]) {
      const minutes = (Math.round(target.travel_time * 10) + tenths) / 10;
      responses.add(seen(await ask(asked(demo, target, anchor, minutes), as)));
    }
    expect(responses.size).toBe(1);
  });

  test('discovers no reachable type, by any route', async () => {
    const as = await withTokens(0);
    const { leafIds } = demo.release;
    for (const request of TYPES_ASKED) {
      const responses = new Set<string>();
      for (const type of [leafIds.slice(0, 1), leafIds.slice(0, 2), [...leafIds]]) {
        responses.add(seen(await ask(request(demo, type), as)));
      }
      expect([request(demo, []).path, responses.size]).toEqual([request(demo, []).path, 1]);
    }
  });

  test('gets the same refusal on every route, in every format, as HEAD and with an Idempotency-Key', async () => {
    const as = await withTokens(0);
    for (const { route, request } of KNOWN_REQUESTS) {
      const call = request(demo);
      for (const accept of ['application/json', 'text/csv;q=0.9, application/json;q=0.8']) {
        const problem = expectProblem(await ask(call, as, { accept }), 'tokens-exhausted');
        const price = hasPublicPrice(route) ? ['tokens_required'] : [];
        expect(Object.keys(problem).sort()).toEqual(
          ['detail', 'status', 'title', 'tokens_remaining', 'type', ...price].sort(),
        );
        expect(problem.tokens_remaining).toBe(0);
      }
      if (call.method === 'POST') {
        const keyed = await ask(call, as, { 'idempotency-key': 'for nothing' });
        expectProblem(keyed, 'tokens-exhausted');
        continue;
      }
      const head = await ask({ ...call, method: 'HEAD' }, as);
      expect([head.statusCode, head.headers['x-tokens-cost']]).toEqual([429, undefined]);
    }
  });

  test('triggers no reads of row data, so that response times reveal no travel time', async () => {
    const [as, rich] = [await withTokens(0), demo.api.customer];
    const { store } = demo.api.proxy;
    const blocks = demo.release.blocks.filter(({ isRoutable }) => isRoutable);
    for (const [i, of] of ['summary', 'pois'].entries()) {
      // Not requested before, so that none of it is cached.
      const { geoid } = blocks[300 + i];
      const call = { path: `/v1/blocks/${geoid}/${of}` };
      await ask(call, rich);
      const other = { path: `/v1/blocks/${blocks[400 + i].geoid}/${of}` };
      store.reads = [];
      expectProblem(await ask(other, as), 'tokens-exhausted');
      expectProblem(
        await ask(post(`/v1/blocks/${of}`, { origins: [blocks[410].geoid] }), as),
        'tokens-exhausted',
      );
      const rows = store.reads.filter((name) => !name.startsWith('index/'));
      expect(rows).toEqual([]);
    }
  });

  test('still learns what does not exist and what has not changed', async () => {
    const as = await withTokens(0);
    const path = `/v1/blocks/${demo.block.geoid}/summary`;
    for (const headers of [{}, { 'if-none-match': '*' }]) {
      const none = await ask({ path: `/v1/blocks/${NO_SUCH_BLOCK}/summary` }, as, headers);
      expectProblem(none, 'block-not-found');
    }
    const { etag } = (await ask({ path }, demo.api.customer)).headers;
    expect((await ask({ path }, as, { 'if-none-match': String(etag) })).statusCode).toBe(304);
    expect((await ask({ path }, as, { 'if-none-match': '*' })).statusCode).toBe(304);
  });
});

test.each(Object.entries(QUESTIONS))(
  'a balance that is too small is reported without the missing amount: %s',
  async (_, asked) => {
    const times = walks();
    const [anchor, target] = [times[0], times[times.length - 1]];
    const call = asked(demo, target, anchor, 30);
    const cost = Number((await ask(call, demo.api.customer)).headers['x-tokens-charged']);
    if (cost < 2 || call.path === '/v1/pois/catchment') return;
    const as = await withTokens(cost - 1);
    const problem = expectProblem(await ask(call, as), 'tokens-exhausted');
    expect(problem.tokens_remaining).toBe(cost - 1);
    expect(problem).not.toHaveProperty('tokens_required');
    // The response to a request for much more does not differ either.
    const more = { ...call, query: { ...call.query, dest_id: undefined, mode: undefined } };
    if (call.method !== 'POST') expect(seen(await ask(more, as))).toBe(seen(await ask(call, as)));
  },
);

test('a batch that the balance covers in part names the remaining origins, without figures', async () => {
  const blocks = demo.release.blocks.filter(({ isRoutable }) => isRoutable);
  const [first, second] = [blocks[100].geoid, blocks[101].geoid];
  const path = '/v1/blocks/summary';
  const whole = await demo.api.call(post(path, { origins: [first] }));
  const tokens = Number(whole.headers['x-tokens-charged']);
  const call = { ...post(path, { origins: [first, second] }), as: await withTokens(tokens) };
  const body = expectOk(await demo.api.call(call));
  expect(body).toMatchObject({ truncated: [second], truncated_reason: 'insufficient-balance' });
  expect(Object.keys(body).sort()).toEqual(
    ['blocks', 'errors', 'results', 'truncated', 'truncated_reason'].sort(),
  );
});
