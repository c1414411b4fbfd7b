import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const ALERTS = path.resolve('infra/monitoring/alerts.yaml');
const folder = folderOfTests();
interface Rule {
  readonly alert: string;
  readonly expr: string;
}
let alerts: readonly Rule[];
beforeAll(async () => {
  await ensureDebianPackage('prometheus', 'promtool');
  alerts = parse(await readFile(ALERTS, 'utf8')).groups[0].rules;
});

/** Scraped series, one value per minute, in promtool's notation: `0+60x30` is 0, 60, … 1800. */
type Series = Readonly<Record<string, string>>;

/** An event in the service, and the alerts it fires. */
interface Case {
  readonly happens: string;
  /** Overrides the series of a healthy service. */
  readonly series: Series;
  /** The alerts that fire in the last minute, and no others. */
  readonly fires: readonly string[];
  /** Minutes evaluated. */
  readonly last: number;
  /** Minutes between evaluations. */
  readonly every: number;
}

const DAY = 24 * 60;
const LAST = 90;
/** Series of a constant value. */
const always = (value: number, last = LAST) => `${value}x${last}`;
/** A counter that grows at the given rate from beginning to end. */
const growing = (perMinute: number, last = LAST) => `0+${perMinute}x${last}`;
/** A counter that grows only for some minutes before the last one. */
const lately = (minutes: number, perMinute: number, rest = 0) => {
  const before = LAST - minutes;
  return `0+${rest}x${before} ${before * rest}+${perMinute}x${minutes}`;
};

const admissions = (outcome: string) => `tta_admissions_total{outcome="${outcome}"}`;
const fullness = (what: string) => `tta_ledger_used_ratio{of="${what}"}`;
const stores = 'tta_ledger_duration_seconds_count{operation="storeResponse"}';
const codes = (outcome: string) => `tta_sign_in_codes_total{outcome="${outcome}"}`;
const REFRESHED = 'kube_cronjob_status_last_successful_time{cronjob="refresh"}';
const CREATED = 'kube_cronjob_created{cronjob="refresh"}';
const SUMMARY = 'route="GET /v1/blocks/{geoid}/summary"';
const proxies = Array.from({ length: 20 }, (_, i) => `p${i}`);

/**
 * Series of twenty proxies and a portal, all healthy. A metric that is summed over the proxies has
 * one series for all.
 */
const well = (last: number): Series => ({
  ...Object.fromEntries(
    [...proxies, 'portal'].flatMap((one) => [
      [`up{job="travel-times", instance="${one}"}`, always(1, last)],
    ]),
  ),
  ...Object.fromEntries(
    proxies.flatMap((one) => [
      [`tta_release_info{release="a", instance="${one}"}`, always(1, last)],
      [`tta_release_refresh_failures{instance="${one}"}`, always(0, last)],
      [`tta_store_failures_total{kind="pois", instance="${one}"}`, always(0, last)],
      [damaged(one), always(0, last)],
      [`tta_store_duration_seconds_count{kind="pois", instance="${one}"}`, growing(60, last)],
      [`tta_ledger_failures_total{operation="debit", instance="${one}"}`, always(0, last)],
      [
        `tta_ledger_duration_seconds_count{operation="debit", instance="${one}"}`,
        growing(60, last),
      ],
    ]),
  ),
  'process_start_time_seconds{job="travel-times", instance="p0"}': always(1, last),
  'nodejs_eventloop_lag_p99_seconds{instance="p0"}': always(0.02, last),
  'tta_ledger_calls_under_way{operation="debit", instance="p0"}': always(3, last),
  'tta_ledger_failures_total{operation="refund", instance="p0"}': always(0, last),
  [`tta_http_requests_total{${SUMMARY}, status="200"}`]: growing(1_000, last),
  [`tta_http_requests_total{${SUMMARY}, status="503"}`]: always(0, last),
  [`tta_http_requests_total{${SUMMARY}, status="500"}`]: always(0, last),
  'tta_http_requests_total{route="POST /billing/webhook", status="503"}': always(0, last),
  'tta_http_requests_total{route="GET /v1/health", status="200"}': growing(12, last),
  tta_http_requests_shed_total: always(0, last),
  tta_http_readers_ended_total: always(0, last),
  ...histogram(
    'tta_ledger_duration_seconds',
    'operation="debit"',
    growing(60, last),
    growing(60, last),
  ),
  ...histogram('tta_http_request_duration_seconds', SUMMARY, growing(60, last), growing(60, last)),
  'tta_release_published_timestamp_seconds{instance="p0"}': always(-86_400, last),
  'tta_mail_failures_total{kind="sign-in"}': always(0, last),
  'tta_mail_duration_seconds_count{kind="sign-in"}': growing(2, last),
  tta_mail_addresses_refused_total: always(0, last),
  tta_mails_over_budget_total: always(0, last),
  tta_mails_per_hour: always(2_000, last),
  tta_signup_grants_per_day: always(100, last),
  'tta_signup_grants_total{outcome="given"}': `0+1x30 30x${last - 30}`,
  'tta_signup_grants_total{outcome="network"}': always(0, last),
  'tta_signup_grants_total{outcome="domain"}': always(0, last),
  tta_payment_failures_total: always(0, last),
  [admissions('admitted')]: growing(300, last),
  [admissions('invalid-key')]: growing(1, last),
  [fullness('memory')]: always(0.4, last),
  tta_ledger_log_failing: always(0, last),
  tta_responses_given_up_total: always(0, last),
  [stores]: growing(60, last),
  [codes('wrong')]: growing(0.05, last),
  [codes('refused')]: always(0, last),
  tta_build_takeovers: always(0, last),
});

