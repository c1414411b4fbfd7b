import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { parse } from 'yaml';
import { BuildQueue } from '../../infra/build-queue/queue.ts';
import { queueMetrics } from '../../infra/build-queue/queue-metrics.ts';
import { type MetricsServer, serveMetrics } from '../../infra/observe/metrics-server.ts';
import { type PortalServing, servePortal } from '../../infra/portal.ts';
import { portalSettings } from '../../infra/settings/portal-server.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { type Inbox, openInbox, REFUSED } from '../support/inbox.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { linkedBlocks, type RunningService, runService } from '../support/running-service.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const ALERTS = path.resolve('infra/monitoring/alerts.yaml');

interface Alert {
  readonly alert: string;
  readonly expr: string;
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

beforeAll(async () => {
  await ensureDebianPackage('prometheus', 'promtool');
  alerts = parse(await readFile(ALERTS, 'utf8')).groups[0].rules;
  const { panels } = JSON.parse(await readFile('infra/monitoring/dashboard.json', 'utf8'));
  queries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '10s')),
  );
  service = await runService(inject('demoStore'), folder, { METRICS_PORT: '0' });
  inbox = await openInbox();
  const env = { LEDGER: `lmdb:${folder}/ledger`, PORTAL_PORT: '0', METRICS_PORT: '0' };
  const mail = { SMTP_URL: inbox.address, MAIL_FROM: 'no-reply@example.org', LOG_LEVEL: 'silent' };
  portal = await servePortal(portalSettings({}, '1.0.0', { ...env, ...mail }), service.ledger);
  redis = await startRedis();
  queue = await BuildQueue.open(redis.address());
  ofQueue = await serveMetrics(queueMetrics(queue), { port: 0, host: '127.0.0.1' });
  address = await startPrometheus({
    'travel-times': [service.metricsAddress!, portal.metricsAddress!],
    workers: [ofQueue.address],
  });
  const [first, second] = await linkedBlocks(service, 2);
  // Each part of the service has something to tell of.
  const use = async () => {
    for (const route of [`blocks/${first}/summary`, `blocks/${second}/pois`, 'health', 'nothing']) {
      await (await service.ask(`/v1/${route}`)).arrayBuffer();
    }
    const body = JSON.stringify({ origins: [first, second] });
    const headers = { 'content-type': 'application/json' };
    await (await service.ask('/v1/blocks/summary', { method: 'POST', body, headers })).text();
    const email = `${crypto.randomUUID()}@example.org`;
    await signUp(email);
    await inbox.next(email);
    const scrapes = await query('count_over_time(up[5m])');
    expect(scrapes.filter(({ value }) => Number(value[1]) >= 4)).toHaveLength(3);
  };
  await vi.waitFor(use, { timeout: 300_000, interval: 1_000 });
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

/** Answered before the mail is sent. */
function signUp(email: string): Promise<Response> {
  const body = JSON.stringify({ email });
  const headers = { 'content-type': 'application/json' };
  return fetch(`${portal.address}/auth/request`, { method: 'POST', body, headers });
}

/** A real Prometheus, which asks for these each second, by the job they are of. */
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
  const answer = await fetch(`${address}/api/v1/${route}`);
  const { status, data, error } = (await answer.json()) as {
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

/** The metrics that a query names: its words that are no function, keyword, label or duration. */
function metricsIn(promQl: string): string[] {
  const bare = promQl
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([word]) => word);
  return words.filter((word) => !['and', 'or', 'unless', 'bool', 'offset'].includes(word));
}

test('each query of the dashboard says something of a service that is used', async () => {
  expect(queries.length).toBeGreaterThan(30);
  const silent: string[] = [];
  for (const promQl of queries) {
    const series = await query(promQl);
    if (!series.some(({ value }) => Number.isFinite(Number(value[1])))) silent.push(promQl);
  }
  expect(silent).toEqual([]);
});

test('each metric that a query or an alert names is there', async () => {
  const known = new Set(await asked<string[]>('label/__name__/values'));
  const named = [...queries, ...alerts.map(({ expr }) => expr)].flatMap(metricsIn);
  expect(new Set(named).size).toBeGreaterThan(20);
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  // The check itself finds what is not there.
  expect(metricsIn('sum by (a) (rate(tta_none_total{b="c"}[5m])) / up > 1')).toEqual([
    'tta_none_total',
    'up',
  ]);
});

test('a service that is well raises no alert, and all of them can be worked out', async () => {
  const { groups } = await asked<{ groups: { rules: Record<string, string>[] }[] }>('rules');
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert));
  for (const { name, health, state, lastError } of rules) {
    expect({ name, health, state, lastError }).toEqual({ name, health: 'ok', state: 'inactive' });
  }
});

