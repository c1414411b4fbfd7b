import { describe, expect, test } from 'vitest';
import type { Receipt } from '../../proxy/ledger/replays.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { MICRO } from '../../shards/units.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 12, blocks: 12, pois: 40 });
const reaching = county.blocks.slice(3).map(({ geoid }) => geoid);
const unroutable = county.blocks[0].geoid;
const unknown = '245100000000000';

const store = smallReleaseOfTests(county);
const proxy = proxyOfTests({ store });
const post = (key: string, body: object, headers?: Record<string, string>) =>
  proxy.post('/v1/blocks/pois', key, body, headers);

describe('a replayed response', () => {
  test('is read from the ledger alone', async () => {
    const { key } = proxy;
    const headers = { 'idempotency-key': 'read once' };
    const first = await post(key, { origins: reaching }, headers);
    proxy.store.reads = [];
    const again = await post(key, { origins: reaching }, headers);
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
    expect(proxy.store.reads).toEqual([]);
  });

  test('is in memory only a few times at once, however many clients request it', async () => {
    const customers = await Promise.all(
      Array.from({ length: 4 }, () => proxy.customer({ tokens: 1e6 })),
    );
    const headers = { 'idempotency-key': 'at once', 'accept-encoding': 'gzip' };
    const ask = ({ key }: { key: string }) => post(key, { origins: reaching }, headers);
    const first = await Promise.all(customers.map(ask));
    const { replay } = proxy.ledger;
    const inHand = new Map<string, number>();
    const most = { ofOne: 0, inAll: 0 };
    proxy.ledger.replay = async (account, ...rest) => {
      inHand.set(account, (inHand.get(account) ?? 0) + 1);
      most.ofOne = Math.max(most.ofOne, inHand.get(account)!);
      most.inAll = Math.max(
        most.inAll,
        [...inHand.values()].reduce((a, b) => a + b),
      );
      // A slow ledger: the first reads wait until as many have begun as are allowed at once.
      await expect.poll(() => most.inAll).toBeGreaterThanOrEqual(6);
      await new Promise((resolve) => setTimeout(resolve, 10));
      try {
        return await replay.call(proxy.ledger, account, ...rest);
      } finally {
        inHand.set(account, inHand.get(account)! - 1);
      }
    };
    try {
      const asked = customers.flatMap((customer, i) =>
        Array.from({ length: 12 }, async () => {
          const again = await ask(customer);
          expect(again.headers['idempotency-replayed']).toBe('true');
          expect(again.rawPayload.equals(first[i].rawPayload)).toBe(true);
        }),
      );
      await Promise.all(asked);
    } finally {
      proxy.ledger.replay = replay;
    }
    expect(most).toEqual({ ofOne: 2, inAll: 6 });
  });

  test('that cannot be read, nor made again, counts as not delivered', async () => {
    const { id, key } = await proxy.customer({ tokens: 1e6 });
    const headers = { 'idempotency-key': 'damaged' };
    expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(200);
    const paid = await proxy.balance(id);
    const replay = proxy.ledger.replay.bind(proxy.ledger);
    let receipt: Receipt | undefined;
    proxy.ledger.replay = async (...request) => {
      const kept = await replay(...request);
      if (kept?.outcome !== 'replayed') return kept;
      receipt = kept.receipt;
      return { ...kept, response: { headers: {}, gzip: Buffer.from('this is no gzip') } };
    };
    const { readRange } = proxy.store;
    proxy.store.readRange = () => Promise.reject(new Error('away'));
    try {
      expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(500);
    } finally {
      Object.assign(proxy.ledger, { replay });
      Object.assign(proxy.store, { readRange });
    }
    expect(await proxy.balance(id)).toBe(paid);
    expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(200);
    // Two deliveries are left, the first and the last: all is refunded once both have failed.
    await proxy.ledger.undeliver(receipt!);
    expect(await proxy.balance(id)).toBe(paid);
    await proxy.ledger.undeliver(receipt!);
    expect(await proxy.balance(id)).toBe(1e6);
  });
});

