import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { someBlocks } from '../bench/targets.ts';
import { openCustomer, totalsOf, withLedger } from '../support/account-totals.ts';
import { freePort } from '../support/free-port.ts';
import { type Front, HOSTS, startNginxFront, startVarnishFront } from '../support/front.ts';
import { releaseIn } from '../support/release-in.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { TTA } from '../support/tta.ts';

const CLIENTS = 12;
/** Pause of a client between requests: several are on their way at any time. */
const PAUSE_MS = 60;

const folder = folderOfEachTest();
const servers = new Map<number, ServerProcess>();
let front: Front;
let account: AccountId;
let key: string;
let geoids: string[];

beforeEach(async () => {
  const store = new FolderStore(inject('demoStore'));
  geoids = await someBlocks(await releaseIn(store), 500);
  await store.close();
  ({ account, key } = await withLedger(`${folder}/ledger`, (ledger) =>
    openCustomer(ledger, { tokens: 1e9 }),
  ));
});
afterEach(async () => {
  await front?.stop();
  await Promise.all([...servers.values()].map((server) => server.stop()));
  servers.clear();
});

/** Starts a server of the service, and waits until it listens. */
async function start(port: number, drainSeconds: number): Promise<void> {
  const at = ['--store', inject('demoStore'), '--ledger', `sqlite:${folder}/ledger`];
  const args = [TTA, 'serve', ...at, '--host', '127.0.0.1', '--port', `${port}`];
  const settings = {
    RATE_LIMIT_PER_MINUTE: '1000000',
    FREE_RATE_LIMIT_PER_MINUTE: '1000000',
    DRAIN_SECONDS: `${drainSeconds}`,
  };
  servers.set(port, await startServer(args, settings));
}

/** Outcomes of the requests of all clients. */
interface Received {
  tokens: number;
  requests: number;
  readonly failures: string[];
}

/** Sends one request after another until `isOver`. Every third client sends POSTs. */
async function client(nr: number, received: Received, isOver: () => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let n = nr; !isOver(); n += CLIENTS) {
    const geoid = geoids[n % geoids.length];
    const isPost = n % 3 === 0;
    const url = `https://${HOSTS.api}/v1/blocks/${isPost ? '' : `${geoid}/`}summary`;
    const body = isPost ? JSON.stringify({ origins: [geoid] }) : undefined;
    received.requests++;
    const response = await front.ask(url, headers, isPost ? 'POST' : 'GET', body).catch(String);
    if (typeof response === 'string') received.failures.push(response);
    else if (response.status !== 200) received.failures.push(`${response.status} ${response.body}`);
    else received.tokens += Number(response.headers['x-tokens-charged']);
    await pause(PAUSE_MS);
  }
}

/** The fronts, with the seconds for which servers announce their shutdown to each. */
const FRONTS = {
  nginx: {
    start: (one: string, other: string) => startNginxFront({ api: [one, other] }),
    drainSeconds: 0,
  },
  Varnish: { start: startVarnishFront, drainSeconds: 6 },
};

test.each(Object.keys(FRONTS) as (keyof typeof FRONTS)[])(
  'behind %s, rolling restarts lose no request, and charges match deliveries',
  async (name) => {
    const { drainSeconds } = FRONTS[name];
    const ports = [await freePort(), await freePort()];
    for (const port of ports) await start(port, drainSeconds);
    const [one, other] = ports.map((port) => servers.get(port)!.address);
    front = await FRONTS[name].start(one, other);
    const received: Received = { tokens: 0, requests: 0, failures: [] };
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, nr) => client(nr, received, () => isOver));
    try {
      for (const port of ports) {
        expect(await servers.get(port)!.stop()).toBe(0);
        await start(port, drainSeconds);
        await expect.poll(() => front.findsAllReady()).toBe(true);
      }
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    expect(received.failures.slice(0, 3), await front.errors()).toEqual([]);
    expect(received.requests).toBeGreaterThan(CLIENTS);
    const { used } = await withLedger(`${folder}/ledger`, (ledger) => totalsOf(ledger, account));
    expect(used).toBe(received.tokens);
  },
);
