import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openCustomer, totalsOf, withLedger } from '../support/account-totals.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/server-process.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { TTA } from '../support/tta.ts';

const TOKENS = 1e9;
const KILLS = 3;
const CLIENTS = 12;
/** Responses that clients receive from each server before it is killed. */
const RESPONSES = 200;

const folder = folderOfTests();
const county = smallCounty({ fips: '24510', seed: 1, blocks: 12, pois: 60 });
const geoids = county.blocks.map(({ geoid }) => geoid);
const store = smallReleaseOfTests(county);

/** One token per row, and one for a response without any, if its origin could be resolved. */
const tokensOf = (body: unknown) => {
  const { results, errors = [] } = body as Record<'results' | 'errors', readonly unknown[]>;
  return errors.length > 0 ? 0 : Math.max(1, results.length);
};

test('a server killed under load and started again loses no paid response, and the books add up', async () => {
  const ledgerFolder = `${folder}/ledger`;
  const { account, key } = await withLedger(ledgerFolder, (ledger) =>
    openCustomer(ledger, { tokens: TOKENS }),
  );
  const port = `${await freePort()}`;
  const at = ['--port', port, '--store', store, '--ledger', `sqlite:${ledgerFolder}`];
  const start = () => startServer([TTA, 'serve', ...at], { RATE_LIMIT_PER_MINUTE: '1000000' });
  let server = await start();
  const { address } = server;
  const headers = { authorization: `Bearer ${key}` };
  const posted = { requests: 0, tokens: 0 };
  const got = { requests: 0, tokens: 0, cut: 0 };
  let isOver = false;

  /** Sends a request; returns the tokens of its whole response, or null if there is none. */
  const tokensFor = async (path: string, init: RequestInit): Promise<number | null> => {
    try {
      const response = await fetch(`${address}${path}`, init);
      const body = await response.json();
      expect(response.status).toBe(200);
      return tokensOf(body);
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error;
      await pause(20);
      return null;
    }
  };
  // A POST with an Idempotency-Key is repeated until it succeeds; a GET that was cut off is not.
  const post = async (idempotencyKey: string, geoid: string) => {
    const init = {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ origins: [geoid], mode: ['walk'] }),
    };
    for (;;) {
      const tokens = await tokensFor('/v1/blocks/summary', init);
      if (tokens === null) continue;
      posted.tokens += tokens;
      posted.requests++;
      return;
    }
  };
  const get = async (geoid: string) => {
    const tokens = await tokensFor(`/v1/blocks/${geoid}/summary?mode=walk`, { headers });
    if (tokens === null) {
      got.cut++;
      return;
    }
    got.tokens += tokens;
    got.requests++;
  };
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !isOver; n++) {
      const geoid = geoids[n % geoids.length];
      await (client % 2 === 0 ? post(`${client}-${n}`, geoid) : get(geoid));
    }
  });
  const finished = Promise.all(clients);
  finished.catch(() => {});
  for (let kill = 0; kill < KILLS; kill++) {
    const due = posted.requests + got.requests + RESPONSES;
    await expect.poll(() => posted.requests + got.requests).toBeGreaterThan(due);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    server = await start();
  }
  isOver = true;
  await finished;
  expect(await server.stop()).toBe(0);

  const [books, usage] = await withLedger(ledgerFolder, async (ledger) => [
    await totalsOf(ledger, account),
    await ledger.usage(account),
  ]);
  const usedBy = (route: string) => {
    const of = usage.filter((day) => day.route === route);
    const sum = (what: 'tokens' | 'requests') => of.reduce((all, day) => all + day[what], 0);
    return { requests: sum('requests'), tokens: sum('tokens') };
  };
  expect(got.cut).toBeGreaterThan(0);
  expect(books.balance).toBe(TOKENS - books.used);
  expect(usedBy('POST /v1/blocks/summary')).toEqual(posted);
  const gets = usedBy('GET /v1/blocks/{geoid}/summary');
  expect(gets.requests).toBeGreaterThanOrEqual(got.requests);
  expect(gets.requests - got.requests).toBeLessThanOrEqual(got.cut);
  expect(gets.tokens).toBeGreaterThanOrEqual(got.tokens);
});
