import { gunzipSync, gzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Receipt, readStored, storedHeaders } from '../../proxy/ledger/replays.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const county = smallCounty({ fips: '24510', seed: 21, blocks: 12, pois: 40 });
const reaching = county.blocks.slice(3).map(({ geoid }) => geoid);
const PATH = '/v1/blocks/pois';
const LONG = { origins: reaching };
/** A body whose response fits in a packet, and is not compressed. */
const SHORT = { origins: reaching.slice(0, 1), mode: ['walk'], type: [201] };
const TOKENS = 100_000;

const ledger = folderOfTests();
const proxy = proxyOfTests({ store: smallReleaseOfTests(county), ledger: `sqlite:${ledger}` });

/** A customer, and a way to repeat a request under one key. */
async function requester(key: string, tokens = TOKENS) {
  const { id, key: apiKey } = await proxy.customer({ tokens });
  const ask = (body: object = LONG, headers: Record<string, string> = {}, url = PATH) =>
    proxy.post(url, apiKey, body, { 'idempotency-key': key, ...headers });
  return { id, ask, spent: async () => tokens - (await proxy.balance(id)) };
}

/** Replaces some of the ledger's operations until the test ends. */
function ledgerWith(operations: Partial<typeof proxy.ledger>): void {
  const own = Object.keys(operations).map((name) => [
    name,
    proxy.ledger[name as keyof typeof proxy.ledger],
  ]);
  Object.assign(proxy.ledger, operations);
  onTestFinished(() => void Object.assign(proxy.ledger, Object.fromEntries(own)));
}

describe('a repeated request', () => {
  test.each([
    ['long', LONG],
    ['short', SHORT],
  ])('gets the same %s response in the encoding that it accepts, uncharged', async (_, body) => {
    for (const first of ['identity', 'gzip']) {
      const { ask, spent } = await requester(`${first} first`);
      const plain = (await proxy.post(PATH, proxy.key, body)).rawPayload;
      const original = await ask(body, { 'accept-encoding': first });
      const cost = await spent();
      expect([original.statusCode, cost]).toEqual([
        200,
        Number(original.headers['x-tokens-charged']),
      ]);
      expect(original.headers).not.toHaveProperty('idempotency-replayed');
      proxy.store.reads = [];
      for (const encoding of ['identity', 'gzip']) {
        const again = await ask(body, { 'accept-encoding': encoding });
        const isZipped = body === LONG && encoding === 'gzip';
        expect(again.headers['content-encoding']).toBe(isZipped ? 'gzip' : undefined);
        const { rawPayload } = again;
        expect((isZipped ? gunzipSync(rawPayload) : rawPayload).equals(plain)).toBe(true);
        expect(again.headers).toMatchObject({
          'content-type': original.headers['content-type'],
          'content-length': `${rawPayload.length}`,
          'cache-control': 'no-store',
          'idempotency-replayed': 'true',
          'x-data-release': proxy.releases.current.version,
          'x-tokens-charged': '0',
          'x-tokens-remaining': `${TOKENS - cost}`,
        });
      }
      expect(await spent()).toBe(cost);
      expect(proxy.store.reads).toEqual([]);
    }
  });

  test('with another body, or to another route, is a conflict, uncharged', async () => {
    const { id, ask, spent } = await requester('reused');
    await ask();
    const cost = await spent();
    const changed = [ask(SHORT), ask(LONG, {}, '/v1/blocks/summary')];
    for (const refused of await Promise.all(changed)) {
      expect(refused.statusCode).toBe(409);
      expect(refused.json()).toMatchObject({
        type: expect.stringMatching(/\/idempotency-conflict$/),
        detail: expect.stringContaining('another path or body'),
      });
    }
    expect((await ask()).headers['idempotency-replayed']).toBe('true');
    expect(await proxy.ledger.usage(id)).toMatchObject([
      { route: `POST ${PATH}`, requests: 1, tokens: cost },
    ]);
    expect(await spent()).toBe(cost);
  });

  test('pays for what was refunded of the first response, and is refused without the tokens for it', async () => {
    const { id, ask, spent } = await requester('undelivered');
    const { debitOnce } = proxy.ledger;
    let receipt: Receipt | undefined;
    ledgerWith({
      debitOnce: async (charge, request) => {
        const paid = await debitOnce.call(proxy.ledger, charge, request);
        if (paid.outcome === 'debited') ({ receipt } = paid);
        return paid;
      },
    });
    const first = await ask();
    const cost = await spent();
    await proxy.ledger.undeliver(receipt!, 7);
    expect(await spent()).toBe(cost - 7);
    const rest = TOKENS - cost + 7 - 6;
    const other = { account: id, keyId: 'another', route: 'another', atMs: Date.now() };
    await proxy.ledger.debit({ ...other, tokens: rest });
    const refused = await ask();
    expect([refused.statusCode, refused.json().tokens_remaining]).toEqual([429, 6]);
    await proxy.ledger.refund({ ...other, tokens: rest }, 1);
    const again = await ask();
    expect([
      again.body,
      again.headers['x-tokens-charged'],
      again.headers['x-tokens-remaining'],
    ]).toEqual([first.body, '7', '0']);
  });

  test('whose response could not be stored gets the same one, made again, and the failure is logged', async () => {
    const { ask, spent } = await requester('not stored');
    const cause = new Error('the ledger is full');
    const logged: unknown[][] = [];
    const { error } = proxy.app.log;
    onTestFinished(() => {
      proxy.app.log.error = error;
    });
    proxy.app.log.error = (...entry: unknown[]) => void logged.push(entry);
    ledgerWith({ storeResponse: () => Promise.reject(cause) });
    const first = await ask(LONG, { 'x-request-id': 'trace-1' });
    expect(first.statusCode).toBe(200);
    expect(logged).toEqual([[{ err: cause, reqId: 'trace-1' }, 'response not stored for replay']]);
    const cost = await spent();
    const again = await ask();
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
    expect(await spent()).toBe(cost);
  });

  test.each([
    ['long', LONG],
    ['short', SHORT],
  ])('whose stored %s response is damaged gets the same one, made again', async (_, body) => {
    const { ask, spent } = await requester('damaged');
    const first = await ask(body);
    const cost = await spent();
    const books = await ofThisTest(new DatabaseSync(`${ledger}/ledger.db`));
    const change = (set: string) => books.exec(`UPDATE responses SET ${set}`);
    for (const damage of [
      "gzip = CAST(X'00' || substr(gzip, 2) AS BLOB)",
      'gzip = substr(gzip, 1, length(gzip) - 9)',
      "gzip = X''",
      "headers = ''",
      'headers = substr(headers, 1, length(headers) - 1)',
      "headers = replace(headers, ':', ';')",
      "headers = replace(headers, 'json', 'jso\nn')",
      "headers = replace(headers, 'json', 'jsom')",
      "headers = '{}'",
      "headers = '0 null'",
    ]) {
      books.exec('CREATE TEMP TABLE kept AS SELECT * FROM responses');
      change(damage);
      for (const encoding of ['identity', 'gzip']) {
        const { statusCode, headers, rawPayload } = await ask(body, {
          'accept-encoding': encoding,
        });
        expect([damage, statusCode, headers['content-type']]).toEqual([
          damage,
          200,
          first.headers['content-type'],
        ]);
        expect(headers['idempotency-replayed']).toBe('true');
        const isZipped = headers['content-encoding'] === 'gzip';
        expect(String(isZipped ? gunzipSync(rawPayload) : rawPayload)).toBe(first.body);
      }
      expect(await spent()).toBe(cost);
      books.exec('REPLACE INTO responses SELECT * FROM kept; DROP TABLE kept');
    }
  });

  test('that races the first gets the response that it has computed, without another read', async () => {
    const { ask, spent } = await requester('raced');
    const { debitOnce } = proxy.ledger;
    proxy.store.reads = [];
    await proxy.post(PATH, proxy.key, LONG);
    const reads = proxy.store.reads.length;
    expect(reads).toBeGreaterThan(0);
    let first: Awaited<ReturnType<typeof ask>> | undefined;
    ledgerWith({
      debitOnce: async (charge, request) => {
        proxy.ledger.debitOnce = debitOnce;
        first = await ask();
        return debitOnce.call(proxy.ledger, charge, request);
      },
      storeResponse: async () => 0,
    });
    proxy.store.reads = [];
    const second = await ask();
    expect(first!.statusCode).toBe(200);
    expect([second.body, second.headers['x-tokens-charged']]).toEqual([first!.body, '0']);
    expect(proxy.store.reads.length).toBe(2 * reads);
    expect(await spent()).toBe(Number(first!.headers['x-tokens-charged']));
  });
});

