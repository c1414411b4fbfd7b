import { z } from 'zod';
import { trustedProxies } from '../portal/http/trusted-proxies.ts';

const MEBIBYTE = 2 ** 20;

/** A URL that paths are put behind, so without a slash at its end. */
const address = z.url().transform((url) => url.replace(/\/+$/, ''));

/** Configuration of a proxy. It reads no environment: its caller does. */
export const proxyConfigSchema = z.strictObject({
  /** Where clients find the service. */
  baseUrl: address.default('http://127.0.0.1:8080'),
  /** Where people make keys and buy tokens; not stated by default. */
  accountUrl: address.optional(),
  /** Base of problem types; `{baseUrl}/problems` by default. */
  problemBase: address.optional(),
  /** Requests a minute from one address to routes that need no key. */
  freeRateLimitPerMinute: z.int().min(1).default(600),
  /** Rows of one batch; origins past it are left out whole. */
  batchRowBudget: z.int().min(1).default(50_000),
  /** Plans of URLs on the release in force, kept in memory. */
  queryCacheBytes: z
    .int()
    .min(1)
    .default(64 * MEBIBYTE),
  /** Finished answers kept in memory, at most; by default as much as there is for all that is kept. */
  responseCacheBytes: z.int().min(0).optional(),
  /** Large answers that wait for their readers; past it, those that stand still are closed. */
  maxWaitingBytes: z
    .int()
    .min(MEBIBYTE)
    .default(128 * MEBIBYTE),
  /**
   * The first seals cursors, all open them: rotate by putting a new one in front. By default one
   * that the ledger keeps.
   */
  cursorSecrets: z.array(z.string().min(16)).min(1).max(2).optional(),
  /** How late the event loop may be before requests are sent away, milliseconds; 0: never. */
  shedAtLagMs: z.int().min(0).default(100),
  /** The proxies whose `X-Forwarded-For` names the client; by default none. */
  trustProxy: trustedProxies.optional(),
  logLevel: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('warn'),
  version: z.string().default('0.0.0'),
});

export type ProxyConfig = z.output<typeof proxyConfigSchema>;
export type ProxyConfigInput = z.input<typeof proxyConfigSchema>;
