import { availableParallelism } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { type PortalConfigInput, portalConfigSchema } from '../../portal/config.ts';
import { trustedProxies } from '../../portal/http/trusted-proxies.ts';
import type { PaymentSettings } from '../../portal/payment/open-payment.ts';
import { isEmailAddress } from '../../portal/sign-in/email-address.ts';
import { type ProxyConfigInput, proxyConfigSchema } from '../../proxy/config.ts';
import type { Bytes } from '../../shards/units.ts';
import { HOST, METRICS_PORT, port } from './listening.ts';
import { LEDGER, STORE } from './places.ts';
import { type Environment, type Flags, readSettings } from './read-settings.ts';
import { aboutOf, setting } from './setting.ts';
import { integerText, listOf, secretsText, sizeText } from './texts.ts';

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

/** How to serve the portal. */
export interface PortalSettings {
  readonly ledger: string;
  readonly port: number;
  readonly host: string;
  readonly mail: MailSettings;
  /** `null`: nothing can be bought. */
  readonly stripe: PaymentSettings | null;
  /** Without the portal's address where it is the port that it gets. */
  readonly portal: PortalConfigInput;
}

export interface MailSettings {
  /** The mail server; `null`: mails are put into `folder`. */
  readonly smtpUrl: string | null;
  /** Whose mails they are; never `null` with a server. */
  readonly from: string | null;
  readonly folder: string;
}

const API_DEFAULTS = proxyConfigSchema.parse({});

const count = () => integerText(1, 1e9);

/** What both servers are set by. */
const BOTH = {
  LEDGER,
  HOST,
  BASE_URL: setting(z.url().optional(), {
    says: 'public address of the API',
    value: '<url>',
    otherwise: 'http://localhost:PORT',
  }),
  PROBLEM_BASE: setting(z.url().optional(), {
    says: 'public address of the pages that explain problems',
    value: '<url>',
    otherwise: 'the server’s own address and /problems',
  }),
  FREE_RATE_LIMIT_PER_MINUTE: setting(
    count().prefault(String(API_DEFAULTS.freeRateLimitPerMinute)),
    { says: 'requests a minute of an address, to routes without a key', value: '<n>' },
  ),
  TRUST_PROXY: setting(
    z
      .string()
      .transform((text) => (/^\d+$/.test(text) ? Number(text) : listOf(text)))
      .pipe(trustedProxies)
      .optional(),
    {
      says: 'how many proxies are before this server, where nothing else reaches it; or their networks: loopback,10.0.0.0/8',
      value: '<proxies>',
      otherwise: 'none',
    },
  ),
  LOG_LEVEL: setting(proxyConfigSchema.shape.logLevel.unwrap().prefault(API_DEFAULTS.logLevel), {
    says: 'what is logged: silent, fatal, error, warn, info or debug',
    value: '<level>',
  }),
};

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
    integerText(1, 512)
      .optional()
      .transform((n) => n ?? availableParallelism()),
    { says: 'processes that share the port', value: '<n>', otherwise: 'one a core' },
  ),
  ROW_BUDGET: setting(count().prefault(String(API_DEFAULTS.batchRowBudget)), {
    says: 'rows of one batch',
    value: '<n>',
  }),
  CACHE_BYTES: setting(sizeText(1).prefault('576MiB'), {
    says: 'memory of each process for parts of a release and finished answers',
    value: '<size>',
  }),
  ANSWER_CACHE_BYTES: setting(sizeText(0).optional(), {
    says: 'what of it finished answers may take',
    value: '<size>',
    otherwise: 'all of it',
  }),
  RELEASE_POLL_SECONDS: setting(integerText(1, 3_600).prefault('30'), {
    says: 'how often to look whether another release is in force',
    value: '<seconds>',
  }),
  METRICS_PORT,
  DRAIN_SECONDS: setting(integerText(0, 600).prefault('0'), {
    says: 'told to end, how long to say on /v1/ready that it is not ready before it lets nobody new in',
    value: '<seconds>',
  }),
  SHED_AT_LAG_MS: setting(integerText(0, 60_000).prefault(String(API_DEFAULTS.shedAtLagMs)), {
    says: 'how late the event loop may be, milliseconds, before requests are sent away; 0: never',
    value: '<ms>',
  }),
  CURSOR_SECRETS: setting(secretsText.optional(), {
    says: 'one or two, comma-separated: the first seals cursors, both open them',
    secret: true,
    otherwise: 'one that the ledger keeps',
  }),
});

const priceId = z
  .string('is the id of a price, or several, comma-separated')
  .startsWith('price_', 'is the id of a price');

const STRIPE = {
  STRIPE_SECRET_KEY: setting(z.string().optional(), {
    says: 'Stripe’s key',
    secret: true,
    otherwise: 'nothing can be bought',
    needs: ['STRIPE_WEBHOOK_SECRET', 'STRIPE_MEMBERSHIP_PRICE'],
  }),
  STRIPE_WEBHOOK_SECRET: setting(z.string().optional(), {
    says: 'the secret of the webhook ACCOUNT_URL/billing/webhook',
    secret: true,
    needs: ['STRIPE_SECRET_KEY'],
  }),
  STRIPE_MEMBERSHIP_PRICE: setting(
    z
      .string()
      .transform(listOf)
      .pipe(z.tuple([priceId], priceId))
      .optional(),
    {
      says: 'the id of a price of 10 USD a month, which is sold; after it, comma-separated, those sold before, which members may still pay',
      value: '<prices>',
      needs: ['STRIPE_SECRET_KEY'],
    },
  ),
  STRIPE_API_URL: setting(z.url({ protocol: /^https?$/ }).optional(), {
    says: 'where Stripe is',
    value: '<url>',
    otherwise: 'Stripe itself',
  }),
};

