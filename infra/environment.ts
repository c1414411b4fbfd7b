import { type ProxyConfigInput, proxyConfigSchema } from '../proxy/config.ts';
import type { Bytes } from '../shards/units.ts';
import { UsageError } from './cli/run.ts';

/** What a command or the environment says, before it is checked. */
export interface ServeSettings {
  readonly store: string;
  readonly ledger: string;
  readonly port: number;
  readonly host: string;
  readonly rateLimitPerMinute: number;
  /** Memory for what is kept of a release's objects. */
  readonly headCacheBytes: Bytes;
  readonly proxy: ProxyConfigInput;
}

const DEFAULT_PORT = 8080;
const DEFAULT_RATE_LIMIT_PER_MINUTE = 300;
const DEFAULT_HEAD_CACHE_BYTES: Bytes = 512 * 2 ** 20;

/** Puts together how to serve: flags win over the environment, which wins over defaults. */
export function serveSettings(
  flags: { store: string; ledger: string; port?: string; host?: string },
  version: string,
  env: NodeJS.ProcessEnv = process.env,
): ServeSettings {
  const port = integer('PORT', flags.port ?? env.PORT, 0, 65_535) ?? DEFAULT_PORT;
  const proxy: ProxyConfigInput = {
    version,
    baseUrl: env.BASE_URL ?? `http://localhost:${port}`,
    ...given('problemBase', env.PROBLEM_BASE),
    ...given(
      'freeRateLimitPerMinute',
      integer('FREE_RATE_LIMIT_PER_MINUTE', env.FREE_RATE_LIMIT_PER_MINUTE, 1, 1e9),
    ),
    ...given('cursorSecrets', env.CURSOR_SECRETS?.split(',')),
    ...given('batchRowBudget', integer('BATCH_ROW_BUDGET', env.BATCH_ROW_BUDGET, 1, 1e9)),
    ...given('answerCacheBytes', integer('ANSWER_CACHE_BYTES', env.ANSWER_CACHE_BYTES, 0, 2 ** 40)),
    ...given('trustProxy', env.TRUST_PROXY === undefined ? undefined : env.TRUST_PROXY === 'true'),
    ...given('logLevel', env.LOG_LEVEL as ProxyConfigInput['logLevel']),
  };
  const checked = proxyConfigSchema.safeParse(proxy);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new UsageError(`configuration: ${issue.path.join('.')}: ${issue.message}`);
  }
  return {
    store: flags.store,
    ledger: flags.ledger,
    port,
    host: flags.host ?? env.HOST ?? '127.0.0.1',
    rateLimitPerMinute:
      integer('RATE_LIMIT_PER_MINUTE', env.RATE_LIMIT_PER_MINUTE, 1, 1e9) ??
      DEFAULT_RATE_LIMIT_PER_MINUTE,
    headCacheBytes:
      integer('HEAD_CACHE_BYTES', env.HEAD_CACHE_BYTES, 1, 2 ** 40) ?? DEFAULT_HEAD_CACHE_BYTES,
    proxy,
  };
}

function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V });
}

/** An integer in a setting; a `UsageError` that names the setting if it is none within bounds. */
export function integer(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${name}: "${text}" is not an integer from ${min} to ${max}`);
}
