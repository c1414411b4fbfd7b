import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { parse } from 'yaml';
import { BuildQueue } from '../../infra/build-queue/queue.ts';
import { queueMetrics } from '../../infra/build-queue/queue-metrics.ts';
import { type MetricsServer, serveMetrics } from '../../infra/observe/metrics-server.ts';
import { type PortalServing, servePortal } from '../../infra/portal.ts';
import { portalSchema, portalSettings } from '../../infra/settings/portal-server.ts';
import { readSettings } from '../../infra/settings/read-settings.ts';
import { PROBLEM_TYPES } from '../../proxy/http/problem-types.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { FAILING, type Inbox, openInbox, REFUSED } from '../support/inbox.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { linkedBlocks, type RunningService, runService } from '../support/running-service.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const ALERTS = path.resolve('infra/monitoring/alerts.yaml');
/** How long a busy machine may take until all metrics of a service in use are scraped. */
const SCRAPED_WITHIN_MS = 300_000;

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

const folder = folderOfTests();
let alerts: Alert[];
let queries: string[];
let service: RunningService;
let portal: PortalServing;
let inbox: Inbox;
let redis: RedisServer;
let queue: BuildQueue;
let ofQueue: MetricsServer;
let prometheus: ChildProcess;
let address: string;
/** Blocks in the order in which they are used. */
let blocks: string[];

beforeAll(async () => {
  await ensureDebianPackage('prometheus', 'promtool');
  alerts = parse(await readFile(ALERTS, 'utf8')).groups[0].rules;
  const { panels } = JSON.parse(await readFile('infra/monitoring/dashboard.json', 'utf8'));
  // From one use to the next, a busy machine may take many seconds.
  queries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
  );
  service = await runService(inject('demoStore'), folder, { METRICS_PORT: '0' });
  inbox = await openInbox();
  const env = { LEDGER: `sqlite:${folder}/ledger`, PORTAL_PORT: '0', METRICS_PORT: '0' };
  const mail = { SMTP_URL: inbox.address, MAIL_FROM: 'no-reply@example.org', LOG_LEVEL: 'silent' };
  const set = readSettings(portalSchema, {}, { ...env, ...mail });
  portal = await servePortal(portalSettings(set, '1.0.0'), service.ledger);
  redis = await startRedis();
  queue = await BuildQueue.open(redis.address(), new FolderStore(folder));
  ofQueue = await serveMetrics(queueMetrics(queue), { port: 0, host: '127.0.0.1' });
  address = await startPrometheus({
    'travel-times': [service.metricsAddress!, portal.metricsAddress!],
    workers: [ofQueue.address],
  });
  blocks = await linkedBlocks(service, 200);
  const useUntilScraped = async () => {
    await use();
    const scrapes = await query('count_over_time(up[5m])');
    expect(scrapes.filter(({ value }) => Number(value[1]) >= 4)).toHaveLength(3);
  };
  await vi.waitFor(useUntilScraped, { timeout: SCRAPED_WITHIN_MS, interval: 1_000 });
});
afterAll(async () => {
  await portal?.close();
  await inbox?.close();
  await service?.close();
  await ofQueue?.close();
  await queue?.close();
  await redis?.stop();
  if (prometheus?.kill('SIGKILL')) await once(prometheus, 'exit');
});

/** Makes each part of the service report metrics; each time with blocks that no cache has. */
async function use(): Promise<void> {
  const [first, second] = blocks.splice(0, 2);
  blocks.push(first, second);
  for (const route of [`blocks/${first}/summary`, `blocks/${second}/pois`, 'health', 'nothing']) {
    await (await service.ask(`/v1/${route}`)).arrayBuffer();
  }
  const body = JSON.stringify({ origins: [first, second] });
  const headers = { 'content-type': 'application/json' };
  await (await service.ask('/v1/blocks/summary', { method: 'POST', body, headers })).text();
  const email = `${crypto.randomUUID()}@example.org`;
  await signUp(email);
  await inbox.next(email);
}

/** Requests a sign-in mail; the response arrives before the mail is sent. */
function signUp(email: string): Promise<Response> {
  const body = JSON.stringify({ email });
  const headers = { 'content-type': 'application/json' };
  return fetch(`${portal.address}/auth/request`, { method: 'POST', body, headers });
}