test('what is told agrees with the books, and no URL is a label', async () => {
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

test('a portal tells of mails that were sent, and of those that nobody took', async () => {
  const told = async () => {
    const text = await (await fetch(portal.metricsAddress!)).text();
    const value = (name: string) =>
      Number(new RegExp(`^${name}\\{kind="sign-in"\\} (\\d+)$`, 'm').exec(text)![1]);
    return [value('tta_mail_duration_seconds_count'), value('tta_mail_failures_total')];
  };
  const [tried, failed] = await told();
  await signUp('a@example.org');
  await inbox.next('a@example.org');
  await expect.poll(told).toEqual([tried + 1, failed]);
  await signUp(REFUSED);
  await expect.poll(told).toEqual([tried + 2, failed + 1]);
});

/** What has to be seen, a minute a value, for each alert to fire. */
const SEEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  InstanceDown: { 'up{job="travel-times", instance="a"}': '0x400' },
  ProcessesMissing: {
    'tta_processes_serving{instance="a"}': '3x400',
    'tta_processes_serving{instance="b"}': '4x400',
    'tta_processes_wanted{instance="a"}': '4x400',
    'tta_processes_wanted{instance="b"}': '4x400',
  },
  ErrorsHigh: {
    'tta_http_requests_total{route="r", status="200"}': '0+60x400',
    'tta_http_requests_total{route="r", status="503"}': '0+2x400',
  },
  StoreInTrouble: { 'tta_breaker_open{backend="store"}': '1x400' },
  LedgerInTrouble: { 'tta_ledger_failures_total{operation="admit"}': '0+60x400' },
  RefundsFail: { 'tta_ledger_failures_total{operation="refund"}': '0x380 1x20' },
  LedgerSlow: histogram('tta_ledger_duration_seconds', 'operation="debit"'),
  CommitsQueue: { 'tta_ledger_calls_under_way{instance="a", operation="debit"}': '600x400' },
  AnswersSlow: histogram(
    'tta_http_request_duration_seconds',
    'route="GET /v1/blocks/{geoid}/pois"',
  ),
  EventLoopLate: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.4x400' },
  RequestsShed: { tta_http_requests_shed_total: '0+6x400' },
  ReadersSlow: { tta_http_readers_ended_total: '0+60x400' },
  ReleaseHeld: { tta_release_refresh_failures: '0+1x400' },
  ReleasesDiffer: {
    'tta_release_info{release="a", instance="a"}': '1x400',
    'tta_release_info{release="b", instance="b"}': '1x400',
  },
  ReleaseOld: { tta_release_published_timestamp_seconds: '-20000000x400' },
  MailsFail: {
    'tta_mail_failures_total{kind="sign-in"}': '0+2x400',
    'tta_mail_duration_seconds_count{kind="sign-in"}': '0+3x400',
  },
  PaymentsFail: { tta_payment_failures_total: '0+1x400' },
  BuildFails: { 'tta_build_jobs{state="failed"}': '0x380 1x20' },
  BuildRetries: { 'tta_build_jobs{state="delayed"}': '0x340 1x60' },
  BuildStands: {
    'tta_build_jobs{state="active"}': '3x400',
    'tta_build_jobs{state="completed"}': '0+1x100 100x300',
  },
  BuildWithoutWorkers: { 'tta_build_jobs{state="waiting"}': '9x300' },
};

/** The same, where none may fire that a build which is well would set off. */
const WELL: Readonly<Record<string, string>> = {
  'tta_build_jobs{state="waiting"}': '9x380 0x20',
  'tta_build_jobs{state="active"}': '3x380 1x10',
  'tta_build_jobs{state="delayed"}': '0x350 1x10 0x40',
  'tta_build_jobs{state="failed"}': '2x400',
  'tta_build_jobs{state="completed"}': '0x100 1x100 2x100 3x100',
};

function histogram(name: string, label: string): Record<string, string> {
  return {
    [`${name}_bucket{${label}, le="0.1"}`]: '0x400',
    [`${name}_bucket{${label}, le="2.5"}`]: '0+60x400',
    [`${name}_bucket{${label}, le="+Inf"}`]: '0+60x400',
  };
}

test('each alert fires when what it tells of is seen', async () => {
  expect(Object.keys(SEEN)).toEqual(alerts.map(({ alert }) => alert));
  const tests = alerts.map(({ alert }) => ({
    interval: '1m',
    input_series: Object.entries(SEEN[alert]).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) > bool 0`,
        eval_time: '390m',
        exp_samples: [{ labels: '{}', value: 1 }],
      },
    ],
  }));
  await promtool(tests);
});

async function promtool(tests: readonly object[]): Promise<void> {
  const file = path.join(folder, 'alert-tests.json');
  await writeFile(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
  await promisify(execFile)('promtool', ['test', 'rules', file]);
}

test('a build that goes on, and one that has ended with its workers, raises no alert', async () => {
  const input_series = Object.entries(WELL).map(([series, values]) => ({ series, values }));
  const firing = {
    expr: 'count(ALERTS{alertname=~"Build.*", alertstate="firing"}) > bool 0',
    exp_samples: [],
  };
  const promql_expr_test = ['300m', '390m', '410m', '500m'].map((eval_time) => {
    return { ...firing, eval_time };
  });
  await promtool([{ interval: '1m', input_series, promql_expr_test }]);
});

test('the runbook has a section for each alert, and for nothing else', async () => {
  const text = await readFile('infra/monitoring/RUNBOOK.md', 'utf8');
  const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(alerts.map(({ alert }) => alert));
  const named = new Set([...text.matchAll(/`((?:tta|nodejs)_\w+)/g)].map(([, name]) => name));
  const known = new Set(await asked<string[]>('label/__name__/values'));
  const isKnown = (name: string) => known.has(name) || known.has(`${name}_count`);
  expect([...named].filter((name) => !isKnown(name))).toEqual([]);
});
