import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountId } from '../../portal/accounts/accounts.ts';
import { booksOf, openCustomer, withLedger } from '../support/books.ts';
import { type ServedFleet, startFleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const TOKENS = 1e9;
const shape = { blocks: 12, pois: 60 };
const county = smallCounty({ fips: '24510', seed: 1, ...shape });
const changed = smallCounty({ fips: '24510', seed: 2, ...shape });
const geoids = county.blocks.map(({ geoid }) => geoid);

const folder = folderOfEachTest();
const at = (name: string) => path.join(folder, name);
let fleet: ServedFleet;
let account: AccountId;
let key: string;
/** Agent of most requests. Its timeout ends the wait for a response that will not come. */
const usual = new Agent({ headersTimeout: 60_000 });
/** Opens an agent with one connection per request, so that each may go to another process. */
const strangers = () => new Agent({ pipelining: 0, headersTimeout: 60_000 });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(async () => {
  await publishSmallRelease(at('store'), 'first', [county]);
  ({ account, key } = await withLedger(at('ledger'), (ledger) =>
    openCustomer(ledger, { tokens: TOKENS }),
  ));
});
afterEach(async () => {
  await fleet.stop();
});

const start = async (env: Record<string, string> = {}) => {
  const settings = {
    PROCESSES: '2',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RELEASE_POLL_SECONDS: '1',
  };
  const args = ['--store', at('store'), '--ledger', `sqlite:${at('ledger')}`];
  fleet = await startFleet(args, { ...settings, ...env });
};

const get = (url: string, dispatcher = usual) =>
  request(`${fleet.address}${url}`, {
    dispatcher,
    headers: {
      authorization: `Bearer ${key}`,
      ...(dispatcher !== usual && { connection: 'close' }),
    },
  });

test('rates are counted once over all processes, by account and by address', async () => {
  const metricsPort = await freePort();
  await start({
    RATE_LIMIT_PER_MINUTE: '20',
    FREE_RATE_LIMIT_PER_MINUTE: '15',
    METRICS_PORT: String(metricsPort),
  });
  const dispatcher = strangers();
  const answered = async (url: string) => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { statusCode, headers, body } = await get(url, dispatcher);
        await body.dump();
        return { statusCode, left: /r=(\d+)/.exec(String(headers.ratelimit))?.[1] };
      }),
    );
    const passed = responses.filter(({ statusCode }) => statusCode === 200);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(
      50 - passed.length,
    );
    return passed.map(({ left }) => Number(left)).sort((a, b) => a - b);
  };
  const upTo = (limit: number) => Array.from({ length: limit }, (_, i) => i);
  // Each remaining count occurs once: no two processes grant the same request.
  expect(await answered('/v1/tokens')).toEqual(upTo(20));
  expect(await answered('/v1/meta/modes')).toEqual(upTo(15));
  const countedBy = async () => {
    const text = await (await request(`http://127.0.0.1:${metricsPort}/metrics`)).body.text();
    const counted = text.matchAll(/^tta_http_requests_total\{.*process="(\d)".*\} (\d+)$/gm);
    return Array.from(counted, ([, process, count]) => ({ process, count: Number(count) }));
  };
  const sum = (await countedBy()).reduce((total, { count }) => total + count, 0);
  expect(sum).toBe(100);
  // The kernel chooses the process of a connection, so enough connections reach both.
  const processes = async () => new Set((await countedBy()).map(({ process }) => process));
  for (let burst = 0; burst < 50 && (await processes()).size < 2; burst++) {
    await Promise.all(
      Array.from({ length: 50 }, async () => (await get('/v1/tokens', dispatcher)).body.dump()),
    );
  }
  // Each process has its own series, so that its restart resets only its own counters.
  expect(await processes()).toEqual(new Set(['1', '2']));
});

/** One token per row, and one for a response without any. */
const tokensOf = (body: unknown) =>
  Math.max(1, (body as { results: readonly unknown[] }).results.length);

