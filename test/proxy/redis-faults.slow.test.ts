import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { totalsOf } from '../support/account-totals.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { type RedisServer, startRedis, startRedisWithReplicas } from '../support/redis-server.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { ofThisTest } from '../support/test-resources.ts';

// The real proxy on a real Redis, under load, through every failure of Redis. After each: charges
// equal deliveries, to the token, and nothing was granted twice.

const TOKENS = 100_000_000;
/**
 * Bound on the time until a response, from the moment Redis can serve again; a multiple of a
 * response's current time on this machine is added.
 */
const RECOVERY_MS = 2_000;
const RECOVERY_RESPONSES = 20;
/** Pause of a visitor between visits: of twelve visitors, some are always under way. */
const VISITOR_PAUSE_MS = 10;
const county = smallCounty({ fips: '24510', seed: 12, blocks: 12, pois: 40 });
const geoids = county.blocks.slice(3).map(({ geoid }) => geoid);
const store = smallReleaseOfTests(county);

let redis: RedisServer;
let proxy: ProxyHarness;
let load: Load;
beforeAll(async () => {
  redis = await startRedis();
  proxy = await openProxy(store, { ledger: redis.address() });
  load = await openLoad(proxy);
});
afterAll(async () => {
  await proxy.close();
  await redis.stop();
});

/** Failures of Redis: each is applied and undone, and resolves when Redis could serve again. */
const FAULTS: Record<string, () => Promise<void>> = {
  async 'is killed −9, and restarted from its log'() {
    await redis.kill('SIGKILL');
    await pause(500);
    await redis.restart();
  },
  async 'is killed −9 three times on end'() {
    for (let i = 0; i < 3; i++) {
      await redis.kill('SIGKILL');
      await redis.restart();
    }
  },
  async 'stalls for a moment'() {
    await redis.kill('SIGSTOP');
    await pause(400);
    await redis.kill('SIGCONT');
  },
  async 'stalls for longer than anybody waits'() {
    await redis.kill('SIGSTOP');
    await pause(3_000);
    await redis.kill('SIGCONT');
  },
  async 'has no memory left'() {
    await redis.cli('config', 'set', 'maxmemory', '1');
    await pause(700);
    await redis.cli('config', 'set', 'maxmemory', '0');
  },
  async 'has every connection cut'() {
    for (let i = 0; i < 5; i++) {
      await redis.cli('client', 'kill', 'type', 'normal', 'skipme', 'yes');
      await pause(150);
    }
  },
  // The proxy's clock jumps, but not that of Redis.
  async 'is an hour behind, an hour ahead, and on time again'() {
    for (const hours of [1, -1, 0]) {
      vi.useFakeTimers({ now: Date.now() + hours * 3_600_000, toFake: ['Date'] });
      await pause(300);
      vi.useRealTimers();
    }
  },
};

test.each(Object.keys(FAULTS))('when Redis %s, charges equal deliveries', async (fault) => {
  await load.during(FAULTS[fault]);
  await load.expectBooks(proxy.ledger);
});

test('when a master is killed while its replicas lag, the next one has all acknowledged writes', async () => {
  const set = await ofThisTest(startRedisWithReplicas());
  const behind = await ofThisTest(openProxy(store, { ledger: set.address }));
  const load = await openLoad(behind);
  await load.during(async () => {
    // Writes from now on reach no replica.
    set.replication.freeze();
    await pause(300);
    await set.master.kill('SIGKILL');
    await set.replication.close();
    const { port } = set.master;
    await expect.poll(set.masterPort, { interval: 20 }).not.toBe(port);
    const next = set.replicas[(await set.masterPort()) === set.replicas[0].port ? 0 : 1];
    // The new master accepts writes once the other replica follows it.
    await expect
      .poll(() => next.cli('info', 'replication'), { interval: 20 })
      .toMatch(/role:master[\s\S]*min_slaves_good_slaves:1/);
  });
  const there = await ofThisTest(openLedger(set.address, { rateLimitPerMinute: 1 }));
  await load.expectBooks(there);
});

test('a response of which Redis holds a damaged copy is made again, uncharged', async () => {
  const { id, key } = await proxy.customer({ tokens: 10_000 });
  const ask = () =>
    proxy.post('/v1/blocks/pois', key, { origins: geoids }, { 'idempotency-key': 'damaged' });
  const first = await ask();
  const left = await proxy.balance(id);
  const [name] = (await redis.cli('keys', `*{${id}}*answer:*`)).trim().split('\n');
  for (const field of ['head', 'gzip']) {
    for (const damaged of ['', 'x', '{}', '0 null']) {
      expect(await redis.cli('hexists', name, field)).toBe('1\n');
      await redis.cli('copy', name, `${name}.kept`);
      await redis.cli('hset', name, field, damaged);
      const again = await ask();
      expect([field, damaged, again.statusCode, again.body]).toEqual([
        field,
        damaged,
        200,
        first.body,
      ]);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      expect(await proxy.balance(id)).toBe(left);
      await redis.cli('rename', `${name}.kept`, name);
    }
  }
});