describe('a batch’s information besides its rows', () => {
  const origins = [reaching[0], unknown, unroutable, reaching[1]];

  test.each(['application/json', 'text/csv', 'application/x-ndjson', 'application/geo+json'])(
    'is in headers too: %s',
    async (accept) => {
      const whole = await post(proxy.key, { origins }, { accept });
      expect(whole.headers).toMatchObject({ 'x-batch-errors': '2', 'x-batch-truncated': '0' });
      expect(whole.headers).not.toHaveProperty('x-truncated-reason');
      const first = await post(proxy.key, { origins: [reaching[0]] });
      const poor = await proxy.customer({ tokens: Number(first.headers['x-tokens-charged']) });
      const cut = await post(poor.key, { origins }, { accept });
      expect(cut.headers).toMatchObject({
        'x-batch-errors': '2',
        'x-batch-truncated': '1',
        'x-truncated-reason': 'insufficient-balance',
        'x-tokens-remaining': '0',
      });
    },
  );

  test('is in headers of a replayed response', async () => {
    const { key } = proxy;
    const headers = { accept: 'text/csv', 'idempotency-key': 'beside' };
    await post(key, { origins }, headers);
    const again = await post(key, { origins }, headers);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-batch-errors': '2',
      'content-type': 'text/csv; charset=utf-8; header=present',
    });
  });
});

describe('a batch concurrent with another request of its account', () => {
  const costOf = async (origins: readonly string[]) =>
    Number((await post(proxy.key, { origins })).headers['x-tokens-charged']);

  test('whose balance is short at each debit is refused after the third debit', async () => {
    const { id, key } = await proxy.customer({ tokens: await costOf(reaching) });
    const debit = proxy.ledger.debit.bind(proxy.ledger);
    let debits = 0;
    proxy.ledger.debit = async (charge) => {
      debits++;
      const excess = (await proxy.balance(id)) - (charge.tokens - 1);
      await debit({ ...charge, keyId: 'another', tokens: excess });
      return debit(charge);
    };
    try {
      const refused = await post(key, { origins: reaching });
      expect([refused.statusCode, refused.json().type]).toEqual([
        429,
        expect.stringMatching(/tokens-exhausted$/),
      ]);
    } finally {
      proxy.ledger.debit = debit;
    }
    expect(debits).toBe(3);
    const usage = await proxy.ledger.usage(id);
    expect(usage.filter(({ keyId }) => keyId !== 'another')).toEqual([]);
  });

  test('with its Idempotency-Key gets what the other one paid for, even if that is less than its own', async () => {
    const [two, all] = [await costOf(reaching.slice(0, 2)), await costOf(reaching)];
    const { id, key } = await proxy.customer({ tokens: all });
    const ask = () => post(key, { origins: reaching }, { 'idempotency-key': 'raced' });
    const { debitOnce, storeResponse } = proxy.ledger;
    let first: Awaited<ReturnType<typeof ask>> | undefined;
    proxy.ledger.debitOnce = async (charge, request) => {
      proxy.ledger.debitOnce = debitOnce;
      // This response was made for the whole balance, most of which is spent before the other.
      await proxy.ledger.debit({ ...charge, keyId: 'another', tokens: all - two });
      first = await ask();
      return debitOnce.call(proxy.ledger, charge, request);
    };
    // As for a response that is too large to keep, and is made again.
    proxy.ledger.storeResponse = async () => 0;
    try {
      const again = await ask();
      expect(first!.headers['x-tokens-charged']).toBe(String(two));
      expect(first!.json().results.length).toBe(two);
      expect(again.body).toBe(first!.body);
      expect(again.headers).toMatchObject({
        'x-tokens-charged': '0',
        'idempotency-replayed': 'true',
        'x-truncated-reason': 'insufficient-balance',
      });
    } finally {
      Object.assign(proxy.ledger, { debitOnce, storeResponse });
    }
    expect(await proxy.balance(id)).toBe(0);
  });
});

/** A part of a JSON Schema of the document. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly enum?: readonly (string | number)[];
  readonly maximum?: number;
}
interface Methods {
  readonly post?: {
    readonly requestBody: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  };
}

/** As many disjoint triangles with heights as 2,000 vertices allow. */
const triangles = Array.from({ length: 666 }, (_, i) => {
  const [lon, lat] = [-76.6 + (i % 30) * 0.01, 39.2 + Math.floor(i / 30) * 0.01];
  const first = [lon, lat, 1.5];
  return [[first, [lon + 0.005, lat, 1.5], [lon, lat + 0.005, 1.5], first]];
});
const maxDetailed = {
  type: 'MultiPolygon',
  bbox: [-76.6, 39.2, 1.5, -76.3, 39.5, 1.5],
  coordinates: triangles,
};