test('killing processes under load loses no paid response, and the books add up', async () => {
  await start();
  let stop = false;
  const posted = { requests: 0, tokens: 0 };
  const got = { requests: 0, tokens: 0, cut: 0 };
  // A POST with an Idempotency-Key is retried until it succeeds; a broken GET is not.
  const post = async (idempotencyKey: string, geoid: string): Promise<number> => {
    for (;;) {
      const response = await request(`${fleet.address}/v1/blocks/summary`, {
        method: 'POST',
        dispatcher: usual,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify({ origins: [geoid], mode: ['walk'] }),
      }).catch(() => undefined);
      const body = await response?.body.json().catch(() => undefined);
      if (body === undefined) {
        await pause();
        continue;
      }
      expect(response!.statusCode).toBe(200);
      return tokensOf(body);
    }
  };
  const clients = Array.from({ length: 12 }, async (_, client) => {
    for (let n = 0; !stop; n++) {
      const geoid = geoids[n % geoids.length];
      if (client % 2 === 0) {
        const tokens = await post(`${client}-${n}`, geoid);
        posted.tokens += tokens;
        posted.requests++;
        continue;
      }
      const response = await get(`/v1/blocks/${geoid}/summary?mode=walk`).catch(() => undefined);
      const body = await response?.body.json().catch(() => undefined);
      if (body === undefined) {
        got.cut++;
        await pause();
        continue;
      }
      expect(response!.statusCode).toBe(200);
      got.tokens += tokensOf(body);
      got.requests++;
    }
  });
  const finished = Promise.all(clients);
  finished.catch(() => {});
  for (let round = 0; round < 3; round++) {
    const [pid] = await fleet.pids();
    process.kill(pid, 'SIGKILL');
    const state = async () => (await get('/v1/ready')).body.json().catch(() => null);
    await expect.poll(async () => (await fleet.pids()).includes(pid)).toBe(false);
    await expect.poll(() => state().catch(() => null)).toMatchObject({ processes: { serving: 2 } });
  }
  stop = true;
  await finished;
  expect(await fleet.stop()).toBe(0);

  const [books, usage] = await withLedger(at('ledger'), async (ledger) => [
    await booksOf(ledger, account),
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

test('each process follows releases independently, and none serves one that cannot be opened', async () => {
  const metricsPort = await freePort();
  await start({ FREE_RATE_LIMIT_PER_MINUTE: '1000000', METRICS_PORT: String(metricsPort) });
  const failures = async () => {
    const reported = await (await request(`http://127.0.0.1:${metricsPort}/metrics`)).body.text();
    const each = reported.matchAll(/^tta_release_refresh_failures\{process="\d"\} (\d+)$/gm);
    return Array.from(each, ([, count]) => Number(count));
  };
  const dispatcher = strangers();
  /** The releases served, sampled over enough connections to reach each process. */
  const served = async () => {
    const asked = Array.from({ length: 300 }, async () => {
      const { body } = await get('/v1/last-updated', dispatcher);
      return ((await body.json()) as { release: string }).release;
    });
    return [...new Set(await Promise.all(asked))];
  };
  expect(await served()).toEqual(['first']);
  await publishSmallRelease(at('store'), 'second', [changed]);
  await expect.poll(served).toEqual(['second']);

  const good = await readFile(at('store/latest.json'), 'utf8');
  await publishSmallRelease(at('store'), 'third', [county]);
  const latest = JSON.parse(await readFile(at('store/latest.json'), 'utf8'));
  await writeFile(at(`store/${latest.manifest}`), '{}');
  // Failures are counted until the named release is the served one.
  await expect.poll(async () => Math.min(...(await failures()))).toBeGreaterThan(1);
  expect(await served()).toEqual(['second']);
  expect(await (await get('/v1/ready')).body.json()).toMatchObject({
    ready: true,
    checks: { release: 'held' },
  });
  await writeFile(at('store/latest.json'), good);
  await expect.poll(failures).toEqual([0, 0]);
});

/**
 * Begins a POST, and returns a function that sends its last byte and resolves with the response.
 */
async function begunPost() {
  const { port } = new URL(fleet.address);
  const socket = connect(Number(port), '127.0.0.1');
  const body = JSON.stringify({ origins: [geoids[0]], mode: ['walk'] });
  const head = [
    'POST /v1/blocks/summary HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`, () => resolve());
  });
  // The POST has arrived once a later request on another connection has been served.
  for (let i = 0; i < 4; i++) await (await get('/v1/health', strangers())).body.dump();
  return async () => {
    socket.write(body.slice(-1));
    await once(socket, 'close');
    return response;
  };
}

test('started requests complete on shutdown and when the parent dies', async () => {
  await start();
  const finish = await begunPost();
  const stopped = fleet.stop();
  await expect
    .poll(() =>
      get('/v1/health').then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 /);
  expect(await stopped).toBe(0);

  await start();
  const document = await (await get('/openapi.json')).body.json();
  expect(document).toMatchObject({ servers: [{ url: fleet.address }] });
  const pids = await fleet.pids();
  const response = await begunPost();
  fleet.child.kill('SIGKILL');
  await once(fleet.child, 'exit');
  expect(await response()).toMatch(/^HTTP\/1\.1 (200|503) /);
  const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  expect(fleet.noise()).toBe('');
});

test('processes that cannot start end the start with one line; later failures end the service', async () => {
  const wrong = start({ PROCESSES: '2', HOST: '192.0.2.1' });
  await expect(wrong).rejects.toThrow(/^\S+ .* did not start: tta: .*192\.0\.2\.1.*\n$/);
  await start();
  await rm(at('store/manifests'), { recursive: true });
  const ended = once(fleet.child, 'exit');
  for (const pid of await fleet.pids()) process.kill(pid, 'SIGKILL');
  expect((await ended)[0]).toBe(1);
  expect(fleet.noise().trim().split('\n').at(-1)).toMatch(
    /^tta: \S+manifests\/.*: processes die too often to be restarted; fix the cause and start again$/,
  );
});

test('a process that cannot start is retried while another one keeps serving', async () => {
  const metricsPort = await freePort();
  await start({ METRICS_PORT: String(metricsPort) });
  await rename(at('store/manifests'), at('away'));
  const [pid] = await fleet.pids();
  process.kill(pid, 'SIGKILL');
  const tried = () => fleet.noise().match(/manifests.*; restarting in 5000 ms/g)?.length;
  await expect.poll(tried).toBe(2);
  const state = async () => (await get('/v1/ready')).body.json();
  expect(await state()).toMatchObject({ processes: { serving: 1, wanted: 2 } });
  const reported = await (await request(`http://127.0.0.1:${metricsPort}/metrics`)).body.text();
  const counted = [...reported.matchAll(/^(tta_processes_\w+ .*)$/gm)].map(([, line]) => line);
  expect(counted).toEqual(['tta_processes_serving 1', 'tta_processes_wanted 2']);
  await rename(at('away'), at('store/manifests'));
  await expect.poll(state).toMatchObject({ processes: { serving: 2 } });
});