test.each([
  ['', false],
  ['~', true],
  ['k'.repeat(255), true],
  ['k'.repeat(256), false],
  ['cl\u00e9', false],
  ['tab\tbed', false],
  ['a, b', true],
])('the Idempotency-Key %j is accepted: %s', async (key, isAccepted) => {
  const { ask, spent } = await requester(key);
  const response = await ask(SHORT);
  if (isAccepted) {
    expect([response.statusCode, (await ask(SHORT)).headers['idempotency-replayed']]).toEqual([
      200,
      'true',
    ]);
    return;
  }
  expect(response.statusCode).toBe(400);
  expect(response.json().errors).toEqual([
    {
      loc: ['header', 'idempotency-key'],
      msg: 'must be 1 to 255 printable characters',
      type: 'invalid_format',
    },
  ]);
  expect(await spent()).toBe(0);
});

test('one changed bit in the headers or body of a stored response is detected', () => {
  const gzip = gzipSync('{"results":[]}');
  const headers = { 'content-type': 'application/json', 'x-data-release': '2026-11' };
  const stored = Buffer.from(storedHeaders({ headers, gzip }));
  expect(readStored(stored.toString(), gzip)).toEqual({ headers, gzip });
  for (const part of [stored, gzip]) {
    for (let bit = 0; bit < 8 * part.length; bit++) {
      part[bit >> 3] ^= 1 << (bit & 7);
      expect([bit, readStored(stored.toString(), gzip)]).toEqual([bit, 'damaged']);
      part[bit >> 3] ^= 1 << (bit & 7);
    }
  }
});