/** Buckets of a histogram: requests under a tenth of a second, and all requests. */
function histogram(name: string, label: string, quick: string, all: string): Series {
  return {
    [`${name}_bucket{${label}, le="0.1"}`]: quick,
    [`${name}_bucket{${label}, le="2.5"}`]: all,
    [`${name}_bucket{${label}, le="+Inf"}`]: all,
  };
}

/** Series of the given number of proxies, from the first on. */
const of = (many: number, series: (proxy: string) => Series): Series =>
  Object.assign({}, ...proxies.slice(0, many).map(series));
/** Values of a series that has not been scraped for the given number of last minutes. */
const gone = (minutes: number, value = '1') => `${value}x${LAST - minutes} stale`;
const up = (proxy: string) => `up{job="travel-times", instance="${proxy}"}`;
const down = (minutes: number) => `1x${LAST - minutes} 0x${minutes}`;
const release = (proxy: string) => `tta_release_info{release="a", instance="${proxy}"}`;
const calls = (of: 'store' | 'ledger', proxy: string) => {
  const label = of === 'store' ? 'kind="pois"' : 'operation="debit"';
  return `tta_${of}_failures_total{${label}, instance="${proxy}"}`;
};
const damaged = (proxy: string) => `tta_store_damaged_total{kind="pois", instance="${proxy}"}`;
const answered = (status: number, route = SUMMARY) =>
  `tta_http_requests_total{${route}, status="${status}"}`;
const mails = (what: string) => `tta_mail_${what}{kind="sign-in"}`;
const grants = (outcome: string) => `tta_signup_grants_total{outcome="${outcome}"}`;
const jobs = (state: string) => `tta_build_jobs{state="${state}"}`;
/** The jobs of a build into another store, one of which is done each minute. */
const ofAnotherStore = (last: number): Series => ({
  'tta_build_jobs{queue="other",state="active"}': always(1, last),
  'tta_build_jobs{queue="other",state="completed"}': growing(1, last),
});

/** Series of more than `LAST` minutes: evaluations of every minute of a day take ten seconds. */
class Long {
  readonly last: number;
  readonly series: Series;
  readonly every: number;

  constructor(last: number, series: Series, every = 1) {
    this.last = last;
    this.series = series;
    this.every = every;
  }
}

/** Events that fire alerts, whose names are separated by spaces, by what happens. */
function firing(alerts: string, events: Readonly<Record<string, Series | Long>>): Case[] {
  const fires = alerts === '' ? [] : alerts.split(' ');
  return Object.entries(events).map(([happens, event]) => {
    const { last, series, every } = event instanceof Long ? event : new Long(LAST, event);
    return { happens, series, fires, last, every };
  });
}

