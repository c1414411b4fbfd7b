import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ProxyConfigInput, proxyConfigSchema } from '../proxy/config.ts';
import { trustedProxies } from '../proxy/http/trusted-proxies.ts';
import { storeFault } from '../shards/store/open-store.ts';
import type { Bytes } from '../shards/units.ts';
import { UsageError } from './cli/run.ts';

/** How to serve: what flags and the environment say, checked. */
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

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings by their names in the environment. One that is empty is as if it were not there. */
const SETTINGS = z.object({
  STORE: z.string('is missing').superRefine((location, context) => {
    const fault = storeFault(location);
    if (fault !== null) context.addIssue(fault);
  }),
  LEDGER: z.string('is missing').regex(/^lmdb:./, 'a ledger is given as lmdb:DIR'),
  PORT: integerText(0, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z.url().optional(),
  PROBLEM_BASE: z.url().optional(),
  RATE_LIMIT_PER_MINUTE: integerText(1, 1e9).default(300),
  FREE_RATE_LIMIT_PER_MINUTE: integerText(1, 1e9).optional(),
  ROW_BUDGET: integerText(1, 1e9).optional(),
  ANSWER_CACHE_BYTES: integerText(0, 2 ** 40).optional(),
  HEAD_CACHE_BYTES: integerText(1, 2 ** 40).default(512 * 2 ** 20),
  TRUST_PROXY: z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : listOf(text)))
    .pipe(trustedProxies)
    .optional(),
  CURSOR_SECRETS: z
    .string()
    .transform(listOf)
    .pipe(
      z
        .array(z.string().min(16, 'a secret has 16 characters or more'))
        .min(1, 'one or two secrets are needed')
        .max(2, 'one or two secrets are taken'),
    )
    .optional(),
  LOG_LEVEL: proxyConfigSchema.shape.logLevel,
});

/** Settings that are secret: each may be in a file instead, named by `NAME_FILE`. */
const SECRETS = ['CURSOR_SECRETS'];

/**
 * Puts together how to serve: flags win over the environment, which wins over defaults. A
 * `UsageError` names all settings that are wrong.
 */
export function serveSettings(
  flags: { store: string; ledger: string; port?: string; host?: string },
  version: string,
  env: Environment = process.env,
): ServeSettings {
  const { store: STORE, ledger: LEDGER, port: PORT = env.PORT, host: HOST = env.HOST } = flags;
  const { values, faults } = withSecretFiles({ ...env, STORE, LEDGER, PORT, HOST });
  const checked = SETTINGS.safeParse(values);
  for (const { path, message } of checked.error?.issues ?? []) {
    const name = String(path[0]);
    const shown = SECRETS.includes(name) || !values[name] ? name : `${name}="${values[name]}"`;
    faults.push(`${shown}: ${message}`);
  }
  if (!checked.success || faults.length > 0) {
    throw new UsageError(`settings: ${[...new Set(faults)].join('; ')}`);
  }
  const set = checked.data;
  return {
    store: set.STORE,
    ledger: set.LEDGER,
    port: set.PORT,
    host: set.HOST,
    rateLimitPerMinute: set.RATE_LIMIT_PER_MINUTE,
    headCacheBytes: set.HEAD_CACHE_BYTES,
    proxy: {
      version,
      baseUrl: set.BASE_URL ?? `http://localhost:${set.PORT}`,
      problemBase: set.PROBLEM_BASE,
      freeRateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
      batchRowBudget: set.ROW_BUDGET,
      answerCacheBytes: set.ANSWER_CACHE_BYTES,
      trustProxy: set.TRUST_PROXY,
      cursorSecrets: set.CURSOR_SECRETS,
      logLevel: set.LOG_LEVEL,
    },
  };
}

/** The settings that are not empty, with secrets read from their files; and what is wrong with those. */
function withSecretFiles(env: Environment): { values: Environment; faults: string[] } {
  const values = Object.fromEntries(Object.entries(env).filter(([, text]) => text?.trim()));
  const faults: string[] = [];
  for (const name of SECRETS) {
    const file = values[`${name}_FILE`];
    if (file === undefined) continue;
    if (values[name]) faults.push(`${name} and ${name}_FILE: give one of them`);
    try {
      values[name] ??= readFileSync(file, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      faults.push(`${name}_FILE="${file}": cannot be read (${code})`);
    }
  }
  return { values, faults };
}

function listOf(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function integerText(min: number, max: number) {
  const wrong = `is not an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error: wrong, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, wrong).max(max, wrong));
}

/** An integer in a flag; a `UsageError` that names the flag if it is none within bounds. */
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