/** Starts a real Prometheus that scrapes the given addresses, by job, once per second. */
async function startPrometheus(jobs: Record<string, readonly string[]>): Promise<string> {
  const config = path.join(folder, 'prometheus.json');
  const scraped = Object.entries(jobs).map(([job_name, addresses]) => {
    return { job_name, static_configs: [{ targets: addresses.map((at) => new URL(at).host) }] };
  });
  const all = { global: { scrape_interval: '1s', evaluation_interval: '1s' } };
  await writeFile(
    config,
    JSON.stringify({ ...all, rule_files: [ALERTS], scrape_configs: scraped }),
  );
  const port = await freePort();
  const where = [`--storage.tsdb.path=${folder}/tsdb`, `--web.listen-address=127.0.0.1:${port}`];
  prometheus = spawn('prometheus', [`--config.file=${config}`, ...where, '--log.level=error']);
  return `http://127.0.0.1:${port}`;
}

async function asked<T>(route: string): Promise<T> {
  const response = await fetch(`${address}/api/v1/${route}`);
  const { status, data, error } = (await response.json()) as {
    status: string;
    data: T;
    error?: string;
  };
  expect([route, status, error]).toEqual([route, 'success', undefined]);
  return data;
}

async function query(promQl: string): Promise<Series[]> {
  const { result } = await asked<{ result: Series[] }>(`query?query=${encodeURIComponent(promQl)}`);
  return result;
}

/** The metrics that a query names: its words except functions, keywords, labels and durations. */
function metricsIn(promQl: string): string[] {
  const bare = promQl
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([word]) => word);
  return words.filter((word) => !['and', 'or', 'unless', 'bool', 'offset'].includes(word));
}

test('each query of the dashboard returns data for a service in use', async () => {
  expect(queries.length).toBeGreaterThan(30);
  let silent = queries;
  // On a busy machine, scrapes time out, and a rate needs two of them with use in between.
  const stillSilent = async () => {
    await use();
    const left: string[] = [];
    for (const promQl of silent) {
      const series = await query(promQl);
      if (!series.some(({ value }) => Number.isFinite(Number(value[1])))) left.push(promQl);
    }
    silent = left;
    return silent;
  };
  await expect.poll(stillSilent, { timeout: SCRAPED_WITHIN_MS, interval: 1_000 }).toEqual([]);
});

test('each metric named in a query or an alert exists', async () => {
  const known = new Set(await asked<string[]>('label/__name__/values'));
  // Exposed by kube-state-metrics of a cluster.
  for (const one of ['status_last_successful_time', 'created']) known.add(`kube_cronjob_${one}`);
  const named = [...queries, ...alerts.map(({ expr }) => expr)].flatMap(metricsIn);
  expect(new Set(named).size).toBeGreaterThan(20);
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  // `metricsIn` finds the names of nonexistent metrics too, so the check detects them.
  expect(metricsIn('sum by (a) (rate(tta_none_total{b="c"}[5m])) / up > 1')).toEqual([
    'tta_none_total',
    'up',
  ]);
});

test('a healthy service raises no alert, and all alerts can be evaluated', async () => {
  const { groups } = await asked<{ groups: { rules: Record<string, string>[] }[] }>('rules');
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert));
  for (const { name, health, state, lastError } of rules) {
    expect({ name, health, lastError }).toEqual({ name, health: 'ok' });
    // On a busy machine, an event loop may be late for a moment. One alert always fires, as a
    // sign of life.
    const silent = name === 'Watchdog' ? 'firing' : expect.stringMatching(/^(inactive|pending)$/);
    expect([name, state]).toEqual([name, silent]);
  }
});