interface Load {
  /** Sends requests before, during and after a fault, and expects service to resume in time. */
  during(fault: () => Promise<void>): Promise<void>;
  expectBooks(ledger: Ledger): Promise<void>;
}

/** Customers of a proxy, and a payment processor, who record what they received. */
async function openLoad({ ledger, customer, listen }: ProxyHarness): Promise<Load> {
  const { id, key } = await customer({ tokens: TOKENS });
  const service = `http://127.0.0.1:${await listen()}`;
  const headers = { authorization: `Bearer ${key}` };
  let [delivered, answered, granted, orders] = [0, 0, 0, 0];
  let lastResponseMs = 0;
  let slowestMs = 0;
  let isOver = false;

  /** Returns the response, or undefined if the request was properly refused. */
  async function ask(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const askedMs = performance.now();
    const response = await fetch(service + path, {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    slowestMs = Math.max(slowestMs, performance.now() - askedMs);
    if (response.status === 200 || response.status === 304) {
      answered++;
      lastResponseMs = performance.now();
      return response;
    }
    const problem = (await response.json()) as { type: string; detail: string };
    expect([response.status, problem.type.split('/').at(-1)]).toEqual([503, 'debit-unavailable']);
    expect(problem.detail).toMatch(/nothing was charged|charged for this request are refunded/);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await pause(20);
    return undefined;
  }

  // Rows are read before the addition, since other visitors add concurrently.
  const deliver = async (response: Response) => {
    const rows = await rowsOf(response);
    delivered += rows;
    return rows;
  };
  const rowsOf = async (response: Response) =>
    ((await response.json()) as { results: unknown[] }).results.length;
  const visitors: (() => Promise<void>)[] = [
    async () => {
      const response = await ask(`/v1/blocks/${geoids[1]}/summary`);
      if (!response) return;
      const rows = await deliver(response);
      expect(response.headers.get('x-tokens-charged')).toBe(String(rows));
      const etag = response.headers.get('etag')!;
      await ask(`/v1/blocks/${geoids[1]}/summary`, { headers: { 'if-none-match': etag } });
    },
    async () => {
      const response = await ask(`/v1/blocks/${geoids[2]}/pois`);
      if (response) await deliver(response);
    },
    // A customer who retries until there is a response, and once again, must be charged once.
    async () => {
      const order = {
        method: 'POST',
        headers: { 'idempotency-key': `order ${++orders}`, 'content-type': 'application/json' },
        body: JSON.stringify({ origins: geoids.slice(0, 3) }),
      };
      let response: Response | undefined;
      while (!response && !isOver) response = await ask('/v1/blocks/pois', order);
      if (!response) return;
      const rows = await deliver(response);
      const again = await ask('/v1/blocks/pois', order);
      if (again) expect(await rowsOf(again)).toBe(rows);
    },
    // A customer who gives up after the first try.
    async () => {
      const response = await ask('/v1/blocks/pois', {
        method: 'POST',
        headers: { 'idempotency-key': `try ${++orders}`, 'content-type': 'application/json' },
        body: JSON.stringify({ origins: geoids.slice(0, 2) }),
      });
      if (response) await deliver(response);
    },
  ];
  // Each payment is retried until acknowledged: a failed one may have been granted.
  const payments = async () => {
    for (let isOpen = false; isOpen || !isOver; ) {
      const due = { tokens: 5, cause: `invoice ${granted}`, atMs: 1 };
      isOpen = await ledger.grant(id, due, 'payment').then(
        () => false,
        () => true,
      );
      if (!isOpen) granted++;
      await pause(isOpen ? 20 : 2);
    }
  };

  return {
    async during(fault) {
      isOver = false;
      const working = visitors.flatMap((visit) =>
        [1, 2, 3].map(async () => {
          while (!isOver) {
            await visit();
            await pause(VISITOR_PAUSE_MS);
          }
        }),
      );
      const all = Promise.all([...working, payments()]);
      const more = async (count: number) => {
        const before = answered;
        while (answered < before + count) {
          await Promise.race([pause(10), all]);
        }
      };
      try {
        slowestMs = 0;
        await more(150);
        const boundMs = RECOVERY_MS + RECOVERY_RESPONSES * slowestMs;
        await fault();
        const servingFromMs = performance.now();
        while (lastResponseMs < servingFromMs) await Promise.race([pause(5), all]);
        expect(lastResponseMs - servingFromMs).toBeLessThan(boundMs);
        await more(150);
      } finally {
        isOver = true;
        await all;
      }
    },
    async expectBooks(of) {
      await expect.poll(async () => (await totalsOf(of, id)).used).toBe(delivered);
      const books = await totalsOf(of, id);
      expect(books.granted).toBe(TOKENS + 5 * granted);
      expect(books.balance).toBe(books.granted - books.used);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
