import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_DEFAULTS } from '../../../infra/settings/both-servers.ts';
import { mintApiKey } from '../../../proxy/ledger/api-key.ts';
import { FolderStore } from '../../../shards/store/folder-store.ts';
import { residentMemory } from '../../bench/resident-memory.ts';
import { startService } from '../../bench/service.ts';
import { type PathsOf, ROUTES, someBlocks } from '../../bench/targets.ts';
import {
  type AccountTotals,
  openCustomer,
  totalsOf,
  withLedger,
} from '../../support/account-totals.ts';
import { releaseIn } from '../../support/release-in.ts';
import { HOSTILE_ACCOUNTS, type HostileAccount, LARGEST } from './attacks.ts';
import type { HonestOrders, HonestReport } from './honest-client.ts';
import type { HostileOrders, HostileReport } from './hostile-client.ts';

export type Who = 'honest' | HostileAccount;

/** The outcome of an hour. */
export interface HourReport {
  /** The honest client's first requests to a freshly started service. */
  readonly begun: HonestReport;
  /** The honest client alone with the service: the machine's baseline. */
  readonly idle: HonestReport;
  /** The honest client alongside the hostile one. */
  readonly beside: HonestReport;
  readonly hostile: HostileReport;
  /** The service's peak memory, and its intended limit. */
  readonly peakMb: number;
  readonly maxMb: number;
  /** Number of files that the service had open before the attacks, and soon after them. */
  readonly files: { readonly before: number; readonly after: number };
  /** The books of every account, once the service has closed. */
  readonly books: Readonly<Record<Who, AccountTotals>>;
  /** The large batch that attackers repeat, as the honest client once received it. */
  readonly largest: Batch;
}

/** As many concurrent connections as a hostile client may have. */
const CONNECTIONS = 64;
/** Warm-up, since the first requests load and compile code and do not measure the machine. */
const BEGIN_SECONDS = 1;
const IDLE_SECONDS = 3;
const REQUESTS_PER_SECOND = 50;
const BATCH_ORIGINS = 250;
const TOKENS = 1e12;
const SETTLED_MS = 2_000;

const MEBIBYTE = 2 ** 20;
const CACHES_MB = { CACHE_BYTES: 128 };
/** Responses waiting for their readers, the service's default. */
const WAITING_MB = 128;
/** The process's allowance for everything else. */
const BESIDE_MB = 250;
const MAX_MB = CACHES_MB.CACHE_BYTES + WAITING_MB + BESIDE_MB;

/** How an hour is run. */
interface HourOptions {
  readonly perMinute: number;
  /** This folder's compiled output. */
  readonly programs: string;
  /**
   * Length of the hour, which is measured by abuse, not by the clock: each attack is made at least
   * twice.
   */
  readonly seconds: number;
  /** Priority of the hostile client, if not this process's. */
  readonly priority?: number;
}

/**
 * Runs a hostile client alongside an honest one; the service and both clients are separate
 * processes.
 */
export async function runHour(
  store: string,
  ledger: string,
  { perMinute, programs, seconds, priority }: HourOptions,
): Promise<HourReport> {
  const { prey, paths } = await knownToAll(store);
  const { accounts, keys } = await openAll(ledger);
  const service = await startService(store, ledger, {
    RATE_LIMIT_PER_MINUTE: String(perMinute),
    // Test runners set their own values of these.
    BASE_URL: 'http://service.example',
    SHED_AT_LAG_MS: String(API_DEFAULTS.shedAtLagMs),
    ...Object.fromEntries(Object.entries(CACHES_MB).map(([k, mb]) => [k, String(mb * MEBIBYTE)])),
  });
  const { address, pid } = service;
  let report: Omit<HourReport, 'books'>;
  try {
    const honest = (duration: number) =>
      runProgram<HonestOrders, HonestReport>(path.join(programs, 'honest-client.js'), {
        address,
        paths,
        seconds: duration,
        key: keys.honest,
        requestsPerSecond: REQUESTS_PER_SECOND,
      });
    const begun = await honest(BEGIN_SECONDS);
    const idle = await honest(IDLE_SECONDS);
    const largest = await askForLargest(address, keys.honest, prey.geoids);
    const before = await openFiles(pid);
    const [beside, hostile] = await Promise.all([
      honest(seconds),
      runProgram<HostileOrders, HostileReport>(path.join(programs, 'hostile-client.js'), {
        ...prey,
        keys,
        port: Number(new URL(address).port),
        connections: CONNECTIONS,
        seconds,
        priority,
      }),
    ]);
    const peakMb = await residentMemory(pid, 'VmHWM');
    await sleep(SETTLED_MS);
    const files = { before, after: await openFiles(pid) };
    report = { begun, idle, beside, hostile, peakMb, maxMb: MAX_MB, files, largest };
  } finally {
    await service.stop();
  }
  const books: Partial<Record<Who, AccountTotals>> = {};
  await withLedger(ledger, async (open) => {
    for (const who of WHO) books[who] = await totalsOf(open, accounts[who]);
  });
  return { ...report, books: books as Record<Who, AccountTotals> };
}

const WHO = ['honest', ...HOSTILE_ACCOUNTS] as const;

/** Cost and length of the largest batch. */
export interface Batch {
  readonly tokens: number;
  readonly bytes: number;
}

async function askForLargest(
  address: string,
  key: string,
  geoids: readonly string[],
): Promise<Batch> {
  const response = await fetch(address + LARGEST, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify({ origins: geoids }),
  });
  const { byteLength } = await response.arrayBuffer();
  return { tokens: Number(response.headers.get('x-tokens-charged')), bytes: byteLength };
}

async function openAll(ledgerFolder: string) {
  return withLedger(ledgerFolder, async (ledger) => {
    const accounts: Partial<Record<Who, string>> = {};
    const keys: Partial<Record<Who, string>> = {};
    for (const who of WHO) {
      const { account, key } = await openCustomer(ledger, { tokens: TOKENS });
      accounts[who] = account;
      keys[who] = key;
    }
    return { accounts: accounts as Record<Who, string>, keys: keys as Record<Who, string> };
  });
}

/** The honest client's requests, and the attackers' knowledge. */
async function knownToAll(storeFolder: string) {
  const store = new FolderStore(storeFolder);
  const release = await releaseIn(store);
  const pathsBy = (pathsOf: PathsOf) => pathsOf({ release, places: [], address: '', key: '' });
  const [summaries, pois, searches] = await Promise.all(
    [ROUTES.block_summary, ROUTES.block_pois, ROUTES.poi_search].map(pathsBy),
  );
  const geoids = await someBlocks(release, BATCH_ORIGINS);
  await store.close();
  const paths = summaries.flatMap((summary, i) => {
    return [summary, pois[i], summary, searches[i], i % 5 === 0 ? '/v1/places?q=port' : pois[i]];
  });
  return { prey: { unknownKey: mintApiKey(), geoids }, paths };
}

/** Runs a program in a separate process that receives orders and sends reports. */
async function runProgram<Orders extends object, Report>(
  program: string,
  orders: Orders,
): Promise<Report> {
  const child = fork(program);
  child.send(orders);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${program} ended (${code}) without a report`);
  });
  const [report] = await Promise.race([once(child, 'message'), ended]);
  return report;
}

async function openFiles(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