test('metrics agree with the books, and no URL is a label', async () => {
  const text = await (await fetch(service.metricsAddress!)).text();
  const [day] = await service.ledger.usage(service.account);
  const sum = (metric: string) =>
    [...text.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  const used = (await service.ledger.usage(service.account)).reduce(
    (n, { tokens }) => n + tokens,
    0,
  );
  expect(day.tokens).toBeGreaterThan(0);
  expect(sum('tta_tokens_charged_total')).toBe(used);
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
  expect([...routes].filter((route) => /\d{5}|\?|:/.test(route))).toEqual([]);
  expect(routes).toContain('GET /v1/blocks/{geoid}/summary');
  expect(routes).toContain('unmatched');
  expect((await fetch(service.metricsAddress!.replace('/metrics', '/'))).status).toBe(404);
});

test('a portal counts mails sent, and mails that were not accepted', async () => {
  const reported = async () => {
    const text = await (await fetch(portal.metricsAddress!)).text();
    const value = (name: string) =>
      Number(new RegExp(`^${name}(?:\\{kind="sign-in"\\})? (\\d+)$`, 'm').exec(text)![1]);
    return [
      value('tta_mail_duration_seconds_count'),
      value('tta_mail_failures_total'),
      value('tta_mail_addresses_refused_total'),
    ];
  };
  const [tried, failed, refused] = await reported();
  await signUp('a@example.org');
  await inbox.next('a@example.org');
  await expect.poll(reported).toEqual([tried + 1, failed, refused]);
  // Any client can request a mail to a nonexistent address, so a refused address is not a failure.
  await signUp(REFUSED);
  await expect.poll(reported).toEqual([tried + 2, failed, refused + 1]);
  await signUp(FAILING);
  await expect.poll(reported).toEqual([tried + 3, failed + 1, refused + 1]);
});

/** Returns the names in the runbook: the matches of a pattern in its code spans. */
async function namedInRunbook(pattern: RegExp): Promise<Set<string>> {
  const text = await readFile('infra/monitoring/RUNBOOK.md', 'utf8');
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, one]) => one);
  return new Set(code.flatMap((one) => [...one.matchAll(pattern)].map(([, name]) => name)));
}

test('each query of the runbook can be evaluated', async () => {
  const written = await namedInRunbook(/^((?:sum|count) by .+)$/g);
  expect(written.size).toBeGreaterThan(5);
  for (const promQl of written) expect(await query(promQl)).toBeInstanceOf(Array);
});

test('the runbook has a section for each alert, and no others', async () => {
  const text = await readFile('infra/monitoring/RUNBOOK.md', 'utf8');
  const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(alerts.map(({ alert }) => alert));
});

test('the runbook names existing metrics, settings, problems and alerts only', async () => {
  const known = new Set(await asked<string[]>('label/__name__/values'));
  const isKnown = (name: string) => known.has(name) || known.has(`${name}_count`);
  const metrics = await namedInRunbook(/\b((?:tta|nodejs|process)_\w+)/g);
  expect(metrics.size).toBeGreaterThan(20);
  expect([...metrics].filter((name) => !isKnown(name))).toEqual([]);

  // Variables that libraries read are documented for operators.
  const documents = ['infra/settings/SETTINGS.md', 'infra/docs/operating.md'];
  const texts = await Promise.all(documents.map((file) => readFile(file, 'utf8')));
  const words = [...texts.join().matchAll(/\b([A-Z][A-Z0-9_]+)\b/g)].map(([name]) => name);
  const settings = new Set(words);
  const named = await namedInRunbook(/^([A-Z]+(?:_[A-Z]+)+)(?:=\d+)?$/g);
  expect(named.size).toBeGreaterThan(8);
  expect([...named].filter((name) => !settings.has(name))).toEqual([]);

  const slugs = await namedInRunbook(/^([a-z]+-[a-z-]+)$/g);
  slugs.delete('travel-times');
  expect([...slugs].filter((slug) => !(slug in PROBLEM_TYPES))).toEqual([]);

  const text = await readFile('infra/monitoring/RUNBOOK.md', 'utf8');
  const names = alerts.map(({ alert }) => alert);
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((one) => [one.slice(0, one.indexOf('\n')), one]),
  );
  const led = [...text.matchAll(/[Ss]ee ((?:[A-Z][a-z]+){2,})/g)].map(([, name]) => name);
  expect(led.filter((name) => !names.includes(name))).toEqual([]);
  for (const { alert, labels } of alerts) {
    const section = sections.get(alert)!;
    expect([alert, /^\w+\n\nPage\. /.test(section)]).toEqual([alert, labels.severity === 'page']);
    expect([alert, section]).toEqual([alert, expect.stringMatching(/^See( and do)?: /m)]);
    expect([alert, section]).toEqual([alert, expect.stringMatching(/^(Do|See and do): /m)]);
  }
});