const CASES: readonly Case[] = [
  ...firing('Watchdog', {
    nothing: {},
    'nothing, for a day and an hour': new Long(DAY + 60, {}, 15),
  }),

  // --- Servers ---
  ...firing('ApiGone', {
    'all proxies are gone, and their targets with them': of(20, (proxy) => ({
      [up(proxy)]: gone(4),
      [release(proxy)]: gone(4),
    })),
    'all proxies are there, and none answers': of(20, (proxy) => ({
      [up(proxy)]: down(9),
      [release(proxy)]: gone(9),
    })),
  }),
  ...firing('PortalGone', {
    'the portal is gone, and its target with it': {
      [up('portal')]: gone(9),
      tta_mails_per_hour: gone(9, '2000'),
    },
  }),
  ...firing('MostDown', {
    'eleven of twenty proxies cannot be scraped': of(11, (proxy) => ({ [up(proxy)]: down(8) })),
  }),
  ...firing('InstanceDown', {
    'ten of twenty proxies cannot be scraped': of(10, (proxy) => ({ [up(proxy)]: down(30) })),
    'one proxy of twenty stays away': of(1, (proxy) => ({ [up(proxy)]: down(20) })),
  }),
  ...firing('Restarting', {
    'a proxy begins again every ten minutes': {
      'process_start_time_seconds{job="travel-times", instance="p0"}': `0x${LAST - 60} 1x10 2x10 3x10 4x10 5x10 6x10`,
    },
    'a worker is killed every ten minutes, and started again': {
      'process_start_time_seconds{job="workers", instance="w0"}': `0x${LAST - 60} 1x10 2x10 3x10 4x10 5x10 6x10`,
    },
  }),
  ...firing('', {
    'the only proxy is started anew': of(20, (proxy) => ({
      [up(proxy)]: gone(1),
      [release(proxy)]: gone(1),
    })),
    'all but one of the proxies are gone': of(19, (proxy) => ({
      [up(proxy)]: gone(60),
      [release(proxy)]: gone(60),
    })),
    'the portal is started anew': {
      [up('portal')]: gone(4),
      tta_mails_per_hour: gone(4, '2000'),
    },
    'a portal is wanted no more, for two days': new Long(
      DAY + 65,
      { [up('portal')]: '1x60 stale', tta_mails_per_hour: '2000x60 stale' },
      5,
    ),
    'eleven of twenty proxies are started anew together': of(11, (proxy) => ({
      [up(proxy)]: down(3),
    })),
    'one proxy of twenty is started anew': of(1, (proxy) => ({ [up(proxy)]: down(10) })),
    'a proxy was begun again four times in some minutes, to be repaired': {
      'process_start_time_seconds{job="travel-times", instance="p0"}': `0x${LAST - 12} 1x2 2x2 3x2 4x6`,
    },
    'a roll-out, twice': of(20, (proxy) => ({
      [`process_start_time_seconds{job="travel-times", instance="${proxy}"}`]: `0x${LAST - 40} 1x20 2x20`,
    })),
  }),

  // --- Requests ---
  ...firing('NoTraffic', {
    'nobody gets through, though probes do': { [answered(200)]: lately(40, 0, 100) },
  }),
  ...firing('ErrorsHigh', {
    'one in fifty requests fails': { [answered(503)]: lately(20, 20) },
    'every request of a quiet service fails, beside many health probes': {
      [answered(200)]: always(0),
      [answered(200, 'route="GET /v1/health"')]: growing(2_000),
      [answered(503)]: growing(3),
    },
  }),
  ...firing('KeysRefused', {
    'the ledger is another one, and refuses the keys of all, but a new customer’s': new Long(
      DAY + 60,
      {
        [admissions('admitted')]: `0+300x${DAY} ${DAY * 300}+2x60`,
        [admissions('invalid-key')]: `0x${DAY} 0+298x60`,
      },
      5,
    ),
  }),
  ...firing('ProgramFaults', {
    'one request meets a fault of the program': { [answered(500)]: `0x${LAST - 5} 1x5` },
  }),
  ...firing('RequestsShed', {
    'one in ten requests is sent away, and nothing else fails': {
      tta_http_requests_shed_total: lately(20, 110),
      [answered(503)]: lately(20, 110),
    },
  }),
  ...firing('ReadersSlow', {
    'readers are ended all along': { tta_http_readers_ended_total: lately(40, 20) },
  }),
  ...firing('ResponsesSlow', {
    'responses take more than a second': histogram(
      'tta_http_request_duration_seconds',
      SUMMARY,
      always(0),
      growing(60),
    ),
  }),
  ...firing('EventLoopLate', {
    'the event loop of one proxy is late': {
      'nodejs_eventloop_lag_p99_seconds{instance="p0"}': `0.02x${LAST - 8} 0.4x8`,
    },
  }),
  ...firing('', {
    'nobody got through for half an hour, and now they do': {
      [answered(200)]: `0+1000x${LAST - 33} ${(LAST - 33) * 1000}x32 ${LAST * 1000}`,
    },
    'half an hour without a request, three minutes ago': { [answered(200)]: lately(33, 0, 1_000) },
    'a quiet quarter of an hour': { [answered(200)]: lately(15, 0, 1_000) },
    'a service that hardly anybody uses yet is not used for hours': {
      [answered(200)]: `0+60x50 3000x${LAST - 50}`,
    },
    'one in two hundred requests fails': { [answered(503)]: lately(60, 5) },
    'all fails for some seconds': { [answered(503)]: `0x${LAST - 4} 300x4` },
    'somebody sends events of payment where nothing is sold': {
      [answered(503, 'route="POST /billing/webhook"')]: lately(60, 6_000),
    },
    'balancers are told all day by one portal that it is not ready': {
      [answered(503, 'route="GET /ready"')]: growing(120),
    },
    'the ledger has been another one for some minutes, in a switch': new Long(
      DAY + 3,
      {
        [admissions('admitted')]: `0+300x${DAY} ${DAY * 300}+2x3`,
        [admissions('invalid-key')]: `0x${DAY} 0+298x3`,
      },
      3,
    ),
    'one customer repeats a revoked key all day, more than all others call': {
      [admissions('admitted')]: growing(100),
      [admissions('invalid-key')]: growing(300),
    },
    'customers leave at night, and mistype no key': {
      [admissions('admitted')]: lately(40, 1, 300),
    },
    'one request met a fault of the program an hour ago': {
      [answered(500)]: `0x${LAST - 60} 1x60`,
    },
    'one request is sent away': {
      tta_http_requests_shed_total: `0x${LAST - 3} 1x3`,
      [answered(503)]: `0x${LAST - 3} 1x3`,
    },
    'one in ten requests is sent away, for a minute': {
      tta_http_requests_shed_total: `0x${LAST - 4} 300x4`,
      [answered(503)]: `0x${LAST - 4} 300x4`,
    },
    'one in fifty requests is sent away all along': {
      tta_http_requests_shed_total: lately(60, 20),
      [answered(503)]: lately(60, 20),
    },
    'many readers are ended, for some minutes': { tta_http_readers_ended_total: lately(10, 20) },
    'some readers are ended': { tta_http_readers_ended_total: lately(40, 2) },
    'responses took more than a second, for five minutes': histogram(
      'tta_http_request_duration_seconds',
      SUMMARY,
      `0+60x${LAST - 5} ${(LAST - 5) * 60}x5`,
      growing(60),
    ),
    'responses take half a second': {
      ...histogram('tta_http_request_duration_seconds', SUMMARY, always(0), growing(60)),
      [`tta_http_request_duration_seconds_bucket{${SUMMARY}, le="0.5"}`]: growing(60),
    },
    'the event loop of one proxy is near to late, all along': {
      'nodejs_eventloop_lag_p99_seconds{instance="p0"}': always(0.15),
    },
    'the event loop of one proxy was late once': {
      'nodejs_eventloop_lag_p99_seconds{instance="p0"}': `0.02x${LAST - 3} 0.4x2 0.02`,
    },
  }),

  // --- Store and ledger ---
  ...firing('ErrorsHigh', {
    'the store was dead and is well again, and requests fail of another cause': {
      ...of(20, (proxy) => ({ [calls('store', proxy)]: `0x30 0+60x20 1200x${LAST - 51}` })),
      [answered(503)]: lately(60, 20),
    },
  }),
  ...firing('LedgerFilling', {
    'the memory of Redis is full to nine tenths': {
      [fullness('memory')]: `0.5x${LAST - 15} 0.9x15`,
    },
    'Redis cannot rewrite its append-only file': { tta_ledger_log_failing: `0x${LAST - 15} 1x15` },
  }),
  ...firing('LedgerFilling LedgerFull', {
    'the disk of the ledger is full': { [fullness('disk')]: `0.7x${LAST - 30} 0.99x30` },
  }),
  ...firing('ResponsesGivenUp', {
    'an account has more kept responses than it may, and half of what it stores is given up': {
      tta_responses_given_up_total: lately(80, 5),
      [stores]: growing(10),
    },
  }),
  ...firing('ObjectsFail', {
    'an object is missing, which is seldom asked for': { [calls('store', 'p0')]: lately(80, 0.3) },
    'an object is damaged, which is seldom asked for': { [damaged('p0')]: lately(80, 0.3) },
    'an object is damaged, which many ask for': { [damaged('p0')]: growing(60) },
  }),
  ...firing('RefundsFail', {
    'a refund fails': {
      'tta_ledger_failures_total{operation="refund", instance="p0"}': `0x${LAST - 5} 1x5`,
    },
  }),
  ...firing('LedgerSlow', {
    'debits take long': {
      ...histogram('tta_ledger_duration_seconds', 'operation="debit"', always(0), growing(60)),
      'tta_ledger_duration_seconds_bucket{operation="debit", le="0.5"}': growing(60),
    },
  }),
  ...firing('CommitsQueue', {
    'debits wait for their commits': {
      'tta_ledger_calls_under_way{operation="debit", instance="p0"}': `3x${LAST - 8} 600x8`,
    },
  }),
  ...firing('', {
    'the ledger is filled to three quarters, and once to nine tenths for some minutes': {
      [fullness('memory')]: `0.75x${LAST - 20} 0.9x5 0.75x15`,
    },
    'the responses of some odd batches are not kept, beside those of many': {
      tta_responses_given_up_total: lately(80, 5),
      [stores]: growing(100),
    },
    'a read fails every ten minutes': { [calls('store', 'p0')]: lately(80, 0.1) },
    'some reads failed, once': { [calls('store', 'p0')]: `0x${LAST - 20} 20x20` },
    'a refund failed an hour ago': {
      'tta_ledger_failures_total{operation="refund", instance="p0"}': `0x${LAST - 60} 1x60`,
    },
    'debits took long, for five minutes': histogram(
      'tta_ledger_duration_seconds',
      'operation="debit"',
      `0+60x${LAST - 5} ${(LAST - 5) * 60}x5`,
      growing(60),
    ),
    'many debits at once': {
      'tta_ledger_calls_under_way{operation="debit", instance="p0"}': `3x${LAST - 2} 600x2`,
    },
    'some debits wait all along': {
      'tta_ledger_calls_under_way{operation="debit", instance="p0"}': always(200),
    },
  }),
  ...(['store', 'ledger'] as const).flatMap((backend) => {
    const alert = backend === 'store' ? 'StoreInTrouble' : 'LedgerInTrouble';
    const of20 = (values: string) => of(20, (proxy) => ({ [calls(backend, proxy)]: values }));
    const of1 = (values: string) => of(1, (proxy) => ({ [calls(backend, proxy)]: values }));
    return [
      ...firing(alert, {
        [`one in five calls of the ${backend} fails, for ten minutes`]: of20(lately(10, 12)),
      }),
      ...firing('CutOff', {
        [`one proxy of twenty does not reach the ${backend}`]: of1(lately(25, 60)),
      }),
      ...firing(`CutOff ${backend === 'store' ? 'ObjectsFail ' : ''}${alert}`, {
        [`the ${backend} is dead, and every request fails with it, for an hour`]: {
          ...of20(lately(60, 60)),
          [answered(200)]: lately(60, 0, 1_000),
          [answered(503)]: lately(60, 1_000),
        },
      }),
      ...firing('', {
        [`the ${backend} fails over, within half a minute`]: of20(`0x${LAST - 2} 30x2`),
        [`the ${backend} failed over some minutes ago`]: of20(`0x${LAST - 6} 60x6`),
        [`one call in five of one proxy to the ${backend} fails`]: of1(lately(25, 12)),
        [`one proxy of twenty did not reach the ${backend} for ten minutes`]: of1(lately(10, 60)),
      }),
    ];
  }),

  // --- Releases ---
  ...firing('ReleaseHeld', {
    'a release that was promoted cannot be opened': of(20, (proxy) => ({
      [`tta_release_refresh_failures{instance="${proxy}"}`]: `0x${LAST - 20} 5+1x20`,
    })),
  }),
  ...firing('ReleasesDiffer', {
    'one proxy of twenty cannot open a release, and the others serve it': {
      'tta_release_refresh_failures{instance="p0"}': `0x${LAST - 20} 5+1x20`,
      ...of(20, (proxy) =>
        proxy === 'p0'
          ? {}
          : {
              [release(proxy)]: gone(20),
              [`tta_release_info{release="b", instance="${proxy}"}`]: `_x${LAST - 20} 1x20`,
            },
      ),
    },
  }),
  ...firing('RefreshStopped', {
    'the weekly refresh has failed twice': { [REFRESHED]: always(-16 * 86_400) },
    'the weekly refresh has not succeeded since it was set up, two weeks ago': {
      [CREATED]: always(-16 * 86_400),
    },
  }),
  ...firing('ReleaseOld', {
    'no release for four months and a week': {
      'tta_release_published_timestamp_seconds{instance="p0"}': always(-127 * 86_400),
    },
  }),
  ...firing('ReleaseOld ReleaseOverdue', {
    'no release for seven months': {
      'tta_release_published_timestamp_seconds{instance="p0"}': always(-210 * 86_400),
    },
  }),
  ...firing('', {
    'a release cannot be opened for some minutes': of(20, (proxy) => ({
      [`tta_release_refresh_failures{instance="${proxy}"}`]: `0x${LAST - 5} 5+1x5`,
    })),
    'four looks for a release fail, everywhere': of(20, (proxy) => ({
      [`tta_release_refresh_failures{instance="${proxy}"}`]: `0x${LAST - 20} 4x20`,
    })),
    'four proxies of twenty cannot open a release that the others serve too': of(4, (proxy) => ({
      [`tta_release_refresh_failures{instance="${proxy}"}`]: `0x${LAST - 20} 5+1x20`,
    })),
    'a release is promoted': of(10, (proxy) => ({
      [release(proxy)]: gone(2),
      [`tta_release_info{release="b", instance="${proxy}"}`]: `_x${LAST - 2} 1x2`,
    })),
    'the weekly refresh has failed once': { [REFRESHED]: always(-14 * 86_400) },
    'a weekly refresh that was set up long ago has succeeded this week': {
      [CREATED]: always(-300 * 86_400),
      [REFRESHED]: always(-4 * 86_400),
    },
    'no release for three months': {
      'tta_release_published_timestamp_seconds{instance="p0"}': always(-90 * 86_400),
    },
  }),

  // --- Mails, sign-ups, payment ---
  ...firing('MailsFail', {
    'the mail server is away': { [mails('failures_total')]: lately(25, 2) },
  }),
  ...firing('AddressesRefused', {
    'the mail server takes no mail for anybody, for hours': {
      tta_mail_addresses_refused_total: lately(75, 2),
    },
  }),
  ...firing('MailBudgetLow', {
    'nine in ten mails of the hour are sent': { [mails('duration_seconds_count')]: lately(70, 30) },
  }),
  ...firing('MailBudgetUsedUp', {
    'the mails of the hour are used up for half an hour': {
      tta_mails_over_budget_total: lately(40, 5),
    },
  }),
  ...firing('WrongCodes', {
    'wrong codes are tried by many networks, more than half of what they may': {
      [codes('wrong')]: lately(60, 3),
    },
    'codes are refused, since the tries are used up': {
      [codes('wrong')]: always(250),
      [codes('refused')]: lately(10, 5),
    },
  }),
  ...firing('SignupGrantsHigh', {
    'nine in ten sign-up grants of the day are given': { [grants('given')]: lately(85, 1) },
  }),
  ...firing('SignupGrantsWithheld', {
    'one network makes an account a minute': { [grants('network')]: lately(60, 1) },
    'addresses of one domain make an account a minute': { [grants('domain')]: lately(60, 1) },
  }),
  ...firing('PaymentsFail', {
    'Stripe is out for an hour and more': { tta_payment_failures_total: lately(70, 0.2) },
  }),
  ...firing('', {
    'the two mails of the night are not handed on': {
      [mails('failures_total')]: `0x${LAST - 8} 2x8`,
      [mails('duration_seconds_count')]: `0x${LAST - 8} 2x8`,
    },
    'the mail server is away for ten minutes': { [mails('failures_total')]: lately(10, 2) },
    'one mail in four is not handed on': { [mails('failures_total')]: lately(60, 0.5) },
    'one mail in ten is not handed on': { [mails('failures_total')]: lately(60, 0.2) },
    'somebody has mails sent to addresses that there are not, as many as one may': {
      tta_mail_addresses_refused_total: lately(20, 3),
      [mails('duration_seconds_count')]: lately(20, 3),
    },
    'all of few addresses are refused': {
      tta_mail_addresses_refused_total: lately(75, 0.2),
      [mails('duration_seconds_count')]: lately(75, 0.2),
    },
    'three in ten addresses are refused': { tta_mail_addresses_refused_total: lately(75, 0.6) },
    'half of the mails of the hour are sent': { [mails('duration_seconds_count')]: lately(70, 16) },
    'the mails of the hour are used up for its last minutes': {
      tta_mails_over_budget_total: lately(10, 5),
    },
    'people mistype their codes, as they do': {
      [codes('wrong')]: lately(80, 0.5),
      [codes('refused')]: lately(30, 0.2),
    },
    'half of the sign-up grants of the day are given': { [grants('given')]: lately(50, 1) },
    'a class of thirty signs up at once, from one network': {
      [grants('network')]: `0x${LAST - 30} 20x30`,
    },
    'Stripe is out for a minute': { tta_payment_failures_total: `0x${LAST - 14} 6x14` },
  }),

  // --- Builds ---
  ...firing('BuildFails', {
    'a job of a build fails for good': { [jobs('failed')]: `0x${LAST - 20} 3x20` },
    'the only worker of a build ends when it fails, after one scrape that shows it': {
      [jobs('active')]: '1x50 0 stale',
      [jobs('failed')]: '0x50 3 stale',
    },
    'a worker starts after a build has failed': { [jobs('failed')]: `_x${LAST - 6} 1x6` },
  }),
  ...firing('BuildRetries', {
    'a job is tried again for more than half an hour': { [jobs('delayed')]: `0x${LAST - 40} 1x40` },
    'a job is tried every six minutes, and fails within one each time': {
      [jobs('delayed')]: `0x${LAST - 60} ${'1x4 0x0 '.repeat(10)}`,
    },
  }),
  ...firing('WorkersKilled', {
    'workers are killed for memory at the same job, one after the other, for hours': new Long(300, {
      tta_build_takeovers: '0x100 1x40 2x160',
    }),
  }),
  ...firing('BuildStands', {
    'no job of a build is done for hours': new Long(300, {
      [jobs('active')]: always(3, 300),
      [jobs('completed')]: '0+1x20 20x280',
    }),
    'no job of a build is done for hours, beside a build into another store that goes on': new Long(
      300,
      {
        [jobs('active')]: always(3, 300),
        [jobs('completed')]: '0+1x20 20x280',
        ...ofAnotherStore(300),
      },
    ),
  }),
  ...firing('BuildWithoutWorkers', {
    'the workers of a build are lost, beside those of another store': {
      [jobs('waiting')]: gone(15, '9'),
      [jobs('active')]: gone(15, '1'),
      [jobs('completed')]: gone(15, '3'),
      [jobs('delayed')]: gone(15, '0'),
      [jobs('failed')]: gone(15, '0'),
      ...ofAnotherStore(LAST),
    },
    'the workers of a build are lost, while jobs wait': {
      [jobs('waiting')]: gone(15, '9'),
      [jobs('active')]: gone(15, '1'),
    },
    'the workers of a build are lost, at its last jobs': {
      [jobs('waiting')]: gone(15, '0'),
      [jobs('active')]: gone(15, '3'),
    },
  }),
  ...firing('', {
    'a build goes on, and retries what failed in passing': {
      [jobs('waiting')]: `9x${LAST - 20} 0x20`,
      [jobs('active')]: `3x${LAST - 20} 1x20`,
      [jobs('delayed')]: `0x${LAST - 20} 1x20`,
      [jobs('failed')]: always(0),
      [jobs('completed')]: growing(0.1),
    },
    'a build has succeeded since one failed': { [jobs('failed')]: '1x20 0x70' },
    'a machine that ran a job is taken away': { tta_build_takeovers: `0x${LAST - 60} 1x60` },
    'a job of a build takes three hours': new Long(300, {
      [jobs('active')]: always(3, 300),
      [jobs('completed')]: '0+1x120 120x180',
    }),
    'the workers of a build are started anew': {
      [jobs('waiting')]: gone(5, '9'),
      [jobs('active')]: gone(5, '3'),
    },
    'workers have nothing to do for hours': new Long(300, {
      [jobs('waiting')]: always(0, 300),
      [jobs('active')]: always(0, 300),
      [jobs('completed')]: always(20, 300),
    }),
    'a build has ended, and its workers with it': new Long(200, {
      [jobs('waiting')]: '9x10 0x15 stale',
      [jobs('active')]: '3x10 1x15 stale',
      [jobs('completed')]: '0+1x25 stale',
    }),
  }),
];

