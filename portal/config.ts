import { z } from 'zod';
import { trustedProxies } from '../proxy/http/trusted-proxies.ts';
import { webUrl } from '../proxy/http/web-url.ts';

/** An origin: cookies apply to a host and all of its paths, so the portal must too. */
const origin = webUrl('https://account.example.org')
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, {
    error: 'contains a path, a query or a user name: the portal needs a host of its own',
  })
  .transform((url) => new URL(url).origin);

/** Configuration of a portal. The environment is read by the caller. */
export const portalConfigSchema = z.strictObject({
  /** Public URL of the portal. With `https:`, its cookies are for https only. */
  accountUrl: origin.default('http://127.0.0.1:8081'),
  /** Public URL of the API, without a trailing slash. */
  apiUrl: webUrl('https://api.example.org')
    .transform((url) => url.replace(/\/+$/, ''))
    .default('http://127.0.0.1:8080'),
  /** Base of problem types; `{accountUrl}/problems` by default. */
  problemBase: webUrl('https://account.example.org/problems').optional(),
  /** Maximum number of requests per minute from one address. */
  rateLimitPerMinute: z.int().min(1).default(600),
  /** Sign-up grants per day (`SignupGrantLimits`). */
  signupGrants: z
    .strictObject({
      perDay: z.int().min(0).default(500),
      perNetwork: z.int().min(1).default(100),
      perDomain: z.int().min(1).default(20),
      openDomains: z.array(z.string()).default([]),
    })
    .prefault({}),
  /** Maximum number of mails per hour, across all portals of a ledger. */
  mailsPerHour: z.int().min(1).default(2_000),
  /**
   * Secrets of sessions: the first one signs, each of them verifies. Rotate by prepending a new
   * one. Defaults to a secret stored in the ledger.
   */
  sessionSecrets: z.array(z.string().min(16)).min(1).max(2).optional(),
  /** Proxies whose `X-Forwarded-For` is trusted to name the client; none by default. */
  trustProxy: trustedProxies.optional(),
  /** A MapLibre style to draw below the map, instead of the base map of the release. */
  mapStyleUrl: webUrl('https://tiles.example.org/style.json').optional(),
  /** Block used in the example of a first request. */
  exampleBlock: z.string().optional(),
  logLevel: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('warn'),
  version: z.string().default('0.0.0'),
});

export type PortalConfig = z.output<typeof portalConfigSchema>;
export type PortalConfigInput = z.input<typeof portalConfigSchema>;
