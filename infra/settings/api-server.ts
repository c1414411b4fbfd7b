import { z } from 'zod';
import { type ProxyConfigInput, proxyConfigSchema } from '../../proxy/config.ts';
import { kindOf } from '../../shards/store/store-location.ts';
import { ArgumentError } from '../errors.ts';
import { API_DEFAULTS, BOTH, count } from './both-servers.ts';
import { METRICS_PORT, port } from './listening.ts';
import { STORE } from './locations.ts';
import { setting } from './setting.ts';
import { integerSetting, secretsSetting, sizeSetting } from './setting-types.ts';

/** Settings of `tta serve`. */
export const serveSchema = z.object({
  STORE,
  ...BOTH,
  RATE_LIMIT_PER_MINUTE: setting(count().prefault('300'), {
    description: 'requests per minute for each account',
    value: '<n>',
  }),
  PORT: setting(port().prefault('8080'), { description: 'port to listen on', value: '<port>' }),
  ROW_BUDGET: setting(count().prefault(String(API_DEFAULTS.batchRowBudget)), {
    description: 'maximum rows per batch',
    value: '<n>',
  }),
  CACHE_BYTES: setting(sizeSetting(1).prefault('576MiB'), {
    description: 'memory for caching parts of the release and finished responses',
    value: '<size>',
  }),
  RESPONSE_CACHE_BYTES: setting(sizeSetting(0).optional(), {
    description: 'share of --cache-bytes for cached responses',
    value: '<size>',
    whenUnset: 'all of it',
  }),
  RELEASE_POLL_SECONDS: setting(integerSetting(1, 3_600).prefault('30'), {
    description: 'how often to check for a new release',
    value: '<seconds>',
  }),
  EXPORT_LINKS: setting(
    proxyConfigSchema.shape.exportLinks.unwrap().prefault(API_DEFAULTS.exportLinks),
    {
      description:
        'where links to exported tables lead: service, or bucket for presigned URLs of a store in S3, which clients must be able to reach',
      value: '<where>',
    },
  ),
  METRICS_PORT,
  DRAIN_SECONDS: setting(integerSetting(0, 600).prefault('0'), {
    description:
      'seconds to report not-ready on /v1/ready after SIGTERM, before refusing connections',
    value: '<seconds>',
  }),
  SHED_AT_LAG_MS: setting(integerSetting(0, 60_000).prefault(String(API_DEFAULTS.shedAtLagMs)), {
    description: 'event loop delay in milliseconds at which requests are rejected; 0: never',
    value: '<ms>',
  }),
  CURSOR_SECRETS: setting(secretsSetting.optional(), {
    description:
      'one or two, comma-separated: the first encrypts cursors, both decrypt them; changing the first changes the ETags of paginated routes once',
    secret: true,
    whenUnset: 'one stored in the ledger',
  }),
});

/** Settings of the API server, validated; those of its metrics are null if it serves none. */
export type ServeSettings = ReturnType<typeof serveSettings>;

/**
 * The settings of the API server, from those that were read. Throws an `ArgumentError` for links to
 * a bucket without one.
 */
export function serveSettings(set: z.output<typeof serveSchema>, version: string) {
  if (set.EXPORT_LINKS === 'bucket' && kindOf(set.STORE) !== 's3') {
    throw new ArgumentError(
      'settings: EXPORT_LINKS="bucket": takes a STORE in S3, s3://bucket/prefix',
    );
  }
  /** Without its address if that depends on the port it gets. */
  const proxy: ProxyConfigInput = {
    version,
    baseUrl: set.BASE_URL,
    accountUrl: set.ACCOUNT_URL,
    problemBase: set.PROBLEM_BASE,
    freeRateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
    batchRowBudget: set.ROW_BUDGET,
    responseCacheBytes: set.RESPONSE_CACHE_BYTES,
    trustProxy: set.TRUST_PROXY,
    cursorSecrets: set.CURSOR_SECRETS,
    exportLinks: set.EXPORT_LINKS,
    shedAtLagMs: set.SHED_AT_LAG_MS,
    logLevel: set.LOG_LEVEL,
  };
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
    proxy,
  };
}
