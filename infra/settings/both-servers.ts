import { z } from 'zod';
import { portalConfigSchema } from '../../portal/config.ts';
import { proxyConfigSchema } from '../../proxy/config.ts';
import { trustedProxies } from '../../proxy/http/trusted-proxies.ts';
import { webUrl } from '../../proxy/http/web-url.ts';
import { HOST } from './listening.ts';
import { LEDGER } from './locations.ts';
import { setting } from './setting.ts';
import { integerSetting, listOf } from './setting-types.ts';

export const API_DEFAULTS = proxyConfigSchema.parse({});

export const count = () => integerSetting(1, 1e9);

export const BOTH = {
  LEDGER,
  HOST,
  BASE_URL: setting(proxyConfigSchema.shape.baseUrl.unwrap().optional(), {
    description: 'public URL of the API',
    value: '<url>',
    whenUnset: 'where it listens; for tta portal, http://127.0.0.1:8080',
  }),
  ACCOUNT_URL: setting(portalConfigSchema.shape.accountUrl.unwrap().optional(), {
    description:
      'public URL of the portal, on a host of its own; with https:, its cookies are HTTPS-only',
    value: '<url>',
    whenUnset: 'where the portal listens; the API does not mention one',
  }),
  PROBLEM_BASE: setting(webUrl('https://api.example.org/problems').optional(), {
    description: 'public URL of the pages that explain problem types',
    value: '<url>',
    whenUnset: 'the server’s own URL plus /problems',
  }),
  FREE_RATE_LIMIT_PER_MINUTE: setting(
    count().prefault(String(API_DEFAULTS.freeRateLimitPerMinute)),
    {
      description: 'requests per minute for each IP address, on routes without a key',
      value: '<n>',
    },
  ),
  TRUST_PROXY: setting(
    z
      .string()
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : listOf(text)))
      .pipe(trustedProxies)
      .optional(),
    {
      description:
        'number of proxies in front of this server, if it is reachable only through them; or their networks: loopback,10.0.0.0/8',
      value: '<proxies>',
      whenUnset: 'none',
    },
  ),
  LOG_LEVEL: setting(proxyConfigSchema.shape.logLevel.unwrap().prefault(API_DEFAULTS.logLevel), {
    description: 'log level: silent, fatal, error, warn, info or debug',
    value: '<level>',
  }),
};