/** What asking Stripe is set by. */
export const paymentSchema = z.object(STRIPE);

/** What `tta portal` is set by. */
export const portalSchema = z.object({
  ...BOTH,
  PORTAL_PORT: setting(port().prefault('8081'), {
    says: 'the port to listen on',
    flag: '--port',
    value: '<port>',
  }),
  ACCOUNT_URL: setting(portalConfigSchema.shape.accountUrl.unwrap().optional(), {
    says: 'public address of the portal, a host of its own; of https:, its cookies are for https only',
    value: '<url>',
    otherwise: 'where it listens',
  }),
  SMTP_URL: setting(
    z
      .url({
        protocol: /^smtps?$/,
        error: 'a mail server is given as smtp://HOST or smtps://HOST',
      })
      .optional(),
    {
      says: 'the mail server: smtp://user:password@host:587 or smtps://…',
      secret: true,
      otherwise: 'mails are put into VAR_DIR/mail',
      needs: ['MAIL_FROM'],
    },
  ),
  MAIL_FROM: setting(
    z
      .string()
      .refine(isSender, 'is an address such as Travel times <no-reply@example.org>')
      .optional(),
    { says: 'whose mails they are', value: '<address>' },
  ),
  SESSION_SECRETS: setting(secretsText.optional(), {
    says: 'one or two, comma-separated: the first makes sessions, both are taken',
    secret: true,
    otherwise: 'one that the ledger keeps',
  }),
  ...STRIPE,
  VAR_DIR: setting(z.string().prefault('var'), {
    says: 'folder for what is kept beside the ledger',
    value: '<dir>',
  }),
});

/** Both servers are one process. */
const startSchema = z.object({
  ...portalSchema.shape,
  ...serveSchema.omit({ PROCESSES: true }).shape,
  STORE: setting(STORE.optional(), aboutOf(STORE)),
  LEDGER: setting(LEDGER.optional(), aboutOf(LEDGER)),
});

/** How to serve the API, by flags and environment. A `UsageError` names all that is wrong. */
export function serveSettings(flags: Flags, version: string, env?: Environment): ServeSettings {
  return apiSettings(readSettings(serveSchema, flags, env), version);
}

/** The same for the portal. */
export function portalSettings(flags: Flags, version: string, env?: Environment): PortalSettings {
  return settingsOfPortal(readSettings(portalSchema, flags, env), version);
}

/** How to serve both in one process. */
export interface StartSettings {
  /** Where everything is kept that is not said to be elsewhere. */
  readonly folder: string;
  /** Whether the store is the folder's own. */
  readonly isOwnStore: boolean;
  readonly api: ServeSettings;
  readonly portal: PortalSettings;
}

/** The same for both in one process, on one folder. */
export function startSettings(version: string, env?: Environment): StartSettings {
  const set = readSettings(startSchema, {}, env);
  const folder = path.resolve(set.VAR_DIR);
  const all = {
    ...set,
    PROCESSES: 1,
    VAR_DIR: folder,
    STORE: set.STORE ?? path.join(folder, 'store'),
    LEDGER: set.LEDGER ?? `lmdb:${path.join(folder, 'ledger')}`,
  };
  return {
    ...{ folder, isOwnStore: set.STORE === undefined },
    ...{ api: apiSettings(all, version), portal: settingsOfPortal(all, version) },
  };
}

function apiSettings(set: z.output<typeof serveSchema>, version: string): ServeSettings {
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
      problemBase: set.PROBLEM_BASE,
      freeRateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
      batchRowBudget: set.ROW_BUDGET,
      answerCacheBytes: set.ANSWER_CACHE_BYTES,
      trustProxy: set.TRUST_PROXY,
      cursorSecrets: set.CURSOR_SECRETS,
      shedAtLagMs: set.SHED_AT_LAG_MS,
      logLevel: set.LOG_LEVEL,
    },
  };
}

function settingsOfPortal(set: z.output<typeof portalSchema>, version: string): PortalSettings {
  return {
    ledger: set.LEDGER,
    port: set.PORTAL_PORT,
    host: set.HOST,
    mail: {
      smtpUrl: set.SMTP_URL ?? null,
      from: set.MAIL_FROM ?? null,
      folder: path.join(set.VAR_DIR, 'mail'),
    },
    stripe: stripeOf(set),
    portal: {
      version,
      accountUrl: set.ACCOUNT_URL,
      apiUrl: set.BASE_URL,
      problemBase: set.PROBLEM_BASE,
      rateLimitPerMinute: set.FREE_RATE_LIMIT_PER_MINUTE,
      sessionSecrets: set.SESSION_SECRETS,
      trustProxy: set.TRUST_PROXY,
      logLevel: set.LOG_LEVEL,
    },
  };
}

/** How to reach Stripe; `null` where nothing is sold. */
export function paymentSettings(flags: Flags = {}, env?: Environment): PaymentSettings | null {
  return stripeOf(readSettings(paymentSchema, flags, env));
}

function stripeOf(set: z.output<typeof paymentSchema>): PaymentSettings | null {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_MEMBERSHIP_PRICE: membershipPrices,
    STRIPE_API_URL: apiUrl,
  } = set;
  if (!secretKey || !webhookSecret || !membershipPrices) return null;
  return { secretKey, webhookSecret, membershipPrices, apiUrl };
}

/** An address, or `Name <address>`, on one line. */
function isSender(text: string): boolean {
  const [, named] = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text) ?? [];
  return isEmailAddress(named ?? text);
}
