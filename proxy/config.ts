import { z } from 'zod';
import { trustedProxies } from './http/trusted-proxies.ts';
import { webUrl } from './http/web-url.ts';

const MEBIBYTE = 2 ** 20;

/** A URL that paths are appended to, so its trailing slashes are removed. */
const address = webUrl('https://api.example.org').transform((url) => url.replace(/\/+$/, ''));

export const proxyConfigSchema = z.strictObject({
  baseUrl: address.default('http://127.0.0.1:8080'),
  /** URL where people create keys and buy tokens; unset by default. */
  accountUrl: address.optional(),
  /** Base URL of problem types; `{baseUrl}/problems` by default. */
  problemBase: address.optional(),
  /** Requests per minute from one address to routes that need no key. */
  freeRateLimitPerMinute: z.int().min(1).default(600),
  /** Maximum number of rows per batch; origins that would exceed it are omitted whole. */
  batchRowBudget: z.int().min(1).default(50_000),
  /** Memory limit of the query cache, which holds what URLs resolve to on the current release. */
  queryCacheBytes: z
    .int()
    .min(1)
    .default(64 * MEBIBYTE),
  /** Memory limit of the response cache; by default, the whole cache budget. */
  responseCacheBytes: z.int().min(0).optional(),
  /**
   * Memory limit for large responses waiting for their readers; beyond it, stalled connections are
   * closed.
   */
  maxWaitingBytes: z
    .int()
    .min(MEBIBYTE)
    .default(128 * MEBIBYTE),
  /**
   * Secrets for cursors: the first seals them, and each can open them. Rotate by prepending a new
   * secret. By default, a secret stored in the ledger.
   */
  cursorSecrets: z.array(z.string().min(16)).min(1).max(2).optional(),
  /**
   * Target of links to exported tables: this service, or presigned URLs of the bucket that is the
   * store.
   */
  exportLinks: z.enum(['service', 'bucket']).default('service'),
  /** Event loop lag at which requests are rejected, in milliseconds; 0 disables rejection. */
  shedAtLagMs: z.int().min(0).default(100),
  /** Proxies whose `X-Forwarded-For` is trusted to name the client; none by default. */
  trustProxy: trustedProxies.optional(),
  logLevel: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('warn'),
  version: z.string().default('0.0.0'),
});

export type ProxyConfig = z.output<typeof proxyConfigSchema>;
export type ProxyConfigInput = z.input<typeof proxyConfigSchema>;