describe('alerts', () => {
  /** The output of promtool for each case. */
  let verdicts: readonly string[];
  beforeAll(async () => {
    const files = await Promise.all(CASES.map(written));
    // Names of files are on standard output, and failures of a file on standard error.
    const args = ['-c', 'promtool test rules "$@" 2>&1', 'sh', ...files];
    // Garbage of the short evaluations would be a quarter of the time.
    const env = { ...process.env, GOGC: '800' };
    const { stdout } = await promisify(execFile)('sh', args, { env }).catch(
      (failure: { stdout: string }) => failure,
    );
    const parts = stdout.split('Unit Testing:').map((part) => part.trim());
    verdicts = files.map((file) => {
      const own = parts.find((part) => part.startsWith(file));
      return own?.slice(file.length).trim() ?? stdout;
    });
  });

  test.each(CASES.map(({ happens }, i) => [happens, i] as const))('%s', (_, i) => {
    expect(verdicts[i]).toBe('SUCCESS');
  });
});

/**
 * Whether a rule reads a metric among the series. A rule that reads no metric changed by a case is
 * evaluated as for a healthy service, so it is left out: evaluating rules takes most of the time.
 */
function readsAny(series: Series): (rule: Rule) => boolean {
  const metrics = Object.keys(series).map((name) => name.replace(/\{.*/, ''));
  const any = new RegExp(`\\b(${[...new Set(metrics)].join('|')})\\b`);
  return ({ expr }) => any.test(expr);
}

/** Writes a case in the form of promtool, and returns its file. */
async function written({ series, fires, last, every }: Case): Promise<string> {
  const rules = Object.keys(series).length === 0 ? alerts : alerts.filter(readsAny(series));
  const read = Object.entries({ ...well(last), ...series }).filter(([name]) =>
    rules.some(readsAny({ [name]: '' })),
  );
  const file = path.join(folder, `${crypto.randomUUID()}.json`);
  const rulesFile = `${file}.rules.json`;
  await writeFile(rulesFile, JSON.stringify({ groups: [{ name: 'read', rules }] }));
  const unit = {
    interval: '1m',
    input_series: read.map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"}) > bool 0',
        eval_time: `${last}m`,
        exp_samples: fires.map((alertname) => ({
          labels: `{alertname="${alertname}"}`,
          value: 1,
        })),
      },
    ],
  };
  const tests = { rule_files: [rulesFile], evaluation_interval: `${every}m`, tests: [unit] };
  await writeFile(file, JSON.stringify(tests));
  return file;
}

test('each alert has a case that fires it', () => {
  const fired = new Set(CASES.flatMap(({ fires }) => fires));
  expect([...fired].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});
