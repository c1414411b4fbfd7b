import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { ProxyConfigInput } from '../../proxy/config.ts';
import type { Bytes } from '../../shards/units.ts';
import { API_DEFAULTS, BOTH, count } from './both-servers.ts';
import { METRICS_PORT, port } from './listening.ts';
import { STORE } from './locations.ts';
import { type Environment, type Flags, readSettings } from './read-settings.ts';
import { setting } from './setting.ts';
import { integerSetting, secretsSetting, sizeSetting } from './setting-types.ts';

/** How to serve the API: what flags and the environment say, checked. */
export interface ServeSettings {
  readonly store: string;
  readonly ledger: string;
  readonly port: number;
  readonly host: string;
  readonly rateLimitPerMinute: number;
  /** Memory for what is kept: parts of releases, and finished answers. */
  readonly cacheBytes: Bytes;
  /** How often it is looked whether another release is in force. */
  readonly releasePollMs: number;
  /** Where metrics are told, on the same address; null: nowhere. */
  readonly metricsPort: number | null;
  /** How long it says that it is not ready before it lets nobody new in. */
  readonly drainMs: number;
  /** How many processes share the port. */
  readonly processes: number;
  /** Without the API's address where it is the port that it gets. */
  readonly proxy: ProxyConfigInput;
}

/** What `tta serve` is set by. */
export const serveSchema = z.object({
  STORE,
  ...BOTH,
  RATE_LIMIT_PER_MINUTE: setting(count().prefault('300'), {
    says: 'requests a minute of an account',
    value: '<n>',
  }),
  PORT: setting(port().prefault('8080'), { says: 'the port to listen on', value: '<port>' }),
  PROCESSES: setting(
    integerSetting(1, 512)
      .optional()
      .transform((n) => n ?? availableParallelism()),
    { says: 'processes that share the port', value: '<n>', otherwise: 'one a core' },
  ),
  ROW_BUDGET: setting(count().prefault(String(API_DEFAULTS.batchRowBudget)), {
    says: 'rows of one batch',
    value: '<n>',
  }),
  CACHE_BYTES: setting(sizeSetting(1).prefault('576MiB'), {
    says: 'memory of each process for parts of a release and finished answers',
    value: '<size>',
  }),
  ANSWER_CACHE_BYTES: setting(sizeSetting(0).optional(), {
    says: 'what of it finished answers may take',
    value: '<size>',
    otherwise: 'all of it',
  }),
  RELEASE_POLL_SECONDS: setting(integerSetting(1, 3_600).prefault('30'), {
    says: 'how often to look whether another release is in force',
    value: '<seconds>',
  }),
  METRICS_PORT,
  DRAIN_SECONDS: setting(integerSetting(0, 600).prefault('0'), {
    says: 'told to end, how long to say on /v1/ready that it is not ready before it lets nobody new in',
    value: '<seconds>',
  }),
  SHED_AT_LAG_MS: setting(integerSetting(0, 60_000).prefault(String(API_DEFAULTS.shedAtLagMs)), {
    says: 'how late the event loop may be, milliseconds, before requests are sent away; 0: never',
    value: '<ms>',
  }),
  CURSOR_SECRETS: setting(secretsSetting.optional(), {
    says: 'one or two, comma-separated: the first seals cursors, both open them; another first one changes the ETags of paginated routes, once',
    secret: true,
    otherwise: 'one that the ledger keeps',
  }),
});

/** How to serve the API, by flags and environment. A `UsageError` names all that is wrong. */
export function serveSettings(flags: Flags, version: string, env?: Environment): ServeSettings {
  return apiSettings(readSettings(serveSchema, flags, env), version);
}

/** The same, of what was read together with more. */
export function apiSettings(set: z.output<typeof serveSchema>, version: string): ServeSettings {
  return {
    store: set.STORE,
    ledger: set.LEDGER,
    port: set.PORT,
    host: set.HOST,
    rateLimitPerMinute: set.RATE_LIMIT_PER_MINUTE,
    cacheBytes: set.CACHE_BYTES,
    releasePollMs: set.RELEASE_POLL_SECONDS * 1_000,
    metricsPort: set.METRICS_PORT ?? null,
    drainMs: set.DRAIN_SECONDS * 1_000,
    processes: set.PROCESSES,
    proxy: {
      version,
      baseUrl: set.BASE_URL,
      accountUrl: set.ACCOUNT_URL,
      problemBase: set.PROBLEM_BASE,
      freeRateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
      batchRowBudget: set.ROW_BUDGET,
      responseCacheBytes: set.ANSWER_CACHE_BYTES,
      trustProxy: set.TRUST_PROXY,
      cursorSecrets: set.CURSOR_SECRETS,
      shedAtLagMs: set.SHED_AT_LAG_MS,
      logLevel: set.LOG_LEVEL,
    },
  };
}