/** The largest value that a schema allows. */
function largest(schema: Schema): unknown {
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties);
    return Object.fromEntries(members.map(([name, member]) => [name, largest(member)]));
  }
  if (schema.type === 'array') {
    return Array.from({ length: schema.maxItems! }, () => largest(schema.items!));
  }
  if (schema.type === 'boolean') return true;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'string') return unknown;
  // Members that may be null have a pattern: they are left out.
  if (Array.isArray(schema.type)) return undefined;
  // Members without a type have their bounds documented elsewhere: they are left out.
  return schema.type && (schema.maximum ?? Number.MAX_SAFE_INTEGER);
}

describe('in a state whose code begins with zero', () => {
  const southern = smallCounty({ fips: '01001', seed: 5, blocks: 12, pois: 40 });
  const state = proxyOfTests({ store: smallReleaseOfTests(southern) });
  const { geoid } = southern.blocks[4];
  const number = Number(geoid);

  test('blocks as numbers lack the zero, and rows have it', async () => {
    expect(String(number)).toHaveLength(14);
    const ask = async (path: string, body: object) =>
      (await state.post(path, state.key, body)).json();
    const body = { mode: ['walk'], type: [201] };
    const origins = [[number], [geoid]];
    const [numbered, plain] = await Promise.all(
      origins.map((list) => ask('/v1/blocks/pois', { ...body, origins: list })),
    );
    expect(plain.results.length).toBeGreaterThan(0);
    expect(numbered).toEqual(plain);
    expect(numbered.results[0].geoid).toBe(geoid);
    const { dest_id } = plain.results[0];
    const filtered = { dest_ids: [dest_id], block: [number] };
    const { results } = await ask('/v1/pois/catchment', filtered);
    expect(results[0].geoid).toBe(geoid);
    expect(await ask('/v1/pois/catchment', { ...filtered, block: [geoid] })).toMatchObject({
      results,
    });
    const sent = { ...body, origins: [number, number] };
    const poor = await state.customer({ tokens: plain.results.length });
    const { truncated } = (await state.post('/v1/blocks/pois', poor.key, sent)).json();
    expect(truncated).toEqual([geoid]);
  });
});

test('the largest documented body is read to its end', async () => {
  const { paths } = (await proxy.get('/openapi.json')).json();
  const answered: string[] = [];
  for (const [url, { post: operation }] of Object.entries<Methods>(paths)) {
    // Messages of assistants have no members with bounds.
    if (!operation || url === '/mcp') continue;
    const { properties } = operation.requestBody.content['application/json'].schema;
    const { polygon, center, radius_m, cursor, ...rest } = properties;
    // Sums and trips need objects that this release lacks; they are sent to the demo city below.
    if ('area' in rest || 'of' in rest || 'trips' in rest) continue;
    const payload = {
      ...Object.fromEntries(Object.entries(rest).map(([name, of]) => [name, largest(of)])),
      // The largest number is not a type, and would be refused before the body's missing end is
      // noticed.
      ...(rest.type && { type: Array(rest.type.maxItems!).fill(101) }),
      ...(polygon && { polygon: maxDetailed }),
    };
    const response = await proxy.post(url, proxy.key, payload);
    // No table has that name, which is looked up once the body is read.
    const status = url === '/v1/exports/links' ? 404 : 200;
    expect([url, response.statusCode, response.body]).toEqual([url, status, expect.anything()]);
    answered.push(url);
  }
  expect(answered).toContain('/v1/blocks/query');
  expect(answered.length).toBeGreaterThan(3);
});

