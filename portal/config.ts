import { z } from 'zod';
import { trustedProxies } from './http/trusted-proxies.ts';

/** Cookies belong to a host and all of its paths: so does the portal. */
const origin = z
  .url({ protocol: /^https?$/, error: 'is not a URL such as https://account.example.org' })
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, {
    error: 'contains a path, a query or a user name: the portal needs a host of its own',
  })
  .transform((url) => new URL(url).origin);

/** Configuration of a portal. It reads no environment: its caller does. */
export const portalConfigSchema = z.strictObject({
  /** Public address of the portal. With `https:`, its cookies are for https only. */
  accountUrl: origin.default('http://127.0.0.1:8081'),
  /** Where clients find the API, without a slash at its end. */
  apiUrl: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .default('http://127.0.0.1:8080'),
  /** Base of problem types; `{accountUrl}/problems` by default. */
  problemBase: z.url().optional(),
  /** Requests a minute from one address. */
  rateLimitPerMinute: z.int().min(1).default(600),
  /** Sign-up grants a day (`SignupGrantLimits`). */
  signupGrants: z
    .strictObject({
      perDay: z.int().min(0).default(500),
      perNetwork: z.int().min(1).default(10),
      perDomain: z.int().min(1).default(20),
    })
    .prefault({}),
  /** Mails that all portals of a ledger send in an hour. */
  mailsPerHour: z.int().min(1).default(2_000),
  /**
   * The first keys what is made, all of them are taken: rotate by putting a new one in front. By
   * default one that the ledger keeps.
   */
  sessionSecrets: z.array(z.string().min(16)).min(1).max(2).optional(),
  /** The proxies whose `X-Forwarded-For` names the client; by default none. */
  trustProxy: trustedProxies.optional(),
  /** A block to show a first request with. */
  exampleBlock: z.string().optional(),
  logLevel: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('warn'),
  version: z.string().default('0.0.0'),
});

export type PortalConfig = z.output<typeof portalConfigSchema>;
export type PortalConfigInput = z.input<typeof portalConfigSchema>;