describe('on the demo city', () => {
  const city = proxyOfTests();

  test('the largest body of each route about areas, opportunities and trips is read to its end', async () => {
    const index = await city.releases.current.index(city.releases.current.counties[0].manifest);
    const geoids = Array.from(index.geoids, geoidFromNumber);
    const points = Array.from({ length: 1_000 }, (_, i) => ({
      lon: index.lon[i % index.count] / MICRO,
      lat: index.lat[i % index.count] / MICRO,
    }));
    const named = (list: string) => points.map((at, i) => ({ id: `${list} ${i}`, ...at }));
    const minutes = Array.from({ length: 12 }, (_, i) => i + 1);
    const { weights } = (await city.get('/v1/meta/weights')).json();
    const weight = weights.map((one: { weight: string }) => one.weight).slice(0, 40);
    // Blocks are repeated, since the city has fewer than 10,000.
    const blocks = Array.from({ length: 10_000 }, (_, i) => geoids[i % geoids.length]);
    const all_of = Array(8).fill({ type: 101, mode: 'transit', max_minutes: 30, nth: 5 });
    const near = Array(4).fill({ ...points[0], mode: 'transit', max_minutes: 60 });
    const mode = ['walk', 'bike', 'transit'];
    const window = { departure: 'am', percentile: 10 };
    const LARGEST: Readonly<Record<string, object>> = {
      '/v1/coverage': {
        area: { blocks },
        mode,
        type: [101],
        weight,
        nth: 5,
        names: true,
        small: true,
        all_of,
        ...window,
      },
      '/v1/blocks/match': { area: { blocks }, all_of, near, limit: 1000, cursor: null, ...window },
      '/v1/sites/coverage': {
        sites: named('site'),
        candidates: named('candidate'),
        choose: 50,
        uncovered: 1000,
        area: { blocks },
        mode: 'bike',
        direction: 'from',
        weight,
        minutes,
        ...window,
      },
      '/v1/sites/supply': {
        sites: named('site').map((site) => ({ ...site, capacity: 1e9 })),
        area: { blocks },
        mode: 'bike',
        direction: 'from',
        weight: 'people',
        minutes: 60,
        decay: 'exponential:30',
        small: true,
        ...window,
      },
      '/v1/explain': {
        trips: geoids
          .slice(0, 250)
          .map((from) => ({ from: geoids[5], to: from, mode: 'transit', departs: '08:59' })),
        spread: true,
        max_rows: 50_000,
        ...window,
      },
      '/v1/access': {
        origins: points.slice(0, 250),
        mode,
        direction: 'from',
        minutes,
        of: [...weight, 'type:101'],
        decay: 'step',
        max_rows: 50_000,
        ...window,
      },
      '/v1/changes': {
        from: city.releases.current.version,
        to: city.releases.current.version,
        area: { blocks },
        of: city.releases.current.manifest.access.filter((of) => !of.startsWith('type:')),
        minutes: [15, 30, 45, 60],
        mode,
        weight,
        small: true,
        ...window,
      },
    };
    const { paths } = (await city.get('/openapi.json')).json();
    const { id, key } = await city.customer({ tokens: 1e9 });
    for (const [url, { post: operation }] of Object.entries<Methods>(paths)) {
      const members = operation?.requestBody.content['application/json'].schema.properties ?? {};
      if (!('area' in members || 'of' in members || 'trips' in members)) continue;
      // `curve` and `by` replace, or add to, members that are sent; so does the area of access,
      // with its members, the origins that are sent there.
      const others: Readonly<Record<string, readonly string[]>> = {
        '/v1/access': ['area', 'weight', 'small', 'include_missing', 'limit', 'cursor'],
        '/v1/changes': ['type'],
      };
      const replaced = ['curve', 'by', ...(others[url] ?? [])];
      const asked = Object.keys(members).filter((name) => !replaced.includes(name));
      expect([url, Object.keys(LARGEST[url] ?? {}).sort()]).toEqual([url, asked.sort()]);
      const before = await city.balance(id);
      const response = await city.post(url, key, LARGEST[url]);
      expect([url, response.statusCode, response.body]).toEqual([url, 200, expect.anything()]);
      expect(before - (await city.balance(id))).toBe(Number(response.headers['x-tokens-charged']));
    }
  });

  test('polygons of as many vertices as are allowed are read, also where no block is', async () => {
    const response = await city.post('/v1/coverage', city.key, {
      area: { polygon: maxDetailed },
      type: [101],
    });
    expect(response.json().detail).toBe('no block of this release has its centre in the area');
  });
});
